// Sends requests through integrations/sst, with stand-ins for SST: `replay DESIGN REQUESTS [KEY=VALUE…]`, as examples/c/replay.c.

#include <cinttypes>
#include <fstream>

#include "canaletto_drive.h"

int main(int count, char **words) {
  SST::Params params;
  params.values = {{"design", words[1]}, {"seed", "1"}};
  params.settings.assign(words + 3, words + count);
  canaletto_sst::Drive drive(1, params);
  auto &host = *drive.links.at("host");
  host.outside = [](SST::Event *event) {
    const std::unique_ptr<canaletto_sst::Completion> done(static_cast<canaletto_sst::Completion *>(event));
    std::printf("%" PRIu64 " %" PRIu64 "\n", done->tag, SST::simulation.now);
  };
  std::ifstream file(words[2]);
  uint64_t number = 0, arrival, operation, lba, sectors;
  while (file >> arrival >> operation >> lba >> sectors) {
    auto *request = new canaletto_sst::Request(static_cast<canaletto_operation>(operation), lba, sectors, number++);
    SST::simulation.events.emplace(arrival, [&host, request] { host.handler->call(request); });
  }
  SST::simulation.run();
}
