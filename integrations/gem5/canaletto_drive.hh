// A canaletto drive in gem5: storage in a range of addresses, with a simulated solid-state drive's times.
//
// Data are gem5's (AbstractMemory keeps them); times are the drive's. Packets of any size become requests for the sectors of
// 512 B that they touch. Ticks are picoseconds, gem5's default, as is the drive's time.
//
// Written against gem5's public interfaces of version 23; compiled here against stand-ins of the classes used, and untested
// with gem5 itself.

#ifndef CANALETTO_DRIVE_HH
#define CANALETTO_DRIVE_HH

#include <canaletto.h>

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>

#include "mem/abstract_mem.hh"
#include "mem/packet.hh"
#include "mem/port.hh"
#include "params/CanalettoDrive.hh"
#include "sim/eventq.hh"

namespace gem5 {

class CanalettoDrive : public memory::AbstractMemory {
 public:
  explicit CanalettoDrive(const CanalettoDriveParams &params);

  void init() override;
  Port &getPort(const std::string &name, PortID idx = InvalidPortID) override;
  DrainState drain() override;

 private:
  class DrivePort : public ResponsePort {
   public:
    DrivePort(const std::string &name, CanalettoDrive &drive) : ResponsePort(name), drive_(drive) {}

   protected:
    AddrRangeList getAddrRanges() const override { return {drive_.getAddrRange()}; }
    Tick recvAtomic(PacketPtr packet) override { return drive_.atomic(packet); }
    void recvFunctional(PacketPtr packet) override { drive_.functionalAccess(packet); }
    bool recvTimingReq(PacketPtr packet) override { return drive_.timing(packet); }
    void recvRespRetry() override { drive_.respond(); }

   private:
    CanalettoDrive &drive_;
  };

  struct Close {
    void operator()(canaletto_drive *drive) const { canaletto_close(drive); }
  };

  void check(canaletto_status status) const;
  void submit(PacketPtr packet);
  Tick atomic(PacketPtr packet);
  bool timing(PacketPtr packet);
  void goOn();
  void complete(const canaletto_completion &done);
  void respond();
  void scheduleNext();

  DrivePort port_;
  std::unique_ptr<canaletto_drive, Close> drive_;
  EventFunctionWrapper next_;
  uint64_t number_ = 0;
  // Packets by the numbers of their requests.
  std::unordered_map<uint64_t, PacketPtr> underWay_;
  // Packets whose requests are complete, until their sender takes them.
  std::deque<PacketPtr> responses_;
  bool awaitsRetry_ = false;
};

}  // namespace gem5

#endif
