// An initiator that replays requests on a canaletto drive.
//
//   replay lt|at DESIGN REQUESTS [KEY=VALUE…]
//
// REQUESTS is a file with a line `arrival_ps operation lba sectors` for each request, in order of arrival; operations are
// those of canaletto.h. Prints a line `number completed_ps` for each, in order of completion. `lt` waits in b_transport, in
// a process for each request; `at` exchanges phases.

#include "canaletto_tlm.h"

#include <tlm_utils/simple_initiator_socket.h>

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <sstream>

struct Request {
  std::uint64_t arrival_ps, lba;
  std::uint32_t operation, sectors;
};

// Payloads that go back where they came from.
class Payloads : public tlm::tlm_mm_interface {
 public:
  tlm::tlm_generic_payload *take(const Request &request, std::uint64_t number) {
    auto *payload = new tlm::tlm_generic_payload(this);
    payload->acquire();
    payload->set_address(request.lba * 512);
    payload->set_data_length(request.sectors * 512);
    payload->set_streaming_width(request.sectors * 512);
    payload->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    auto *operation = new canaletto::Operation;
    operation->operation = static_cast<canaletto_operation>(request.operation);
    payload->set_auto_extension(operation);
    numbers_[payload] = number;
    return payload;
  }

  std::uint64_t number(const tlm::tlm_generic_payload &payload) const { return numbers_.at(&payload); }

  void free(tlm::tlm_generic_payload *payload) override {
    numbers_.erase(payload);
    payload->reset();
    delete payload;
  }

 private:
  std::unordered_map<const tlm::tlm_generic_payload *, std::uint64_t> numbers_;
};

class Initiator : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Initiator);

  tlm_utils::simple_initiator_socket<Initiator> socket;

  Initiator(sc_core::sc_module_name name, std::vector<Request> requests, bool exchange_phases)
      : sc_module(name), socket("socket"), requests_(std::move(requests)), exchange_phases_(exchange_phases) {
    socket.register_nb_transport_bw(this, &Initiator::nb_transport_bw);
    SC_THREAD(make_requests);
    SC_METHOD(end_response);
    sensitive << responded_;
    dont_initialize();
  }

  std::size_t wrong() const { return wrong_; }

 private:
  void make_requests() {
    for (std::uint64_t number = 0; number < requests_.size(); number++) {
      const auto arrival = sc_core::sc_time::from_value(requests_[number].arrival_ps);
      if (arrival > sc_core::sc_time_stamp()) {
        wait(arrival - sc_core::sc_time_stamp());
      }
      auto *payload = payloads_.take(requests_[number], number);
      if (exchange_phases_) {
        begin(*payload);
      } else {
        sc_core::sc_spawn([this, payload] { transport(*payload); });
      }
    }
  }

  void transport(tlm::tlm_generic_payload &payload) {
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    done(payload);
    payload.release();
  }

  void begin(tlm::tlm_generic_payload &payload) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (socket->nb_transport_fw(payload, phase, delay) == tlm::TLM_COMPLETED) {
      done(payload);
      payload.release();
    }
  }

  // Every other response is ended at once, the others in a phase of their own.
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &) {
    if (phase != tlm::BEGIN_RESP) {
      return tlm::TLM_ACCEPTED;
    }
    done(payload);
    if (payloads_.number(payload) % 2 == 0) {
      payload.release();
      return tlm::TLM_COMPLETED;
    }
    responding_ = &payload;
    responded_.notify(sc_core::SC_ZERO_TIME);
    return tlm::TLM_ACCEPTED;
  }

  void end_response() {
    auto &payload = *responding_;
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->nb_transport_fw(payload, phase, delay);
    payload.release();
  }

  void done(const tlm::tlm_generic_payload &payload) {
    wrong_ += payload.is_response_error();
    std::printf("%" PRIu64 " %" PRIu64 "\n", payloads_.number(payload),
                static_cast<std::uint64_t>(sc_core::sc_time_stamp().value()));
  }

  std::vector<Request> requests_;
  bool exchange_phases_;
  Payloads payloads_;
  std::size_t wrong_ = 0;
  tlm::tlm_generic_payload *responding_ = nullptr;
  sc_core::sc_event responded_;
};

// The requests of a file. Throws the line that is none.
static std::vector<Request> read_requests(const std::string &path) {
  std::ifstream file(path);
  if (!file) {
    throw path + ": cannot be read";
  }
  std::vector<Request> requests;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); number++) {
    std::istringstream words(line);
    Request request;
    std::string rest;
    if (!(words >> request.arrival_ps >> request.operation >> request.lba >> request.sectors) || words >> rest) {
      throw path + ", line " + std::to_string(number) + ": got \"" + line + "\", expected `arrival_ps operation lba sectors`";
    }
    requests.push_back(request);
  }
  return requests;
}

int sc_main(int count, char **words) {
  if (count < 4 || (std::string(words[1]) != "lt" && std::string(words[1]) != "at")) {
    std::fprintf(stderr, "usage: replay lt|at DESIGN REQUESTS [KEY=VALUE…]\n");
    return 2;
  }
  std::vector<Request> requests;
  try {
    requests = read_requests(words[3]);
  } catch (const std::string &problem) {
    std::fprintf(stderr, "replay: %s\n", problem.c_str());
    return 2;
  }
  canaletto::Ssd ssd("ssd", words[2], std::vector<std::string>(words + 4, words + count));
  Initiator initiator("initiator", std::move(requests), std::string(words[1]) == "at");
  initiator.socket.bind(ssd.socket);
  sc_core::sc_start();
  return initiator.wrong() == 0 ? 0 : 1;
}
