// Stand-ins of the classes of gem5 that integrations/gem5 uses, with the signatures of gem5 23: enough to compile and to run
// packets through it. They are ours, and no part of gem5.

#ifndef STANDIN_GEM5_HH
#define STANDIN_GEM5_HH

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <list>
#include <string>
#include <vector>

namespace gem5 {

using Tick = uint64_t;
using Addr = uint64_t;
using PortID = int16_t;
constexpr PortID InvalidPortID = -1;
constexpr Tick MaxTick = UINT64_MAX;

#define fatal_if(condition, ...)      \
  do {                                \
    if (condition) {                  \
      std::fprintf(stderr, "fatal\n"); \
      std::exit(2);                   \
    }                                 \
  } while (0)
#define panic_if fatal_if

class Packet {
 public:
  Packet(bool read, Addr addr, unsigned size) : read_(read), addr_(addr), size_(size) {}
  Addr getAddr() const { return addr_; }
  unsigned getSize() const { return size_; }
  bool isRead() const { return read_; }
  bool isWrite() const { return !read_; }
  bool needsResponse() const { return !response_; }
  void makeResponse() { response_ = true; }

 private:
  bool read_, response_ = false;
  Addr addr_;
  unsigned size_;
};
using PacketPtr = Packet *;

class AddrRange {
 public:
  AddrRange(Addr start = 0, Addr end = 0) : start_(start), end_(end) {}
  Addr start() const { return start_; }
  Addr size() const { return end_ - start_; }

 private:
  Addr start_, end_;
};
using AddrRangeList = std::list<AddrRange>;

class Event {
 public:
  using Priority = int8_t;
  static const Priority Default_Pri = 0;
  static const Priority Maximum_Pri = 127;
};

// One event of one object is all that there is.
class EventFunctionWrapper : public Event {
 public:
  EventFunctionWrapper(const std::function<void()> &callback, const std::string &, bool = false, Priority = Default_Pri)
      : callback(callback) {}
  std::function<void()> callback;
  Tick when = MaxTick;
};

inline Tick theTick = 0;
inline Tick curTick() { return theTick; }

class Port {
 public:
  virtual ~Port() = default;
};

class ResponsePort : public Port {
 public:
  explicit ResponsePort(const std::string &, PortID = InvalidPortID) {}
  bool isConnected() const { return true; }
  void sendRangeChange() const {}
  bool sendTimingResp(PacketPtr packet) { return sink(packet); }
  std::function<bool(PacketPtr)> sink;

  virtual AddrRangeList getAddrRanges() const = 0;
  virtual Tick recvAtomic(PacketPtr) = 0;
  virtual void recvFunctional(PacketPtr) = 0;
  virtual bool recvTimingReq(PacketPtr) = 0;
  virtual void recvRespRetry() = 0;
};

enum class DrainState { Running, Draining, Drained, Resuming };

struct AbstractMemoryParams {
  std::string name = "drive";
  AddrRange range;
};

struct CanalettoDriveParams : AbstractMemoryParams {
  std::string design;
  std::vector<std::string> settings;
  uint64_t seed = 1;
};

namespace memory {
class AbstractMemory {
 public:
  explicit AbstractMemory(const AbstractMemoryParams &params) : params_(params) {}
  virtual ~AbstractMemory() = default;
  virtual void init() {}
  virtual Port &getPort(const std::string &, PortID = InvalidPortID) { std::abort(); }
  virtual DrainState drain() { return DrainState::Drained; }
  const std::string &name() const { return params_.name; }
  AddrRange getAddrRange() const { return params_.range; }
  void access(PacketPtr packet) { packet->makeResponse(); }
  void functionalAccess(PacketPtr packet) { packet->makeResponse(); }
  void reschedule(EventFunctionWrapper &event, Tick when, bool) {
    event.when = when;
    pending = &event;
  }
  EventFunctionWrapper *pending = nullptr;

 protected:
  DrainState drainState() const { return DrainState::Running; }
  void signalDrainDone() const {}

 private:
  AbstractMemoryParams params_;
};
}  // namespace memory

}  // namespace gem5

#endif
