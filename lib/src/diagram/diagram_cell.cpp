#include "diagram/diagram_cell.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "slideway/orbit/periodic_orbit.hpp"

namespace slideway {

namespace {

// Moves of a begin off the attractor of a neighbour, in parts of ranges: where that attractor has become unstable, a solution leaves it.
constexpr double kMove = 0.02;
constexpr double kWideMove = 1;
// Times that a solution is followed on where its attractor may be another one.
constexpr int kFollowedOn = 2;

}  // namespace

std::vector<std::string> events_in(const std::string& signature) {
  std::vector<std::string> events(1);
  int depth = 0;
  for (const char letter : signature) {
    if (letter == '(') ++depth;
    if (letter == ')') --depth;
    if (letter == ' ' && depth == 0)
      events.emplace_back();
    else
      events.back() += letter;
  }
  std::erase_if(events, [](const std::string& event) { return event.empty(); });
  return events;
}

std::string turned_signature(const std::string& signature) {
  std::vector<std::string> events = events_in(signature);
  std::erase_if(events, [](const std::string& event) { return event.starts_with("grazing("); });
  std::vector<std::string> first = events, turned = events;
  for (std::size_t k = 1; k < events.size(); ++k) {
    std::rotate(turned.begin(), turned.begin() + 1, turned.end());
    first = std::min(first, turned);
  }
  std::string text;
  for (const std::string& event : first) text += (text.empty() ? "" : " ") + event;
  return text;
}

DiagramCell::DiagramCell(const DiagramProblem& problem, Index across, Index up) : problem_(problem) {
  try {
    const ModelInstance instance =
        problem.instance_at(problem.design().across.middle(across), problem.design().up.middle(up));
    initial_ = instance.state;
    map_ = problem.map_of(instance);
    catalogue_ = std::make_unique<AttractorCatalogue>(*map_);
  } catch (const std::invalid_argument& error) {
    refusal_ = error.what();
  }
}

// The begins to be tried in turn, until an attractor is found that is stable.
std::vector<Run> DiagramCell::begins_of(const std::optional<Iterate>& from) const {
  std::vector<Run> begins;
  if (from) {
    Iterate place = *from;
    place.t = map_->start();
    const Index moving = place.state.size() - problem_.discrete();
    for (const double move : {kMove, -kMove, kWideMove, -kWideMove, 0.0}) {
      Vector state = place.state;
      // States move by different parts and in different directions, so that no symmetry is kept.
      for (Index i = 0; i < moving; ++i)
        state[i] +=
            move / (1 + 0.3 * static_cast<double>(i)) * (i % 2 == 0 ? 1 : -1) * map_->grid().width()[i];
      begins.push_back(map_->run_on(place, state));
    }
  }
  begins.push_back(map_->run_from(map_->start(), initial_));
  return begins;
}

std::optional<CellEnd> DiagramCell::follow(const std::optional<Iterate>& from,
                                           const std::function<bool()>& is_cancelled) {
  CellEnd result{.other = "refused"};
  result.attractor.message = refusal_;
  if (!map_) return result;
  const AttractorMap::Lent lent(*map_);
  std::optional<CellEnd> unstable, other;
  const std::vector<Run> begins = begins_of(from);
  for (std::size_t k = 0; k < begins.size(); ++k) {
    if (is_cancelled()) return std::nullopt;
    const Run& run = begins[k];
    std::optional<StartEnd> end;
    int number = -1;
    try {
      end = follow_start(*map_, lent.simulator(), run, catalogue_->known_periodic(), {}, is_cancelled);
      if (!end) return std::nullopt;
      number = number_of(*end);
      for (int again = 0; again < kFollowedOn && end->found && is_doubtful(number); ++again) {
        const Iterate last = end->found->iterates.back();
        end = follow_start(*map_, lent.simulator(), map_->run_on(last, last.state),
                           catalogue_->known_periodic(), {}, is_cancelled);
        if (!end) return std::nullopt;
        number = number_of(*end);
      }
    } catch (const std::invalid_argument&) {
      continue;  // The mode of the neighbour does not hold there.
    }
    CellEnd found = told(number);
    if (found.other.empty() && found.attractor.stable) return found;
    std::optional<CellEnd>& kept = found.other.empty() ? unstable : other;
    // A begin within a wall tells nothing. After another end the initial values are left to be tried.
    if (!found.other.empty() && found.other != "refused") k = std::max(k, begins.size() - 2);
    if (!kept || kept->other == "refused") kept = std::move(found);
  }
  if (unstable) return unstable;
  return other ? *other : result;
}

int DiagramCell::number_of(const StartEnd& end) {
  if (end.found) return catalogue_->end_of(*end.found);
  return end.known >= 0 ? end.known : catalogue_->end_named(end.name, end.message);
}

// An attractor that is neither periodic nor chaotic may be a slow way to a periodic one.
bool DiagramCell::is_doubtful(int number) const {
  const BasinEnd& end = catalogue_->ends()[static_cast<std::size_t>(number)];
  if (!end.attractor) return false;
  const AttractorKind kind = catalogue_->attractors()[static_cast<std::size_t>(*end.attractor)].kind;
  return kind == AttractorKind::unresolved || kind == AttractorKind::quasiperiodic;
}

CellEnd DiagramCell::told(int number) {
  const BasinEnd& end = catalogue_->ends()[static_cast<std::size_t>(number)];
  CellEnd result{.number = number};
  if (!end.attractor) {
    result.other = end.name;
    result.attractor.message = end.message;
    return result;
  }
  result.attractor = catalogue_->attractors()[static_cast<std::size_t>(*end.attractor)];
  BasinAttractor& attractor = result.attractor;
  attractor.points.resize(1);
  // Orbits that shooting does not find have events, too.
  if (attractor.rounds > 0 && attractor.kind == AttractorKind::orbit && !attractor.matched) {
    const AttractorMap::Lent lent(*map_);
    Run run = map_->run_from(map_->start(), attractor.points[0]);
    run.location = attractor.location;
    run.end = run.start + static_cast<double>(attractor.rounds) * map_->step();
    try {
      attractor.signature = signature_of(lent.simulator().run(run));
    } catch (const std::invalid_argument& error) {
      attractor.message = error.what();
    }
  }
  attractor.signature = turned_signature(attractor.signature);
  return result;
}

std::optional<Iterate> DiagramCell::place_at(const CellEnd& end) {
  if (!end.other.empty() || end.attractor.points.empty()) return std::nullopt;
  return Iterate{
      .state = end.attractor.points[0], .location = end.attractor.location, .mode = end.attractor.mode};
}

}  // namespace slideway
