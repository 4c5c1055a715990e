#include "canaletto_drive.hh"

#include <vector>

#include "base/logging.hh"
#include "sim/cur_tick.hh"

namespace gem5 {

namespace {
constexpr Addr sectorBytes = 512;
}

CanalettoDrive::CanalettoDrive(const CanalettoDriveParams &params)
    : memory::AbstractMemory(params), port_(name() + ".port", *this), 
      // After everything else of its tick, so that requests that are made in it keep their places.
      next_([this] { goOn(); }, name() + ".next", false, Event::Maximum_Pri) {
  std::vector<const char *> settings;
  for (const auto &setting : params.settings) {
    settings.push_back(setting.c_str());
  }
  canaletto_drive *made = nullptr;
  check(canaletto_open(params.design.c_str(), nullptr, settings.data(), settings.size(), params.seed, &made));
  drive_.reset(made);
  fatal_if(getAddrRange().size() > canaletto_sectors(made) * sectorBytes, "%s: its range is larger than the drive", name());
}

void CanalettoDrive::init() {
  AbstractMemory::init();
  if (port_.isConnected()) {
    port_.sendRangeChange();
  }
}

Port &CanalettoDrive::getPort(const std::string &name, PortID idx) {
  return name == "port" ? port_ : AbstractMemory::getPort(name, idx);
}

void CanalettoDrive::check(canaletto_status status) const {
  fatal_if(status != CANALETTO_OK, "%s: %s", name(), canaletto_last_error());
}

// Submits the request of a packet, which arrives now.
void CanalettoDrive::submit(PacketPtr packet) {
  const Addr first = packet->getAddr() - getAddrRange().start();
  const Addr lba = first / sectorBytes;
  const Addr end = (first + packet->getSize() + sectorBytes - 1) / sectorBytes;
  const uint32_t operation = packet->isRead() ? CANALETTO_READ : CANALETTO_WRITE;
  check(canaletto_submit(drive_.get(), curTick(), operation, 0, lba, static_cast<uint32_t>(end - lba), number_));
  underWay_.emplace(number_++, packet);
}

// Atomic accesses change the data and take no time of the drive's: they are for fast-forwarding.
Tick CanalettoDrive::atomic(PacketPtr packet) {
  access(packet);
  return 0;
}

bool CanalettoDrive::timing(PacketPtr packet) {
  panic_if(!packet->isRead() && !packet->isWrite(), "%s: expected reads and writes", name());
  submit(packet);
  scheduleNext();
  return true;
}

// Lets the drive's time go on to the present.
void CanalettoDrive::goOn() {
  check(canaletto_advance_to(drive_.get(), curTick()));
  canaletto_completion done;
  while (canaletto_take(drive_.get(), &done, nullptr, 1) == 1) {
    complete(done);
  }
  if (!awaitsRetry_) {
    respond();
  }
  scheduleNext();
}

void CanalettoDrive::complete(const canaletto_completion &done) {
  const auto found = underWay_.find(done.tag);
  PacketPtr packet = found->second;
  underWay_.erase(found);
  const bool needsResponse = packet->needsResponse();
  access(packet);
  if (needsResponse) {
    responses_.push_back(packet);
  } else {
    delete packet;
  }
}

// Sends responses until the other side takes no more.
void CanalettoDrive::respond() {
  awaitsRetry_ = false;
  while (!responses_.empty()) {
    if (!port_.sendTimingResp(responses_.front())) {
      awaitsRetry_ = true;
      return;
    }
    responses_.pop_front();
  }
  if (underWay_.empty() && drainState() == DrainState::Draining) {
    signalDrainDone();
  }
}

void CanalettoDrive::scheduleNext() {
  const uint64_t due = canaletto_next_event(drive_.get());
  if (due != CANALETTO_NEVER) {
    reschedule(next_, due, true);
  }
}

DrainState CanalettoDrive::drain() {
  return underWay_.empty() && responses_.empty() ? DrainState::Drained : DrainState::Draining;
}

}  // namespace gem5
