// A canaletto drive as a TLM-2.0 target (IEEE 1666-2011), loosely and approximately timed.
//
// Addresses and lengths of generic payloads are bytes of the drive, whole sectors of 512 B. The drive keeps no data: what
// reads return is left as it is. TLM_READ_COMMAND reads and TLM_WRITE_COMMAND writes; a payload with a canaletto::Operation
// extension does what that says. Other commands get the command error.
//
// - Loosely timed: b_transport returns when the drive has completed the request, with no delay left over. A delay that it
//   is called with is when the request arrives, so that initiators may run ahead of simulated time.
// - Approximately timed: the base protocol with four phases. BEGIN_REQ is accepted at once (END_REQ comes back as the update
//   of the phase): requests wait in the drive's own queues. BEGIN_RESP follows at completion, one at a time.
//
// Requests that initiators make in the first delta cycle of a moment keep their places among what is due at that moment, so
// that completions are those of `canaletto run`, to the picosecond.

#ifndef CANALETTO_TLM_H
#define CANALETTO_TLM_H

#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES  // simple_target_socket needs them
#endif

#include <canaletto.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>
#include <unordered_map>
#include <vector>

namespace canaletto {

// Requests of a payload beyond reading and writing.
struct Operation : tlm::tlm_extension<Operation> {
  canaletto_operation operation = CANALETTO_READ;
  std::uint32_t flags = 0;

  tlm::tlm_extension_base *clone() const override { return new Operation(*this); }
  void copy_from(const tlm::tlm_extension_base &other) override { *this = static_cast<const Operation &>(other); }
};

class Ssd : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Ssd);

  tlm_utils::simple_target_socket<Ssd> socket;

  // A drive of a preset's name, or of the text of a design's file, with settings "key=value".
  Ssd(sc_core::sc_module_name name, const std::string &design, const std::vector<std::string> &settings = {},
      const char *toml = nullptr, std::uint64_t seed = 1)
      : sc_module(name), socket("socket") {
    if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_PS)) {
      SC_REPORT_FATAL("canaletto", "expected a time resolution of 1 ps");
    }
    std::vector<const char *> texts;
    for (const auto &setting : settings) {
      texts.push_back(setting.c_str());
    }
    canaletto_drive *made = nullptr;
    check(canaletto_open(design.c_str(), toml, texts.data(), texts.size(), seed, &made));
    drive_.reset(made);
    socket.register_b_transport(this, &Ssd::b_transport);
    socket.register_nb_transport_fw(this, &Ssd::nb_transport_fw);
    SC_METHOD(go_on);
    sensitive << wake_;
    dont_initialize();
  }

  // The drive itself, for its statistics.
  canaletto_drive *drive() const { return drive_.get(); }

 private:
  struct Close {
    void operator()(canaletto_drive *drive) const { canaletto_close(drive); }
  };

  // A request under way: somebody waits in b_transport, or is to hear BEGIN_RESP.
  struct UnderWay {
    tlm::tlm_generic_payload *payload;
    sc_core::sc_event *waiting;
  };

  static std::uint64_t ps(const sc_core::sc_time &time) { return time.value(); }

  static void check(canaletto_status status) {
    if (status != CANALETTO_OK) {
      SC_REPORT_FATAL("canaletto", canaletto_last_error());
    }
  }

  void b_transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay) {
    sc_core::sc_event completed;
    if (submit(payload, delay, &completed)) {
      sc_core::wait(completed);
    }
    delay = sc_core::SC_ZERO_TIME;
  }

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
    if (phase == tlm::BEGIN_REQ) {
      if (payload.has_mm()) {
        payload.acquire();
      }
      if (!submit(payload, delay, nullptr)) {
        release(payload);
        return tlm::TLM_COMPLETED;
      }
      phase = tlm::END_REQ;
      return tlm::TLM_UPDATED;
    }
    if (phase == tlm::END_RESP) {
      response_ended();
      return tlm::TLM_COMPLETED;
    }
    return tlm::TLM_ACCEPTED;
  }

  // Whether the drive has such an operation, with these flags.
  static bool is_command(std::uint32_t operation, std::uint32_t flags) {
    const bool is_write = operation == CANALETTO_WRITE || operation == CANALETTO_WRITE_ZEROES;
    return operation <= CANALETTO_WRITE_ZEROES && (flags & ~(is_write ? CANALETTO_FUA : 0)) == 0;
  }

  // Submits a payload that arrives after `delay`. Returns whether the drive has taken it; if not, the payload says why.
  bool submit(tlm::tlm_generic_payload &payload, const sc_core::sc_time &delay, sc_core::sc_event *waiting) {
    if (payload.get_byte_enable_ptr() != nullptr) {
      payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
      return false;
    }
    const std::uint64_t bytes = payload.get_data_length();
    if (payload.get_address() % 512 != 0 || bytes % 512 != 0 || payload.get_streaming_width() < bytes) {
      payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
      return false;
    }
    const auto *asked = payload.get_extension<Operation>();
    const std::uint32_t operation = asked ? asked->operation : payload.is_read() ? CANALETTO_READ : CANALETTO_WRITE;
    const std::uint32_t flags = asked ? asked->flags : 0;
    if ((asked == nullptr && !payload.is_read() && !payload.is_write()) || !is_command(operation, flags)) {
      payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
      return false;
    }
    const auto arrival = ps(sc_core::sc_time_stamp() + delay);
    const auto status = canaletto_submit(drive_.get(), arrival, operation, flags,
                                         payload.get_address() / 512, static_cast<std::uint32_t>(bytes / 512), next_);
    if (status == CANALETTO_INVALID) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return false;
    }
    check(status);
    under_way_.emplace(next_++, UnderWay{&payload, waiting});
    schedule();
    return true;
  }

  // Wakes up when something happens next inside the drive. An earlier wake-up takes the place of a later one.
  void schedule() {
    const auto due = canaletto_next_event(drive_.get());
    if (due != CANALETTO_NEVER) {
      wake_.notify(sc_core::sc_time::from_value(due) - sc_core::sc_time_stamp());
    }
  }

  // Something is due: once everybody has made the requests that they make now.
  void go_on() {
    const auto now = ps(sc_core::sc_time_stamp());
    if (asked_at_ != now) {
      asked_at_ = now;
      sc_core::next_trigger(sc_core::SC_ZERO_TIME);
      return;
    }
    check(canaletto_advance_to(drive_.get(), now));
    canaletto_completion done;
    while (canaletto_take(drive_.get(), &done, nullptr, 1) == 1) {
      completed(done);
    }
    schedule();
  }

  void completed(const canaletto_completion &done) {
    const auto found = under_way_.find(done.tag);
    const UnderWay request = found->second;
    under_way_.erase(found);
    request.payload->set_response_status(done.status != 0 ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
    if (request.waiting != nullptr) {
      request.waiting->notify();
      return;
    }
    responses_.push_back(request.payload);
    if (responses_.size() == 1) {
      respond();
    }
  }

  // Sends the oldest response. The next one must wait for its end.
  void respond() {
    while (!responses_.empty()) {
      auto &payload = *responses_.front();
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      const auto answer = socket->nb_transport_bw(payload, phase, delay);
      if (answer == tlm::TLM_ACCEPTED || (answer == tlm::TLM_UPDATED && phase != tlm::END_RESP)) {
        return;
      }
      responses_.pop_front();
      release(payload);
    }
  }

  void response_ended() {
    release(*responses_.front());
    responses_.pop_front();
    respond();
  }

  static void release(tlm::tlm_generic_payload &payload) {
    if (payload.has_mm()) {
      payload.release();
    }
  }

  std::unique_ptr<canaletto_drive, Close> drive_;
  sc_core::sc_event wake_;
  std::uint64_t asked_at_ = CANALETTO_NEVER;
  std::uint64_t next_ = 0;
  std::unordered_map<std::uint64_t, UnderWay> under_way_;
  std::deque<tlm::tlm_generic_payload *> responses_;
};

}  // namespace canaletto

#endif
