#include "basins/map_drive.hpp"

#include <stdexcept>

#include "core/number_text.hpp"
#include "orbit/schedule.hpp"
#include "orbit/time_dependence.hpp"
#include "simulate/plain_options.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/orbit/periodic_orbit.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway {

namespace {

constexpr double kRepeats = 1e-6;  // a change of the equations below this is rounding of the period

}  // namespace

MapDrive find_map_drive(const MapDriveQuestion& question) {
  const Automaton& problem = question.problem;
  const std::optional<double> schedule = schedule_period(problem);
  MapDrive drive{.step = question.step.value_or(schedule.value_or(0))};
  // Some solution shows whether the equations are others at other times.
  const Options dense = plain_options(question.run, Recording::dense);
  const double length = drive.step > 0 ? 2 * drive.step : question.length;
  Solution seen;
  for (const Vector& state : question.tried) {
    try {
      seen = Simulator(problem, dense)
                 .run({.start = question.start, .end = question.start + length, .state = state});
    } catch (const std::invalid_argument&) {
      continue;  // No solution begins there, as within a wall.
    }
    if (seen.outcome.t > question.start) break;
  }
  const bool is_seen = !seen.trajectory.empty() && seen.trajectory.end() > seen.trajectory.start();
  drive.is_driven = schedule.has_value() || (is_seen && depends_on_time(problem, seen));
  if (!drive.is_driven) return drive;
  if (!(drive.step > 0))
    refuse({.what = "the equations depend on time",
            .where = question.where,
            .expected = "the period of the drive",
            .got = "none"});
  check_schedule(problem, question.start, drive.step, question.where);
  const Vector clocks = Vector::Zero(problem.system().states());
  if (is_seen && change_by_shift(problem, seen, drive.step, clocks) > kRepeats)
    refuse({.what = "the equations do not repeat themselves after the step",
            .where = question.where,
            .expected = "the period of the drive, or a multiple of it",
            .got = number_text(drive.step)});
  return drive;
}

// A start at the time of a time event is one before it, and an iterate is one after it.
bool acts_at_iterates(const Automaton& problem, double start, double step) {
  return is_near_known_time(problem, start + step) || is_near_known_time(problem, start);
}

}  // namespace slideway
