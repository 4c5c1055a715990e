// Sends packets through integrations/gem5, with stand-ins for gem5: `replay DESIGN REQUESTS [KEY=VALUE…]`, as examples/c/replay.c.

#include <cinttypes>
#include <fstream>
#include <unordered_map>

#include "canaletto_drive.hh"

using namespace gem5;

int main(int count, char **words) {
  CanalettoDriveParams params;
  params.design = words[1];
  params.settings.assign(words + 3, words + count);
  params.range = AddrRange(1 << 20, (1 << 20) + (1 << 20));
  CanalettoDrive drive(params);
  drive.init();
  auto &port = static_cast<ResponsePort &>(drive.getPort("port"));
  std::unordered_map<PacketPtr, uint64_t> numbers;
  uint64_t refusals = 0;
  bool retry = false;
  port.sink = [&](PacketPtr packet) {
    // Every third response has to be sent once more.
    if (++refusals % 3 == 0) {
      retry = true;
      return false;
    }
    std::printf("%" PRIu64 " %" PRIu64 "\n", numbers.at(packet), curTick());
    delete packet;
    return true;
  };
  const auto go_on = [&](Tick until) {
    while (drive.pending != nullptr && drive.pending->when < until) {
      theTick = drive.pending->when;
      auto *event = drive.pending;
      drive.pending = nullptr;
      event->callback();
      while (retry) {
        retry = false;
        port.recvRespRetry();
      }
    }
  };
  std::ifstream file(words[2]);
  uint64_t number = 0, arrival, operation, lba, sectors;
  while (file >> arrival >> operation >> lba >> sectors) {
    go_on(arrival);
    theTick = arrival;
    auto *packet = new Packet(operation == CANALETTO_READ, (1 << 20) + lba * 512, sectors * 512);
    numbers[packet] = number++;
    port.recvTimingReq(packet);
  }
  go_on(MaxTick);
}
