// A canaletto drive as a component of the Structural Simulation Toolkit (SST).
//
// Requests come over the link `host`, and their completions go back over it. The drive keeps no data. A request that SST
// delivers after the drive's own event of the same picosecond comes after all else that is due then.
//
// Written against SST's public interfaces of version 13; compiled here against stand-ins of the classes used, and untested
// with SST itself.

#ifndef CANALETTO_SST_DRIVE_H
#define CANALETTO_SST_DRIVE_H

#include <canaletto.h>
#include <sst/core/component.h>
#include <sst/core/event.h>
#include <sst/core/link.h>
#include <sst/core/output.h>
#include <sst/core/params.h>

#include <cstdint>
#include <memory>

namespace canaletto_sst {

// A request for sectors of 512 B.
class Request : public SST::Event {
 public:
  Request() = default;
  Request(canaletto_operation operation, std::uint64_t lba, std::uint32_t sectors, std::uint64_t tag, std::uint32_t flags = 0)
      : operation(operation), flags(flags), sectors(sectors), lba(lba), tag(tag) {}

  std::uint32_t operation = CANALETTO_READ, flags = 0, sectors = 0;
  std::uint64_t lba = 0, tag = 0;

  void serialize_order(SST::Core::Serialization::serializer &ser) override {
    Event::serialize_order(ser);
    ser & operation;
    ser & flags;
    ser & sectors;
    ser & lba;
    ser & tag;
  }

  ImplementSerializable(canaletto_sst::Request);
};

// A request that is complete.
class Completion : public SST::Event {
 public:
  Completion() = default;
  explicit Completion(const canaletto_completion &done)
      : tag(done.tag), arrival_ps(done.arrival_ps), completed_ps(done.completed_ps), failed(done.status != 0) {}

  std::uint64_t tag = 0, arrival_ps = 0, completed_ps = 0;
  std::uint32_t failed = 0;

  void serialize_order(SST::Core::Serialization::serializer &ser) override {
    Event::serialize_order(ser);
    ser & tag;
    ser & arrival_ps;
    ser & completed_ps;
    ser & failed;
  }

  ImplementSerializable(canaletto_sst::Completion);
};

// Something is due inside the drive.
class Wake : public SST::Event {
 public:
  ImplementSerializable(canaletto_sst::Wake);
};

class Drive : public SST::Component {
 public:
  SST_ELI_REGISTER_COMPONENT(Drive, "canaletto", "Drive", SST_ELI_ELEMENT_VERSION(1, 0, 0),
                             "A simulated solid-state drive", COMPONENT_CATEGORY_MEMORY)

  SST_ELI_DOCUMENT_PARAMS({"design", "Name of a preset of canaletto", "performance-optimized"},
                          {"settings", "Settings of the design, a list of key=value", "[]"},
                          {"seed", "Seed of all random streams", "1"})

  SST_ELI_DOCUMENT_PORTS({"host", "Requests and their completions", {"canaletto.Request", "canaletto.Completion"}})

  Drive(SST::ComponentId_t id, SST::Params &params);

 private:
  struct Close {
    void operator()(canaletto_drive *drive) const { canaletto_close(drive); }
  };

  void check(canaletto_status status);
  void request(SST::Event *event);
  void go_on(SST::Event *event);
  void schedule();

  SST::Output output_;
  SST::Link *host_;
  // To the component itself, after the time until something happens inside the drive.
  SST::Link *next_;
  std::unique_ptr<canaletto_drive, Close> drive_;
  // The earliest moment for which the component has sent itself an event.
  std::uint64_t scheduled_ps_ = CANALETTO_NEVER;
};

}  // namespace canaletto_sst

#endif
