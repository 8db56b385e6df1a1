// Contacts in systems whose events are followed where they are, beside the same run with all states stopped.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "slideway/model/from_network.hpp"
#include "slideway/simulate/simulator.hpp"

using namespace slideway;

namespace {

struct ContactChain {
  System system;
  Vector start;
};

// Bodies on springs to their neighbours above a floor each, which are shaken:
//     x' = v,   v' = −1 + x_before − 2 x + x_next + a sin(w t + p),   x ≥ 0
struct ShakenBody {
  Index bodies;
  double shaking;

  void guards(Index /*i*/, auto /*t*/, const auto& /*x*/, auto&& /*h*/) const {}
  void field(Index i, auto t, const auto& x, const auto& /*lambda*/, auto&& dx) const {
    using std::sin;
    const double own = 2 + std::sin(1.7 * static_cast<double>(i));
    auto force = -1.0 - 2.0 * x(i, 0) + shaking * sin(own * t + static_cast<double>(i));
    if (i > 0) force += x(i - 1, 0);
    if (i + 1 < bodies) force += x(i + 1, 0);
    dx[0] = x(i, 1);
    dx[1] = force;
  }
};

ContactChain bodies_above_floors(Index bodies, double restitution, double shaking) {
  std::vector<Contact> contacts;
  Vector start = Vector::Zero(2 * bodies);
  for (Index i = 0; i < bodies; ++i) {
    Contact contact;
    contact.name = "floor" + std::to_string(i);
    contact.gap = Guard([i](const auto& /*t*/, const auto& x) { return 1.0 * x[2 * i]; });
    contact.acts_on = [row = 2 * i + 1](double, ConstVectorRef, VectorRef b) { b[row] = 1; };
    contact.acts_on_states = std::vector<Index>{2 * i + 1};
    contact.restitution = [restitution](double) { return restitution; };
    contacts.push_back(std::move(contact));
    start[2 * i] = 1 + 0.8 * std::sin(2.1 * static_cast<double>(i));
  }
  const System system = from_network(ShakenBody{bodies, shaking}, {.cells = bodies, .states = 2});
  return {system.with_contacts(std::move(contacts)), start};
}

Solution run_chain(const ContactChain& chain, double end, double rtol, LocalEvents local) {
  Options options{.rtol = rtol};
  options.local_events = local;
  options.recording = Recording::nothing;
  return Simulator(chain.system, options).run({.start = 0, .end = end, .state = chain.start});
}

using Times = std::map<std::string, std::vector<std::pair<EventKind, double>>>;

Times times_of(const Solution& solution) {
  Times times;
  for (const EventRecord& event : solution.events)
    for (const std::string& name : event.surface_names) times[name].emplace_back(event.kind, event.t);
  return times;
}

void check_same_times(const Solution& local, const Solution& global, double most) {
  const Times mine = times_of(local);
  const Times theirs = times_of(global);
  CHECK(mine.size() == theirs.size());
  double furthest = 0;
  for (const auto& [name, events] : theirs) {
    CAPTURE(name);
    const auto found = mine.find(name);
    REQUIRE(found != mine.end());
    REQUIRE(found->second.size() == events.size());
    for (std::size_t k = 0; k < events.size(); ++k) {
      CHECK(found->second[k].first == events[k].first);
      furthest = std::max(furthest, std::abs(found->second[k].second - events[k].second));
    }
  }
  CHECK(furthest <= most);
}

void check_like_global(const ContactChain& chain, double end, std::size_t least_events) {
  const Solution exact = run_chain(chain, end, 1e-12, LocalEvents::off);
  CHECK(exact.events.size() > least_events);
  for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
    CAPTURE(rtol);
    const Solution local = run_chain(chain, end, rtol, LocalEvents::on);
    CHECK(local.outcome.reached_end());
    CHECK(local.warnings.empty());
    CHECK(local.final.mode == exact.final.mode);
    check_same_times(local, exact, 1e3 * rtol);
    CHECK((local.final.state - exact.final.state).lpNorm<Eigen::Infinity>() <= 1e3 * rtol);
  }
}

}  // namespace

TEST_CASE("bodies that bounce are followed where they are") {
  check_like_global(bodies_above_floors(40, 0.9, 0), 4, 60);
}

TEST_CASE("bodies that come to rest on their floors and leave them are followed where they are") {
  check_like_global(bodies_above_floors(40, 0, 2), 6, 100);
}
