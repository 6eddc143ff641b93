// PHOLD on SimGrid (s4u): one SimGrid actor per token, which sleeps for the delay and then changes the
// state of the node it was passed to.
//
// Usage: phold ACTORS UNTIL_S REMOTE LOOKAHEAD_S MEAN_S SEED. Prints one line: events, seconds for
// starting and running, processor seconds for the same, peak resident bytes.
//
// This favours SimGrid. The closer model, an actor per node and a message per event through mailboxes,
// makes its network model work for every event and is about ten times slower.

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

#include <simgrid/s4u.hpp>
#include <sys/resource.h>

namespace s4u = simgrid::s4u;

static double seconds_since(std::chrono::steady_clock::time_point began)
{
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

int main(int argc, char** argv)
{
  s4u::Engine engine(&argc, argv);
  if (argc != 7) {
    std::fprintf(stderr, "usage: phold ACTORS UNTIL_S REMOTE LOOKAHEAD_S MEAN_S SEED\n");
    return 2;
  }
  const auto actors        = std::strtoull(argv[1], nullptr, 10);
  const double until_s     = std::strtod(argv[2], nullptr);
  const double remote      = std::strtod(argv[3], nullptr);
  const double lookahead_s = std::strtod(argv[4], nullptr);
  const double mean_s      = std::strtod(argv[5], nullptr);
  std::mt19937_64 random(std::strtoull(argv[6], nullptr, 10));

  auto* zone = s4u::create_full_zone("zone");
  auto* host = zone->create_host("host", 1e9);
  zone->seal();

  std::vector<std::uint64_t> handled(actors, 0);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::uniform_int_distribution<std::size_t> any(0, actors - 1);
  for (std::size_t first = 0; first < actors; first++) {
    s4u::Actor::create("token", host, [&, first] {
      std::size_t node = first;
      while (true) {
        if (uniform(random) < remote)
          node = any(random);
        const double delay = lookahead_s - std::log(1.0 - uniform(random)) * mean_s;
        if (s4u::Engine::get_clock() + delay >= until_s)
          return;
        s4u::this_actor::sleep_for(delay);
        handled[node]++;
      }
    });
  }

  const auto began         = std::chrono::steady_clock::now();
  const auto cpu_began     = std::clock();
  engine.run();
  const double wall_s = seconds_since(began);
  const double cpu_s  = static_cast<double>(std::clock() - cpu_began) / CLOCKS_PER_SEC;

  std::uint64_t events = 0;
  for (const auto count : handled)
    events += count;
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%llu %.6f %.6f %lld\n", static_cast<unsigned long long>(events), wall_s, cpu_s,
              1024LL * usage.ru_maxrss);
  return 0;
}
