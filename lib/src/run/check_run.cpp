#include "run/check_run.hpp"

#include <algorithm>
#include <cmath>

#include "core/number_text.hpp"
#include "simulate/precision.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/detail/model/evaluator.hpp"

namespace slideway {

namespace {

std::string where_of(const Mode& mode) {
  return "Simulator::run, Run::mode" + (is_readable(mode) ? " \"" + mode.word() + "\"" : "");
}

[[noreturn]] void refuse_mode(const Mode& mode, const std::string& what, double h) {
  refuse({.what = "the state is not where the mode to begin in says",
          .where = where_of(mode),
          .expected = what,
          .got = number_text(h),
          .advice = "leave Run::mode out to have it found"});
}

// answers() returns false where `ask` throws: what users' functions throw is told by the run.
template <class Ask>
bool answers(const Ask& ask) {
  try {
    ask();
    return true;
  } catch (...) {
    return false;
  }
}

// Misplacement tells how far the state and the time may be from where the mode says.
struct Misplacement {
  Vector error;
  double instant = 0;
  double of(ConstVectorRef gradient, double by_time) const {
    return gradient.cwiseAbs().dot(error) + std::abs(by_time) * instant;
  }
};

void check_contacts_in_mode(const System& system, const Run& run, const Misplacement& allowed) {
  const Mode& mode = *run.mode;
  const Vector still = Vector::Zero(system.states());
  Vector gradient(system.states());
  for (std::size_t c = 0; c < system.contacts().size(); ++c) {
    const Contact& contact = system.contacts()[c];
    const Side side = mode[system.surfaces() + static_cast<Index>(c)];
    if (side == Side::minus) {
      refuse({.what = "no contact is on the side '-'",
              .where = where_of(mode),
              .expected = "'+' where contact '" + contact.name + "' is open, or '0' where it is closed",
              .got = "'-'"});
    }
    if (side == Side::plus) continue;
    double gap = 0;
    bool is_closed = true;
    const bool is_told = answers([&] {
      gap = contact.gap.value(run.start, run.state);
      contact.gap.gradient(run.start, run.state, gradient);
      const double by_time = contact.gap.rate(run.start, run.state, 1, still);
      is_closed = !(std::abs(gap) > allowed.of(gradient, by_time));
    });
    if (is_told && !is_closed) refuse_mode(mode, "contact '" + contact.name + "' closed, its gap at 0", gap);
  }
}

// A mode that contradicts the guards would be followed without a sign of it.
void check_mode(const System& system, const Run& run, const Options& options) {
  const Mode& mode = *run.mode;
  const Index m = system.surfaces();
  Evaluator evaluator(system);
  Vector h(m), by_time(m), gradient(system.states());
  const Misplacement allowed{
      kMisplaced * (options.rtol * run.state.cwiseAbs() + options.atol.expand(system.states(), options.rtol)),
      kSameInstant * std::max(std::abs(run.start), run.end - run.start)};
  const bool is_told = answers([&] {
    evaluator.guards(run.start, run.state, h);
    evaluator.guards_dt(run.start, run.state, by_time);
    for (Index i = 0; i < m; ++i) {
      const double side = mode.slides_on(i) ? -std::abs(h[i]) : (mode[i] == Side::plus ? h[i] : -h[i]);
      if (!(side < 0)) continue;
      evaluator.guard_gradient(run.start, run.state, i, gradient);
      if (!(-side > allowed.of(gradient, by_time[i]))) h[i] = 0;
    }
  });
  for (Index i = 0; is_told && i < m; ++i) {
    const std::string guard = "the guard of '" + system.surface_names()[static_cast<std::size_t>(i)] + "'";
    if (mode.slides_on(i) && h[i] != 0) refuse_mode(mode, guard + " at 0, along which it slides", h[i]);
    if (mode[i] == Side::plus && h[i] < 0) refuse_mode(mode, guard + " >= 0", h[i]);
    if (mode[i] == Side::minus && h[i] > 0) refuse_mode(mode, guard + " <= 0", h[i]);
  }
  check_contacts_in_mode(system, run, allowed);
}

// system_begun_in() returns the system of a location, or of two locations between which the run slides.
System system_begun_in(const Automaton& automaton, const Run& run) {
  if (run.location.empty()) return automaton.system();
  const std::optional<System> system = automaton.system_at(run.location, run.start, run.state);
  return system ? *system : automaton.locations()[automaton.location_index(run.location)].system;
}

}  // namespace

void check_run(const Automaton& automaton, const Options& options, const Run& run) {
  const Index states = automaton.system().states();
  if (run.state.size() != states) {
    refuse({.what = "the initial state does not fit the system",
            .where = "Simulator::run, Run::state",
            .expected = std::to_string(states) + " numbers",
            .got = std::to_string(run.state.size())});
  }
  for (Index i = 0; i < run.state.size(); ++i) {
    if (!std::isfinite(run.state[i])) {
      refuse({.what = "an initial value is not finite",
              .where = "Simulator::run, state '" +
                       automaton.system().state_names()[static_cast<std::size_t>(i)] + "'",
              .expected = "a finite number",
              .got = number_text(run.state[i])});
    }
  }
  if (!std::isfinite(run.start) || !std::isfinite(run.end) || !(run.end >= run.start)) {
    refuse({.what = "the time span makes no sense",
            .where = "Simulator::run, Run::start and Run::end",
            .expected = "finite times with start <= end",
            .got = number_text(run.start) + " and " + number_text(run.end)});
  }
  const System begun = system_begun_in(automaton, run);
  const auto has_cone = [](const Contact& contact) { return contact.cone.has_value(); };
  const Index characters =
      begun.surfaces() + static_cast<Index>(begun.contacts().size()) +
      static_cast<Index>(std::count_if(begun.contacts().begin(), begun.contacts().end(), has_cone));
  if (run.mode && run.mode->size() != characters) {
    refuse({.what = "the mode to begin in does not fit the system",
            .where = "Simulator::run, Run::mode",
            .expected = std::to_string(characters) + (characters == 1 ? " character" : " characters") +
                        ", one per surface and contact, and one more per contact with friction in a plane",
            .got = "\"" + run.mode->word() + "\""});
  }
  for (const Contact& contact : begun.contacts()) {
    double gap = 0;
    if (!answers([&] { gap = contact.gap.value(run.start, run.state); })) continue;
    if (gap >= -kGapAtStart * std::max(1.0, run.state.lpNorm<Eigen::Infinity>())) continue;
    refuse({.what = "the initial state violates contact '" + contact.name + "'",
            .where = "Simulator::run, Run::state",
            .expected = "a gap >= 0",
            .got = number_text(gap)});
  }
  if (run.mode) check_mode(begun, run, options);
}

}  // namespace slideway
