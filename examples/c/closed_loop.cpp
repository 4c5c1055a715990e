// A closed loop in C++: so many random reads are always outstanding, and each completion is answered with the next one.
//
//   closed_loop DESIGN OUTSTANDING REQUESTS

#include <canaletto.h>

#include <cinttypes>
#include <cstdio>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void check(canaletto_status status) {
  if (status != CANALETTO_OK) {
    throw std::runtime_error(canaletto_last_error());
  }
}

// A drive that ends with its owner.
class Drive {
 public:
  explicit Drive(const std::string &design) {
    canaletto_drive *made = nullptr;
    check(canaletto_open(design.c_str(), nullptr, nullptr, 0, 1, &made));
    drive_.reset(made);
  }

  std::uint64_t sectors() const { return canaletto_sectors(drive_.get()); }
  std::uint64_t now_ps() const { return canaletto_now(drive_.get()); }

  void read(std::uint64_t lba, std::uint32_t sectors, std::uint64_t tag) {
    check(canaletto_submit(drive_.get(), now_ps(), CANALETTO_READ, 0, lba, sectors, tag));
  }

  // The next completion, with the picoseconds that each cause took of it; false if nothing is outstanding.
  bool next(canaletto_completion &done, std::vector<std::uint64_t> &blame_ps) {
    blame_ps.resize(canaletto_causes());
    while (canaletto_take(drive_.get(), &done, blame_ps.data(), 1) == 0) {
      if (canaletto_outstanding(drive_.get()) == 0) {
        return false;
      }
      check(canaletto_advance_to_completion(drive_.get(), UINT64_C(1) << 63, nullptr));
    }
    return true;
  }

 private:
  struct Close {
    void operator()(canaletto_drive *drive) const { canaletto_close(drive); }
  };
  std::unique_ptr<canaletto_drive, Close> drive_;
};

void run(Drive &drive, std::uint64_t outstanding, std::uint64_t requests) {
  std::mt19937_64 random(1);
  const auto submit = [&](std::uint64_t tag) { drive.read(random() % (drive.sectors() / 8) * 8, 8, tag); };
  std::uint64_t submitted = 0, completed = 0, latency_ps = 0;
  while (submitted < outstanding && submitted < requests) {
    submit(submitted++);
  }
  canaletto_completion done;
  std::vector<std::uint64_t> blame_ps, total_ps(canaletto_causes());
  while (drive.next(done, blame_ps)) {
    completed++;
    latency_ps += done.completed_ps - done.arrival_ps;
    for (std::size_t cause = 0; cause < blame_ps.size(); cause++) {
      total_ps[cause] += blame_ps[cause];
    }
    if (submitted < requests) {
      submit(submitted++);
    }
  }
  std::printf("%" PRIu64 " reads in %.3f us, mean latency %.3f us\n", completed, drive.now_ps() / 1e6, latency_ps / 1e6 / completed);
  for (std::size_t cause = 0; cause < total_ps.size(); cause++) {
    if (total_ps[cause] > 0) {
      std::printf("%s %.3f us\n", canaletto_cause(cause), total_ps[cause] / 1e6 / completed);
    }
  }
}

std::uint64_t number(const std::string &word) {
  if (word.empty() || word.size() > 18 || word.find_first_not_of("0123456789") != std::string::npos || std::stoull(word) == 0) {
    throw std::runtime_error("got \"" + word + "\", expected a whole number from 1");
  }
  return std::stoull(word);
}

}  // namespace

int main(int count, char **words) {
  if (count != 4) {
    std::fprintf(stderr, "usage: closed_loop DESIGN OUTSTANDING REQUESTS\n");
    return 2;
  }
  try {
    const auto outstanding = number(words[2]), requests = number(words[3]);
    Drive drive(words[1]);
    run(drive, outstanding, requests);
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "closed_loop: %s\n", error.what());
    return 2;
  }
}
