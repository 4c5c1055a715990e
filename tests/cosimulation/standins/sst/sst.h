// Stand-ins of the classes of SST that integrations/sst uses, with the signatures of SST 13: enough to compile and to pass
// events. They are ours, and no part of SST.

#ifndef STANDIN_SST_H
#define STANDIN_SST_H

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace SST {

using SimTime_t = uint64_t;
using ComponentId_t = uint64_t;

namespace Core::Serialization {
struct serializer {
  template <class T>
  serializer &operator&(T &) {
    return *this;
  }
};
}  // namespace Core::Serialization

class Event {
 public:
  virtual ~Event() = default;
  virtual void serialize_order(Core::Serialization::serializer &) {}

  struct HandlerBase {
    virtual ~HandlerBase() = default;
    virtual void call(Event *) = 0;
  };
  template <class C>
  struct Handler : HandlerBase {
    Handler(C *object, void (C::*function)(Event *)) : object(object), function(function) {}
    void call(Event *event) override { (object->*function)(event); }
    C *object;
    void (C::*function)(Event *);
  };
};

#define ImplementSerializable(NAME) \
 public:                            \
  static_assert(sizeof(NAME *) > 0, "")

// Everything that is to happen, by time and insertion.
struct Simulation {
  SimTime_t now = 0;
  std::multimap<SimTime_t, std::function<void()>> events;
  void run() {
    while (!events.empty()) {
      auto first = events.begin();
      now = first->first;
      auto call = first->second;
      events.erase(first);
      call();
    }
  }
};
inline Simulation simulation;

class Link {
 public:
  Link(Event::HandlerBase *handler, bool to_itself) : handler(handler), to_itself(to_itself) {}
  void send(Event *event) { send(0, event); }
  void send(SimTime_t delay, Event *event) {
    simulation.events.emplace(simulation.now + delay, [this, event] { to_itself ? handler->call(event) : outside(event); });
  }
  std::unique_ptr<Event::HandlerBase> handler;
  std::function<void(Event *)> outside;
  bool to_itself;
};

class Params {
 public:
  std::map<std::string, std::string> values;
  std::vector<std::string> settings;
  template <class T>
  T find(const std::string &key, T otherwise) const {
    const auto found = values.find(key);
    if (found == values.end()) {
      return otherwise;
    }
    std::istringstream text(found->second);
    text >> otherwise;
    return otherwise;
  }
  template <class T>
  void find_array(const std::string &, std::vector<T> &into) const {
    into = settings;
  }
};

class Output {
 public:
  enum output_location_t { STDOUT, STDERR };
  Output(const std::string &, uint32_t, uint32_t, output_location_t) {}
  void fatal(uint32_t, const char *, const char *, int code, const char *format, ...) const {
    va_list rest;
    va_start(rest, format);
    std::vfprintf(stderr, format, rest);
    va_end(rest);
    std::exit(code);
  }
};
#define CALL_INFO __LINE__, __FILE__, __func__
#define sst_assert(condition, ...) \
  do {                             \
    if (!(condition)) std::abort(); \
  } while (0)

class Component {
 public:
  explicit Component(ComponentId_t) {}
  virtual ~Component() = default;
  std::map<std::string, std::unique_ptr<Link>> links;

 protected:
  Link *configureLink(const std::string &name, const std::string &, Event::HandlerBase *handler) {
    return (links[name] = std::make_unique<Link>(handler, false)).get();
  }
  Link *configureSelfLink(const std::string &name, const std::string &, Event::HandlerBase *handler) {
    return (links[name] = std::make_unique<Link>(handler, true)).get();
  }
  SimTime_t getCurrentSimTime(const std::string &) const { return simulation.now; }
};

#define COMPONENT_CATEGORY_MEMORY 0
#define SST_ELI_ELEMENT_VERSION(...) 0
#define SST_ELI_REGISTER_COMPONENT(...)
#define SST_ELI_DOCUMENT_PARAMS(...)
#define SST_ELI_DOCUMENT_PORTS(...)

}  // namespace SST

#endif
