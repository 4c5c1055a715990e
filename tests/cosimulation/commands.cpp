// Payloads that a drive must answer with a status of TLM-2.0. Says which it did not, and ends with 1.

#include "canaletto_tlm.h"

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdio>
#include <optional>

class Initiator : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Initiator);

  tlm_utils::simple_initiator_socket<Initiator> socket;
  int wrong = 0;

  explicit Initiator(sc_core::sc_module_name name) : sc_module(name), socket("socket") { SC_THREAD(ask); }

 private:
  struct Asked {
    std::uint32_t operation, flags;
  };

  void expect(tlm::tlm_response_status wanted, int command, std::optional<Asked> asked, std::uint64_t address = 0) {
    tlm::tlm_generic_payload payload;
    canaletto::Operation operation;
    payload.set_command(static_cast<tlm::tlm_command>(command));
    payload.set_address(address);
    payload.set_data_length(4096);
    payload.set_streaming_width(4096);
    if (asked) {
      operation.operation = static_cast<canaletto_operation>(asked->operation);
      operation.flags = asked->flags;
      payload.set_extension(&operation);
    }
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    if (payload.get_response_status() != wanted) {
      std::fprintf(stderr, "command %d, operation %d, flags %d: status %s\n", command, asked ? int(asked->operation) : -1,
                   asked ? int(asked->flags) : 0, payload.get_response_string().c_str());
      wrong = 1;
    }
    payload.clear_extension(&operation);
  }

  void ask() {
    expect(tlm::TLM_OK_RESPONSE, tlm::TLM_READ_COMMAND, {});
    expect(tlm::TLM_OK_RESPONSE, tlm::TLM_WRITE_COMMAND, {});
    expect(tlm::TLM_OK_RESPONSE, tlm::TLM_IGNORE_COMMAND, Asked{CANALETTO_WRITE, CANALETTO_FUA});
    expect(tlm::TLM_OK_RESPONSE, tlm::TLM_IGNORE_COMMAND, Asked{CANALETTO_WRITE_ZEROES, CANALETTO_FUA});
    expect(tlm::TLM_COMMAND_ERROR_RESPONSE, tlm::TLM_IGNORE_COMMAND, {});
    expect(tlm::TLM_COMMAND_ERROR_RESPONSE, 7, {});
    expect(tlm::TLM_COMMAND_ERROR_RESPONSE, tlm::TLM_READ_COMMAND, Asked{9, 0});
    expect(tlm::TLM_COMMAND_ERROR_RESPONSE, tlm::TLM_WRITE_COMMAND, Asked{CANALETTO_WRITE, 2});
    for (std::uint32_t operation : {CANALETTO_READ, CANALETTO_TRIM, CANALETTO_FLUSH}) {
      expect(tlm::TLM_COMMAND_ERROR_RESPONSE, tlm::TLM_IGNORE_COMMAND, Asked{operation, CANALETTO_FUA});
    }
    expect(tlm::TLM_ADDRESS_ERROR_RESPONSE, tlm::TLM_READ_COMMAND, {}, std::uint64_t{1} << 50);
  }
};

int sc_main(int, char **) {
  canaletto::Ssd ssd("ssd", "performance-optimized");
  Initiator initiator("initiator");
  initiator.socket.bind(ssd.socket);
  sc_core::sc_start();
  return initiator.wrong;
}
