// Forward Euler with fixed steps, plain and with Mosterman, Zhao & Biswas' Algorithm 1 along a surface.
#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>

#include <fmt/format.h>

#include "alternatives/relay_run.hpp"
#include "core/number_text.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

// Halvings that locate a switch within a step, to rounding.
constexpr int kLocatingHalvings = 50;
// kAcross tells how far Algorithm 1 steps across the surface, in steps.
constexpr double kAcross = 1e-3;
constexpr Index kMostBisections = 60;

class FixedStepRun {
 public:
  FixedStepRun(const System& system, const Options& options, const Run& run, const FixedSteps& steps,
               const char* where)
      : system_(checked(system, options, run, steps, where)),
        options_(options),
        run_(run),
        step_(steps.step),
        bisections_(steps.bisections),
        t_(run.start),
        x_(run.state),
        relays_(relays_at_start(system, run.start, run.state)),
        guards_(system.surfaces()),
        velocity_(system.states()),
        next_(system.states()),
        result_(system, options, run, relays_) {}

  Solution euler() {
    return guarded([this] {
      bool goes_on = true;
      while (goes_on && t_ < run_.end) {
        system_.guards(t_, x_, guards_);
        ++result_.solution.statistics.guard_evaluations;
        const std::optional<Index> turned = turn_to(guards_);
        if (turned && !result_.turn(t_, x_, *turned, relays_)) return false;
        const double length = next_length();
        field(t_, x_, relays_, velocity_);
        next_ = x_ + length * velocity_;
        goes_on = advance(length);
      }
      return goes_on;
    });
  }

  Solution algorithm_1() {
    return guarded([this] {
      while (t_ < run_.end) {
        const double length = next_length();
        field(t_, x_, relays_, velocity_);
        next_ = x_ + length * velocity_;
        const std::optional<Index> crossed = first_beyond(t_ + length, next_);
        if (crossed) {
          if (!switch_over(*crossed, length)) return false;
        } else if (!advance(length)) {
          return false;
        }
      }
      return true;
    });
  }

 private:
  static const System& checked(const System& system, const Options& options, const Run& run,
                               const FixedSteps& steps, const char* where) {
    check_relay_run(system, options, run, where);
    if (!(steps.step > 0) || !std::isfinite(steps.step)) {
      refuse({.what = "the step makes no sense",
              .where = std::string(where) + ", FixedSteps::step",
              .expected = "a number above 0",
              .got = fmt::format("{}", steps.step)});
    }
    if (steps.bisections < 1 || steps.bisections > kMostBisections) {
      refuse({.what = "the number of bisections makes no sense",
              .where = std::string(where) + ", FixedSteps::bisections",
              .expected = fmt::format("1 to {}", kMostBisections),
              .got = fmt::format("{}", steps.bisections)});
    }
    return system;
  }

  template <class Loop>
  Solution guarded(const Loop& loop) {
    try {
      if (loop()) result_.finish(Status::reached_end, t_);
    } catch (const std::exception& error) {
      result_.finish(Status::user_function_failed, t_, error.what());
    }
    return result_.take(t_, x_, relays_);
  }

  void field(double t, const Vector& x, const Vector& relays, Vector& velocity) {
    system_.field(t, x, relays, velocity);
    ++result_.solution.statistics.field_evaluations;
    ++result_.solution.statistics.integrator_evaluations;
  }

  double next_length() const { return std::min(step_, run_.end - t_); }

  // Moves on to next_; false when the run is over.
  bool advance(double length) {
    const double from = t_;
    // The last step ends at the end, whatever rounding says.
    const double to = length < step_ || !(t_ + length < run_.end) ? run_.end : t_ + length;
    result_.write_outputs(to, [&](double t, VectorRef x) { x = x_ + (t - from) / length * (next_ - x_); });
    t_ = to;
    x_.swap(next_);
    if (!x_.allFinite()) {
      result_.finish(
          Status::step_failure, t_,
          fmt::format("the state is not finite any more at t = {}; take smaller steps", number_text(t_)));
      return false;
    }
    if (++result_.solution.statistics.steps < options_.max_steps) return true;
    result_.finish(
        Status::step_limit, t_,
        fmt::format("the limit of {} steps is reached at t = {}", options_.max_steps, number_text(t_)));
    return false;
  }

  // Takes over the signs of the guards; the first relay that turned, if any.
  std::optional<Index> turn_to(const Vector& guards) {
    std::optional<Index> turned;
    for (Index i = 0; i < guards.size(); ++i) {
      if (guards[i] * relays_[i] >= 0) continue;
      relays_[i] = -relays_[i];
      if (!turned) turned = i;
    }
    return turned;
  }

  bool beyond(Index surface, double t, const Vector& x) {
    system_.guards(t, x, guards_);
    ++result_.solution.statistics.guard_evaluations;
    return guards_[surface] * relays_[surface] < 0;
  }
  std::optional<Index> first_beyond(double t, const Vector& x) {
    system_.guards(t, x, guards_);
    ++result_.solution.statistics.guard_evaluations;
    for (Index i = 0; i < guards_.size(); ++i) {
      if (guards_[i] * relays_[i] < 0) return i;
    }
    return std::nullopt;
  }

  // The step that is in velocity_ would leave the mode: goes to the first switch within it, and on from there.
  bool switch_over(Index surface, double length) {
    double inside = 0;
    double outside = length;
    Vector point = x_;
    for (int k = 0; k < kLocatingHalvings; ++k) {
      const double middle = 0.5 * (inside + outside);
      point = x_ + middle * velocity_;
      if (const auto crossed = first_beyond(t_ + middle, point)) {
        outside = middle;
        surface = *crossed;
      } else {
        inside = middle;
      }
    }
    next_ = x_ + outside * velocity_;
    if (outside > 0 && !advance_part(outside)) return false;
    relays_[surface] = -relays_[surface];
    if (!result_.turn(t_, x_, surface, relays_)) return false;
    if (!(t_ < run_.end)) return true;

    // The new mode persists if a step in it stays in it.
    const double whole = next_length();
    field(t_, x_, relays_, velocity_);
    next_ = x_ + whole * velocity_;
    if (!beyond(surface, t_ + whole, next_)) return !first_beyond(t_ + whole, next_) ? advance(whole) : true;
    return slide(surface);
  }

  bool advance_part(double length) {
    const double from = t_;
    const double to = std::min(t_ + length, run_.end);
    result_.write_outputs(to, [&](double t, VectorRef x) { x = x_ + (t - from) / length * (next_ - x_); });
    t_ = to;
    x_.swap(next_);
    ++result_.solution.statistics.steps;
    return true;
  }

  // Algorithm 1, on entry in mode α on the surface. Leaves when a step from one side stays on it.
  bool slide(Index surface) {
    Vector other(relays_.size()), velocity_beta(x_.size()), from_alpha(x_.size()), from_beta(x_.size());
    while (t_ < run_.end) {
      const double length = next_length();
      other = relays_;
      other[surface] = -relays_[surface];
      field(t_, x_, relays_, velocity_);
      from_alpha = x_ + length * velocity_;
      if (!beyond(surface, t_ + length, from_alpha)) {
        // α persists. The step that shows it is taken, or rounding might undo it.
        next_ = from_alpha;
        return advance(length);
      }
      const double across = kAcross * length;
      next_ = x_ + across * velocity_;
      field(t_ + across, next_, other, velocity_beta);
      from_beta = next_ + length * velocity_beta;
      if (beyond(surface, t_ + across + length, from_beta)) {
        // β persists, likewise.
        relays_ = other;
        next_ = from_beta;
        return result_.turn(t_, x_, surface, relays_) && advance_part(across + length);
      }
      double part = 0.5;
      double accuracy = 0.25;
      bool on_alpha = false;
      for (Index k = 0; k < bisections_; ++k) {
        next_ = from_alpha + part * (from_beta - from_alpha);
        on_alpha = !beyond(surface, t_ + length, next_);
        part += on_alpha ? -accuracy : accuracy;
        accuracy *= 0.5;
      }
      if (!advance(length)) return false;
      if (!on_alpha) relays_ = other;
      system_.guards(t_, x_, guards_);
      for (Index i = 0; i < guards_.size(); ++i) {
        if (i == surface || guards_[i] * relays_[i] >= 0) continue;
        relays_[i] = -relays_[i];
        if (!result_.turn(t_, x_, i, relays_)) return false;
        if (!persists(i)) {
          result_.finish(
              Status::chattering, t_,
              fmt::format("a second surface, '{}', chatters at t = {}; Algorithm 1 knows two modes at a time",
                          system_.surface_names()[static_cast<std::size_t>(i)], number_text(t_)));
          return false;
        }
      }
    }
    return true;
  }

  // persists() tells whether the mode just entered across a second surface lasts for a step, on either side of
  // the first.
  bool persists(Index surface) {
    const double length = std::min(step_, std::max(run_.end - t_, 0.0));
    field(t_, x_, relays_, velocity_);
    next_ = x_ + length * velocity_;
    return !beyond(surface, t_ + length, next_);
  }

  const System& system_;
  const Options& options_;
  const Run& run_;
  double step_;
  Index bisections_;
  double t_;
  Vector x_, relays_, guards_, velocity_, next_;
  RelayRun result_;
};

}  // namespace

Solution run_euler(const System& system, const Options& options, const Run& run, const FixedSteps& steps) {
  return FixedStepRun(system, options, run, steps, "run_euler").euler();
}

Solution run_algorithm_1(const System& system, const Options& options, const Run& run,
                         const FixedSteps& steps) {
  return FixedStepRun(system, options, run, steps, "run_algorithm_1").algorithm_1();
}

}  // namespace slideway
