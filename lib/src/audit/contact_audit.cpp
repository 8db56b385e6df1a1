#include "audit/contact_audit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "audit/bounded_fit.hpp"

namespace slideway::auditing {
namespace {

// A gap that depends on nothing that has errors is zero up to its rounding.
constexpr double kGapRounding = 1e-13;
// Slip has a direction where it is this many times what draws of the errors do to it; below, friction may have any.
constexpr double kSlips = 20;
// The fit has as many unknowns as there are columns, and becomes slow beyond.
constexpr std::size_t kMostColumns = 24;

}  // namespace

double ContactAudit::gap(const WrittenContact& contact, double t, const Vector& x) {
  field_.tree().set_point(t, x.data(), nullptr, nullptr);
  return field_.tree().value(contact.gap, {contact.i, 0});
}

double ContactAudit::move_of(const WrittenContact& contact, double gap_here, double t, PointErrors& errors) {
  double move = 0;
  for (const Draw& there : errors.draws()) {
    const RoundingByChance rounding(field_, there.rounding);
    move = std::max(move, std::abs(gap(contact, t, there.x) - gap_here));
  }
  return move;
}

void ContactAudit::look(double t, const Vector& x, PointErrors& errors) {
  for (std::size_t k = 0; k < field_.contacts().size(); ++k) {
    const WrittenContact& contact = field_.contacts()[k];
    const double here = gap(contact, t, x);
    if (!(here < -kGapRounding) || !(here < -kSure * move_of(contact, here, t, errors) - kGapRounding))
      continue;
    double most = 0;
    errors.for_each_error([&](const Draw& there) {
      const RoundingByChance rounding(field_, there.rounding);
      most += std::abs(gap(contact, t, there.x) - here);
    });
    if (!(here < -kSure * most - kGapRounding)) continue;
    const std::string name = name_of(contact);
    findings_.fail(
        "gap " + std::to_string(k), name, t,
        fmt::format("the gap of {} is {:.6g} at t = {:.6g}, but it may not be negative", name, here, t));
  }
}

std::vector<NearContact> ContactAudit::near(double t, const Vector& x, PointErrors& errors) {
  std::vector<NearContact> found;
  for (const WrittenContact& contact : field_.contacts()) {
    const double here = gap(contact, t, x);
    const double move = move_of(contact, here, t, errors);
    if (here <= kSure * move + kGapRounding) found.push_back({&contact, move});
  }
  field_.tree().set_point(t, x.data(), nullptr, nullptr);
  return found;
}

std::vector<double> ContactAudit::velocities(const WrittenContact& contact, double t, const Vector& x) {
  field_.tree().set_point(t, x.data(), nullptr, nullptr);
  std::vector<double> found;
  for (const Root velocity : contact.velocities)
    found.push_back(field_.tree().value(velocity, {contact.i, 0}));
  return found;
}

ForceColumns ContactAudit::columns(double t, const Vector& x, const std::vector<NearContact>& near,
                                   bool any_direction) {
  ForceColumns found;
  WrittenTree& tree = field_.tree();
  const auto n = static_cast<Index>(field_.states());
  const Vector tol = errors_.tolerances(x);
  for (std::size_t k = 0; k < near.size(); ++k) {
    const WrittenContact& contact = *near[k].contact;
    const auto add = [&](const Vector& column) {
      found.columns.push_back(column);
      found.owners.push_back(k);
    };
    const std::vector<double> beside = velocities(contact, t, errors_.moved(x, tol, 11));
    const std::vector<double> other = velocities(contact, t, errors_.moved(x, tol, 12));
    const std::vector<double> slip = velocities(contact, t, x);
    const auto vector_of = [&](const std::vector<Line>& lines) {
      Vector b = Vector::Zero(n);
      for (const Line& line : lines) b[line.state] = tree.value(line.value, line.at);
      return b;
    };
    const Vector normal = vector_of(contact.acts_on);
    if (slip.empty()) {
      add(normal);
      continue;
    }
    double size = 0, reach = 0;
    for (std::size_t j = 0; j < slip.size(); ++j) {
      size = std::hypot(size, slip[j]);
      reach += std::abs(beside[j] - slip[j]) + std::abs(other[j] - slip[j]);
    }
    const double mu = tree.value(contact.coefficient, {contact.i, 0});
    const double at_rest =
        contact.at_rest == no_root ? mu : std::max(mu, tree.value(contact.at_rest, {contact.i, 0}));
    std::vector<Vector> along;
    for (const auto& part : contact.friction) along.push_back(vector_of(part));
    if (size > kSlips * reach && !any_direction) {
      Vector column = normal;
      for (std::size_t j = 0; j < along.size(); ++j) column -= mu * slip[j] / size * along[j];
      add(column);
    } else if (along.size() == 1) {
      add(normal + at_rest * along[0]);
      add(normal - at_rest * along[0]);
    } else {
      // A polygon around the cone's circle.
      constexpr int corners = 8;
      for (int j = 0; j < corners; ++j) {
        const double angle = 2 * std::numbers::pi * j / corners;
        const double radius = at_rest / std::cos(std::numbers::pi / corners);
        add(normal + radius * (std::cos(angle) * along[0] + std::sin(angle) * along[1]));
      }
    }
  }
  return found;
}

// The rate of a gap along the field without forces: these act on the second derivative of the gap alone.
ContactAudit::Speed ContactAudit::rate(const WrittenContact& contact, const std::string& location, double t,
                                       const Vector& x) {
  Vector f;
  const auto known = static_cast<Index>(field_.states());
  if (!field_.derivatives(location, t, x.data(), nullptr, nullptr, f)) return {std::nan(""), 0};
  // kStep is about ε^(1/3), at which the error of a central difference, of order kStep², and rounding over kStep are alike.
  constexpr double kStep = 1e-5;
  const double size = std::max(x.head(known).norm(), std::numeric_limits<double>::min());
  const double dt = kStep * size / std::max(f.norm(), std::numeric_limits<double>::min());
  const auto gap_after = [&](double step) {
    Vector there = x;
    there.head(known) += step * f;
    return gap(contact, t + step, there);
  };
  const auto difference = [&](double step) { return (gap_after(step) - gap_after(-step)) / (2 * step); };
  const double value = difference(dt);
  // The error of a central difference is four times as large at twice the step.
  const double truncation = std::abs(difference(2 * dt) - value) / 3;
  // The clock, the states and the terms of both gaps are rounded. Draws of several roundings do not cancel in a difference of states.
  constexpr double rounded = 8 * std::numeric_limits<double>::epsilon();
  const double here = gap(contact, t, x);
  double rounding = std::abs(gap(contact, t * (1 + rounded), x) - here);
  for (const std::uint64_t draw : {24, 25, 26, 27})
    rounding =
        std::max(rounding, std::abs(gap(contact, t, errors_.moved(x, rounded * x.cwiseAbs(), draw)) - here));
  return {value, truncation + rounding / dt};
}

ContactAudit::Speed ContactAudit::speed(const WrittenContact& contact, const std::string& location, double t,
                                        const Vector& x) {
  const Vector tol = errors_.tolerances(x);
  Speed found = rate(contact, location, t, x);
  double move = 0;
  for (const std::uint64_t draw : {21, 22, 23})
    move =
        std::max(move, std::abs(rate(contact, location, t, errors_.moved(x, tol, draw)).value - found.value));
  found.move += move;
  return found;
}

void ContactAudit::judge_restitution(const WrittenContact& contact, const EventRecord& record,
                                     const Speed& approach, const Speed& departure) {
  if (!(approach.value < -kSure * approach.move)) return;
  WrittenTree& tree = field_.tree();
  const auto departs = [&](double speed) {
    tree.set_impact(speed);
    tree.set_point(record.t, record.before.data(), nullptr, nullptr);
    return contact.restitution == no_root ? 0 : speed * tree.value(contact.restitution, {contact.i, 0});
  };
  const double wanted = departs(-approach.value);
  // A restitution that falls with the speed is as uncertain as this.
  const double reach = std::abs(departs(-approach.value + kSure * approach.move) - wanted) +
                       std::abs(departs(-approach.value - kSure * approach.move) - wanted);
  const double allowed = kSure * (approach.move + departure.move) + reach;
  if (!(std::abs(departure.value - wanted) > allowed)) return;
  const std::string name = name_of(contact);
  findings_.fail(
      "restitution " + name, name, record.t,
      fmt::format("the impact of {} at t = {:.6g} turns the gap's speed {:.6g} into {:.6g}, but its "
                  "restitution makes it {:.6g}",
                  name, record.t, approach.value, departure.value, wanted));
}

void ContactAudit::judge_impact(const std::string& location, const EventRecord& record) {
  if (!any() || record.before.size() != record.after.size() || record.before.size() == 0) return;
  const auto n = static_cast<Index>(field_.states());
  const double t = record.t;
  const Vector& x = record.before;
  const Vector tol = errors_.tolerances(x);
  PointErrors errors(errors_, x, 31);
  look(t, x, errors);
  const std::vector<NearContact> hit = near(t, x, errors);
  const ForceColumns forces = columns(t, x, hit, true);
  if (forces.columns.size() > kMostColumns) return;
  Vector left, allowed;
  // States that follow algebraic variables are judged beside the motion.
  const std::vector<Follower> followers = field_.followers(t, record.after.data());
  field_.tree().set_point(t, x.data(), nullptr, nullptr);
  field_.left_side((record.after - x).head(n), tol.head(n), left, allowed);
  allowed *= kSure;
  for (Index k = 0; k < n; ++k) allowed[k] = std::max(allowed[k], std::numeric_limits<double>::min());
  const auto residual = [&](const Vector& z, Vector& r) {
    r = left;
    for (std::size_t k = 0; k < forces.columns.size(); ++k) r -= z[static_cast<Index>(k)] * forces.columns[k];
    r = r.cwiseQuotient(allowed);
    for (Index k = errors_.discrete_from; k < n; ++k) r[k] = 0;
    for (const Follower& one : followers) r[static_cast<Index>(one.state)] = 0;
  };
  const std::vector<Bounds> bounds(forces.columns.size(), {0, std::numeric_limits<double>::max()});
  const Vector found = bounded_fit(residual, Vector::Zero(static_cast<Index>(bounds.size())), bounds);
  Vector r;
  residual(found, r);
  Index row = 0;
  if (!r.allFinite()) return;
  if (r.cwiseAbs().maxCoeff(&row) > 1) {
    const std::string name = record.name.value_or("a contact");
    findings_.fail(
        "impulse " + name, name, t,
        fmt::format("the impact of {} at t = {:.6g} changes the state in a way that no impulse of the "
                    "contacts that are closed there can give",
                    name, t));
    return;
  }
  double work = 0, most = 0;
  bool has_friction = false;
  std::vector<double> impulses(hit.size(), 0);
  for (std::size_t k = 0; k < forces.owners.size(); ++k)
    impulses[forces.owners[k]] += found[static_cast<Index>(k)];
  for (std::size_t k = 0; k < hit.size(); ++k) {
    const WrittenContact& contact = *hit[k].contact;
    const Speed approach = speed(contact, location, t, x);
    const Speed departure = speed(contact, location, t, record.after);
    if (std::isnan(approach.value) || std::isnan(departure.value)) return;
    has_friction = has_friction || !contact.velocities.empty();
    work += 0.5 * impulses[k] * (approach.value + departure.value);
    most += 0.5 * impulses[k] * kSure * (approach.move + departure.move);
    // Newton's law holds with friction, too; Poisson's is the same without.
    if (hit.size() == 1 && (contact.velocities.empty() || contact.law == ImpactLaw::newton))
      judge_restitution(contact, record, approach, departure);
  }
  // Impulses of friction do work as well, and by Newton's law they may give some.
  if (has_friction || !(work > most)) return;
  const std::string name = record.name.value_or("a contact");
  findings_.fail("energy " + name, name, t,
                 fmt::format("the impact of {} at t = {:.6g} makes energy: its impulses do the work {:.6g}",
                             name, t, work));
}

}  // namespace slideway::auditing
