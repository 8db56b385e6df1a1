#include "basins/follow_start.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "slideway/simulate/live_run.hpp"

namespace slideway {

namespace {

constexpr Index kStepsOutside = 20;
constexpr Index kLongestPeriod = 64;   // in iterates
constexpr Index kRepeatedRounds = 60;  // of a period, before it is one: an orbit that repels is left by then
constexpr Index kMostRepeats = 1000;   // iterates of these rounds
constexpr Index kLocated = 1000;       // iterates that show an attractor that is not periodic
constexpr Index kStepsAtOrbit = 3;     // iterates at a periodic attractor
constexpr Index kStepsAtOthers = 10;   // and at others
constexpr Index kPrice = 2;            // of an iterate that is not there: its cells are not all known
constexpr Index kStepsInside = 2;      // iterates inside of a region
constexpr double kApproach = 0.5;      // the distance to a periodic attractor shrinks to this part

// The last iterates, and how long they have repeated those of a period before.
class Repetition {
 public:
  explicit Repetition(const AttractorMap& map)
      : map_(map), repeats_(static_cast<std::size_t>(kLongestPeriod) + 1, 0) {}

  // The shortest period that has repeated itself for long enough; 0: none.
  Index add(const Iterate& iterate) {
    const double settled = map_.settled(iterate.state);
    Index period = 0;
    for (Index p = 1; p <= std::min<Index>(kLongestPeriod, std::ssize(last_)); ++p) {
      const Iterate& before = last_[static_cast<std::size_t>(p - 1)];
      Index& count = repeats_[static_cast<std::size_t>(p)];
      const bool is_same =
          before.location == iterate.location && map_.grid().distance(iterate.state, before.state) <= settled;
      count = is_same ? count + 1 : 0;
      if (period == 0 && count >= std::min(kRepeatedRounds * p, kMostRepeats)) period = p;
    }
    last_.push_front(iterate);
    if (std::ssize(last_) > kLongestPeriod) last_.pop_back();
    return period;
  }
  // The last iterates, the oldest first.
  std::vector<Iterate> last(Index count) const {
    std::vector<Iterate> result;
    for (Index k = count - 1; k >= 0; --k) result.push_back(last_[static_cast<std::size_t>(k)]);
    return result;
  }

 private:
  const AttractorMap& map_;
  std::deque<Iterate> last_ = {};  // the newest first
  std::vector<Index> repeats_;     // by period
};

// How long a run has been at one known attractor.
class Capture {
 public:
  Capture(const AttractorMap& map, const KnownEnds& known) : map_(map), known_(known) {}

  // The end of the attractor that the run has come to; −1: none yet.
  int add(const Iterate& iterate) {
    const int at = known_.near(iterate.state, iterate.location);
    if (at < 0 && count_ > kPrice && !is_periodic(at_)) {
      count_ -= kPrice;
      return -1;
    }
    if (at < 0 || at != at_) {
      at_ = at;
      count_ = 0;
      if (at < 0) return -1;
    }
    ++count_;
    const KnownAttractor& attractor = known_.attractors()[static_cast<std::size_t>(at)];
    if (!is_periodic(at)) return count_ >= kStepsAtOthers ? attractor.end : -1;
    if (attractor.kind == AttractorKind::set) {
      const bool rests =
          count_ > attractor.rounds &&
          map_.grid().distance(iterate.state, before(attractor.rounds)) <= map_.settled(iterate.state);
      remember(iterate.state, attractor.rounds);
      return rests && count_ >= kStepsAtOrbit ? attractor.end : -1;
    }
    const double distance = known_.distance(at, iterate.state);
    if (count_ == 1) first_ = distance;
    const bool is_there = distance <= kApproach * first_ || distance <= map_.settled(iterate.state);
    return is_there && count_ >= kStepsAtOrbit ? attractor.end : -1;
  }

 private:
  bool is_periodic(int attractor) const {
    return known_.attractors()[static_cast<std::size_t>(attractor)].rounds > 0;
  }
  const Vector& before(Index rounds) const { return last_[static_cast<std::size_t>(rounds - 1)]; }
  void remember(const Vector& state, Index rounds) {
    if (count_ == 1) last_.clear();
    last_.push_front(state);
    if (std::ssize(last_) > rounds) last_.pop_back();
  }

  const AttractorMap& map_;
  const KnownEnds& known_;
  int at_ = -1;
  Index count_ = 0;
  double first_ = 0;
  std::deque<Vector> last_ = {};
};

class Following {
 public:
  Following(const AttractorMap& map, const KnownEnds& known, const SurroundingEnd& surrounding)
      : map_(map), known_(known), surrounding_(surrounding), repetition_(map), capture_(map, known) {}

  // True once the end is known.
  bool add(const Iterate& iterate, StartEnd& end) {
    const Vector& x = iterate.state;
    if (!x.allFinite()) return name(end, "left");
    if (map_.is_outside(x)) {
      if (++outside_ >= kStepsOutside) return name(end, "left");
    } else {
      outside_ = 0;
    }
    if (surrounding_ && iterate.location == home_) {
      const int colour = surrounding_(x);
      inside_ = colour >= 0 && colour == colour_ ? inside_ + 1 : colour >= 0 ? 1 : 0;
      colour_ = colour;
      if (inside_ >= kStepsInside) return know(end, colour);
    }
    const int captured = capture_.add(iterate);
    if (captured >= 0) return know(end, captured);
    if (const Index period = repetition_.add(iterate); period > 0) {
      end.found = FoundAttractor{repetition_.last(period), period};
      return true;
    }
    if (located_.empty()) {
      const bool was_here = !visited_.insert(map_.grid().key(x, iterate.location)).second;
      recurrences_ = was_here ? recurrences_ + 1 : 0;
      if (recurrences_ < map_.parts().recurrences) return false;
    }
    located_.push_back(iterate);
    if (std::ssize(located_) < kLocated) return false;
    end.found = FoundAttractor{std::move(located_), 0};
    return true;
  }

  void begin(const std::string& location) { home_ = location; }

 private:
  static bool name(StartEnd& end, const char* word) {
    end.name = word;
    return true;
  }
  static bool know(StartEnd& end, int number) {
    end.known = number;
    return true;
  }

  const AttractorMap& map_;
  const KnownEnds& known_;
  const SurroundingEnd& surrounding_;
  Repetition repetition_;
  Capture capture_;
  std::string home_ = {};
  std::unordered_set<CellKey> visited_ = {};
  Index recurrences_ = 0;
  std::vector<Iterate> located_ = {};
  Index outside_ = 0;
  Index inside_ = 0;
  int colour_ = -1;
};

// The name of an end that is no attractor. A stop is named by its event, since several stops are several ends.
std::string name_of(const LiveRun& live) {
  const Outcome& outcome = live.outcome();
  if (outcome.status != Status::stopped_by_event) return to_string(outcome.status);
  const EventLog& events = live.events();
  std::string name;
  for (const EventRecord& event : events)
    if (event.kind == EventKind::stop && event.name) name = *event.name;
  return name.empty() ? "stop" : "stop: " + name;
}

}  // namespace

std::optional<StartEnd> follow_start(const AttractorMap& map, const Simulator& simulator, const Run& run,
                                     const KnownEnds& known, const SurroundingEnd& surrounding,
                                     const std::function<bool()>& is_cancelled) {
  StartEnd end;
  std::optional<LiveRun> live;
  try {
    live.emplace(simulator.begin(run));
  } catch (const std::invalid_argument& error) {
    end.name = "refused";
    end.message = error.what();
    return end;
  }
  Following following(map, known, surrounding);
  following.begin(live->location());
  for (Index k = 1; k <= map.parts().most_steps; ++k) {
    if (is_cancelled()) return std::nullopt;
    const double t = run.start + static_cast<double>(k) * map.step();
    const Outcome& outcome = live->advance_to(t);
    if (!outcome.reached_end()) {
      // A solution that grows beyond all bounds in a finite time leaves the plane before.
      const bool has_left =
          !outcome.succeeded() && (!live->state().allFinite() || map.is_outside(live->state()));
      end.name = has_left ? "left" : name_of(*live);
      end.message = outcome.message;
      end.steps = k;
      return end;
    }
    end.steps = k;
    if (following.add({t, live->state(), live->location(), live->mode().word()}, end)) return end;
  }
  end.name = "unsettled";
  return end;
}

}  // namespace slideway
