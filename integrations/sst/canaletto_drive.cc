#include "canaletto_drive.h"

#include <algorithm>
#include <string>
#include <vector>

namespace canaletto_sst {

Drive::Drive(SST::ComponentId_t id, SST::Params &params) : Component(id), output_("", 1, 0, SST::Output::STDERR) {
  const auto design = params.find<std::string>("design", "performance-optimized");
  std::vector<std::string> settings;
  params.find_array<std::string>("settings", settings);
  std::vector<const char *> texts;
  for (const auto &setting : settings) {
    texts.push_back(setting.c_str());
  }
  canaletto_drive *made = nullptr;
  check(canaletto_open(design.c_str(), nullptr, texts.data(), texts.size(), params.find<std::uint64_t>("seed", 1), &made));
  drive_.reset(made);
  host_ = configureLink("host", "1ps", new SST::Event::Handler<Drive>(this, &Drive::request));
  sst_assert(host_, CALL_INFO, -1, "the link host is not connected\n");
  next_ = configureSelfLink("next", "1ps", new SST::Event::Handler<Drive>(this, &Drive::go_on));
}

void Drive::check(canaletto_status status) {
  if (status != CANALETTO_OK) {
    output_.fatal(CALL_INFO, -1, "%s\n", canaletto_last_error());
  }
}

// A request arrives now.
void Drive::request(SST::Event *event) {
  const std::unique_ptr<Request> asked(static_cast<Request *>(event));
  check(canaletto_submit(drive_.get(), getCurrentSimTime("1ps"), asked->operation, asked->flags, asked->lba, asked->sectors,
                         asked->tag));
  schedule();
}

// Lets the drive's time go on to the present. An event that has become needless finds nothing to do.
void Drive::go_on(SST::Event *event) {
  delete event;
  const std::uint64_t now = getCurrentSimTime("1ps");
  if (now == scheduled_ps_) {
    scheduled_ps_ = CANALETTO_NEVER;
  }
  check(canaletto_advance_to(drive_.get(), now));
  canaletto_completion done;
  while (canaletto_take(drive_.get(), &done, nullptr, 1) == 1) {
    host_->send(new Completion(done));
  }
  schedule();
}

void Drive::schedule() {
  const std::uint64_t due = canaletto_next_event(drive_.get());
  if (due < scheduled_ps_) {
    scheduled_ps_ = due;
    next_->send(due - getCurrentSimTime("1ps"), new Wake);
  }
}

}  // namespace canaletto_sst
