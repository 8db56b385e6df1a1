#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "audit/bounded_fit.hpp"
#include "audit/written_field.hpp"
#include "slideway/audit/audit.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

using auditing::Bounds;
using auditing::Line;
using auditing::Met;
using auditing::Sides;
using auditing::SiteKey;
using auditing::WrittenContact;
using auditing::WrittenEvent;
using auditing::WrittenField;

namespace {

// C of the defect, see audit.hpp. The largest defect on the gallery, by each file's own method and tolerance, is 136 times the rest of
// what is allowed: the interpolant of dopri5 has it. Three times that is 408; the next power of ten leaves room for other methods.
constexpr double kDefect = 1000;
// A guard, a gap or a condition is undecided within this many times what errors within the tolerances do to it.
constexpr double kOpen = 20;
constexpr double kGap = 100;
// The nodes at which a step is looked at: Chebyshev's, which give the derivative of a polynomial of degree 7 exactly.
constexpr int kNodes = 8;
// Rounding of the derivative that is taken from the nodes, in units of ε·|x|/h.
constexpr double kRounding = 2000;
// More unknowns of a sliding point, or of closed contacts, than these are judged by ranges, or not at all.
constexpr std::size_t kMostOpen = 5;
constexpr std::size_t kMostForces = 24;
constexpr std::size_t kMostFailures = 12;

std::uint64_t hash_of(std::uint64_t a) {
  a += 0x9E3779B97F4A7C15ULL;
  a = (a ^ (a >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  a = (a ^ (a >> 27U)) * 0x94D049BB133111EBULL;
  return a ^ (a >> 31U);
}
// In [0, 1).
double fraction_of(std::uint64_t a) { return static_cast<double>(hash_of(a) >> 11U) * 0x1p-53; }

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

bool is_jump(EventKind kind) {
  return kind == EventKind::reset || kind == EventKind::sample || kind == EventKind::transition ||
         kind == EventKind::impact || kind == EventKind::zeno;
}

}  // namespace

AuditLevel audit_level_from(const std::string& word) {
  const std::vector<std::string> words = audit_level_words();
  const auto place = std::find(words.begin(), words.end(), word);
  if (place == words.end())
    refuse(
        {.what = "there is no such audit", .where = "audit", .expected = "off, quick or full", .got = word});
  return static_cast<AuditLevel>(place - words.begin());
}

std::vector<std::string> audit_level_words() { return {"off", "quick", "full"}; }

const char* to_string(AuditVerdict verdict) {
  switch (verdict) {
    case AuditVerdict::passed: return "passed";
    case AuditVerdict::failed: return "failed";
    default: return "not_made";
  }
}

std::string audit_line(const AuditResult& result) {
  if (result.verdict == AuditVerdict::not_made) return "not made";
  std::string line = result.verdict == AuditVerdict::passed ? "passed" : "FAILED";
  if (result.undecided * 10 > result.points)
    line += fmt::format(" at {} of {} points", result.points - result.undecided, result.points);
  if (result.verdict == AuditVerdict::passed && !result.worst_state.empty())
    line += fmt::format(" (largest defect {:.2g} of what is allowed, of {} at t = {:.6g})", result.worst,
                        result.worst_state, result.worst_t);
  return line;
}

class Auditor::Listener {
 private:
  // Findings are the parts of the result; a failure is kept once under its key.
  struct Findings {
    long long points = 0;
    long long undecided = 0;
    double worst = 0;
    double worst_t = 0;
    std::string worst_state;
    std::map<std::string, AuditFailure> failures;
  };

 public:
  Listener(std::shared_ptr<const WrittenModel> written, const ModelInstance& instance, const Options& options,
           AuditLevel level)
      : written_(std::move(written)),
        instance_(instance),
        level_(level),
        rule_(options.sliding_rule),
        rtol_(options.rtol) {
    if (level == AuditLevel::off || !written_) return;
    field_ = std::make_unique<WrittenField>(*written_);
    const Index n = instance.system.states();
    atol_ = options.atol.expand(n, options.rtol);
    discrete_from_ = n - instance.system.discrete();
    held_ = instance.state;
    held_is_known_ = held_.size() == n;
    margins_.resize(field_->events().size());
  }

  bool is_on() const { return field_ != nullptr; }

  void step(const StepView& step) {
    if (steps_ == 0) begin(step.start);
    ++steps_;
    const double h = step.end - step.start;
    const bool is_first =
        std::exchange(after_event_, false) && (level_ == AuditLevel::full || ++after_events_ < 60);
    bool is_long = h > 1.5 * longest_;
    longest_ = std::max(longest_, h);
    if (level_ == AuditLevel::quick) {
      if (!(is_first || is_long || steps_ <= 4 || hash_of(steps_) % stride_ == 0)) return;
      if (findings_.points > most_points()) return;
      if (++chosen_ % 32 == 0) stride_ *= 2;
    }
    const double scale = std::max(std::abs(step.start), std::abs(step.end));
    if (!(h > 1e4 * std::numeric_limits<double>::epsilon() * scale) || !(h > 0)) return;
    look_at(step, h, is_long);
  }

  void event(const EventRecord& record) {
    after_event_ = true;
    if (record.name) recorded_[*record.name] = record.t;
    last_record_ = record.t;
    // A step may come before the records inside it.
    std::erase_if(missed_, [&](const Missed& one) {
      const double rounding = 1e-9 * (1 + std::abs(record.t));
      return record.t >= one.from - rounding && record.t <= one.to + rounding &&
             (one.name.empty() || (record.name && *record.name == one.name));
    });
    if (is_jump(record.kind)) last_jump_ = record.t;
    if (sets_states(record.kind)) {
      held_is_known_ = record.after.size() == instance_.system.states();
      if (held_is_known_) held_ = record.after;
    }
    if (judged_records_ < 100 && record.before.size() == instance_.system.states()) judge(record);
  }

  AuditResult result() {
    AuditResult found;
    if (!is_on()) return found;
    for (const Missed& one : missed_) fail(one.key, one.name, one.to, one.text);
    found.points = findings_.points;
    found.undecided = findings_.undecided;
    found.worst = findings_.worst;
    found.worst_state = findings_.worst_state;
    found.worst_t = findings_.worst_t;
    for (const auto& [key, failure] : findings_.failures) found.failures.push_back(failure);
    std::stable_sort(found.failures.begin(), found.failures.end(),
                     [](const AuditFailure& a, const AuditFailure& b) { return a.from < b.from; });
    found.verdict = found.failures.empty() ? AuditVerdict::passed : AuditVerdict::failed;
    return found;
  }

 private:
  // The points of a quick audit: a large system is looked at in few of them.
  long long most_points() const {
    return std::clamp<long long>(200'000 / std::max<Index>(1, instance_.system.states()), 8, 400);
  }

  // Resets, time events and edges set states. Where impacts accumulate, nothing does.
  bool sets_states(EventKind kind) const {
    return kind == EventKind::reset || kind == EventKind::sample || kind == EventKind::transition ||
           (kind == EventKind::zeno && field_->has_resets());
  }

  void fail(const std::string& key, const std::string& state, double t, const std::string& text) {
    const auto found = findings_.failures.find(key);
    if (found != findings_.failures.end()) {
      found->second.to = t;
      return;
    }
    if (findings_.failures.size() < kMostFailures) findings_.failures[key] = {t, t, state, text};
  }

  const std::string& name_of(Index k) const {
    return instance_.system.state_names()[static_cast<std::size_t>(k)];
  }

  // Margins of events at the start: an event that is zero there and moves in its direction fires at once.
  void begin(double t) {
    auditing::WrittenTree& tree = field_->tree();
    const Vector& x = instance_.state;
    if (x.size() != instance_.system.states()) return;
    tree.set_point(t, x.data(), nullptr, nullptr);
    const std::vector<WrittenEvent>& events = field_->events();
    for (std::size_t k = 0; k < events.size(); ++k) {
      const double value = tree.margin(events[k].when, {events[k].i, 0});
      if (value == 0 && !events[k].waits && !tree.is_condition(events[k].when))
        margins_[k] = {true, value, t};
    }
  }

  void look_at(const StepView& step, double h, bool is_long) {
    const Index n = instance_.system.states();
    // A hash moves the nodes, so that nobody can tune to them.
    const double low = step.start + 0.1 * h * fraction_of(2 * steps_);
    const double high = step.end - 0.1 * h * fraction_of(2 * steps_ + 1);
    Matrix states(n, kNodes);
    double nodes[kNodes];
    for (int k = 0; k < kNodes; ++k) {
      const double place = std::cos((2 * (kNodes - k) - 1) * 3.14159265358979323846 / (2 * kNodes));
      nodes[k] = 0.5 * (low + high) + 0.5 * (high - low) * place;
      step.evaluate(nodes[k], states.col(k));
    }
    if (!states.allFinite()) return;
    check_held(states, nodes[0]);
    const std::uint64_t chance = hash_of(7 * steps_);
    const int first = static_cast<int>(chance % 4);
    const int second = 4 + static_cast<int>((chance >> 8U) % 4);
    for (int k = 0; k < kNodes; ++k) {
      const bool is_wanted = k == first || k == second || (is_long && level_ == AuditLevel::full);
      if (is_wanted) check_point(step, h, nodes, states, k);
    }
  }

  // Discrete states keep the bits that they were given.
  void check_held(const Matrix& states, double t) {
    const Index n = states.rows();
    const auto known = static_cast<Index>(field_->states());
    for (Index k = discrete_from_; k < n; ++k) {
      const double value = states(k, 0);
      const double other = states(k, kNodes - 1);
      const bool is_moved = !same_bits(value, other);
      const bool is_wrong = held_is_known_ && !same_bits(value, held_[k]) && !(value == 0 && held_[k] == 0);
      if (k < known && (is_moved || is_wrong)) {
        const double before = is_wrong ? held_[k] : value;
        fail("held " + name_of(k), name_of(k), t,
             fmt::format("the discrete state {} is {:.6g} from t = {:.6g} on, but it was last set to {:.6g}",
                         name_of(k), is_wrong ? value : other, t, before));
      }
    }
    if (!held_is_known_) {
      held_ = states.col(0);
      held_is_known_ = true;
    }
  }

  Vector tolerances(const Vector& x) const { return rtol_ * x.cwiseAbs() + atol_; }

  // x moved by errors within the tolerances.
  Vector moved(const Vector& x, const Vector& tol, std::uint64_t draw, double size = 1) const {
    Vector result = x;
    for (Index k = 0; k < discrete_from_; ++k) {
      const std::uint64_t chance = hash_of(draw * 1'000'003 + static_cast<std::uint64_t>(k));
      const double part = 0.5 + 0.5 * fraction_of(chance);
      result[k] += size * ((chance & 1U) != 0 ? part : -part) * tol[k];
    }
    return result;
  }

  // The derivative at node k of what goes through all nodes.
  static Vector rates_at(const double* nodes, const Matrix& states, int k) {
    Vector rates = Vector::Zero(states.rows());
    double weights[kNodes];
    for (int j = 0; j < kNodes; ++j) {
      weights[j] = 1;
      for (int i = 0; i < kNodes; ++i)
        if (i != j) weights[j] /= (nodes[j] - nodes[i]) / (nodes[kNodes - 1] - nodes[0]);
    }
    for (int j = 0; j < kNodes; ++j)
      if (j != k)
        rates += (weights[j] / weights[k] / (nodes[k] - nodes[j])) * (states.col(j) - states.col(k));
    return rates;
  }

  void check_point(const StepView& step, double h, const double* nodes, const Matrix& states, int node) {
    ++findings_.points;
    const double t = nodes[node];
    const std::string& location = step.location;
    const auto n = static_cast<Index>(field_->states());
    Vector x = states.col(node);
    // The discrete states are those that were set.
    for (Index k = discrete_from_; k < x.size(); ++k) x[k] = held_[k];
    const Vector tol = tolerances(x);
    const Vector rates = rates_at(nodes, states, node);

    Met met;
    Vector f;
    if (!field_->derivatives(location, t, x.data(), nullptr, &met, f)) {
      ++findings_.undecided;
      return;
    }
    Vector left, allowed;
    Vector scale(n);
    // Rounding: that of differences of the states, and that of time.
    const double epsilon = std::numeric_limits<double>::epsilon();
    for (Index k = 0; k < n; ++k) {
      const double size = states.row(k).cwiseAbs().maxCoeff();
      scale[k] = tol[k] / h + kRounding / kDefect * epsilon * size / h +
                 std::abs(rates[k]) * epsilon * std::abs(t) / h;
    }
    field_->left_side(rates.head(n), scale, left, allowed);
    check_followers(t, x, tol);

    Sides frozen;
    // A sign of exactly zero is no side: errors decide it.
    for (const auto& [key, site] : met)
      if (site.side != 0) frozen[key] = site.side;
    std::map<SiteKey, double> moves;
    Vector f_moved, largest = Vector::Zero(n);
    bool is_decided = true;
    const auto draws = {moved(x, tol, 4 * static_cast<std::uint64_t>(findings_.points)),
                        moved(x, tol, 4 * static_cast<std::uint64_t>(findings_.points) + 1),
                        moved(x, tol, 4 * static_cast<std::uint64_t>(findings_.points) + 2)};
    for (const Vector& there : draws) {
      Met met_there;
      if (!field_->derivatives(location, t, there.data(), &frozen, &met_there, f_moved)) {
        is_decided = false;
        continue;
      }
      largest = largest.cwiseMax((f_moved - f).cwiseAbs());
      for (const auto& [key, site] : met_there) {
        const auto here = met.find(key);
        if (here != met.end()) moves[key] = std::max(moves[key], std::abs(site.guard - here->second.guard));
      }
    }
    if (!is_decided) {
      ++findings_.undecided;
      return;
    }
    allowed += largest;
    check_events(t, x, draws);
    const std::vector<std::pair<const WrittenContact*, double>> near = contacts_near(t, x, draws);

    Vector r = left - f;
    const auto ratio_of = [&](const Vector& residual, Index& row) {
      double ratio = 0;
      for (Index k = 0; k < n; ++k) {
        if (!field_->is_written(static_cast<std::uint32_t>(k)) || k >= discrete_from_) continue;
        const double one = std::abs(residual[k]) / (kDefect * allowed[k]);
        if (!(one <= ratio)) {
          ratio = std::isnan(one) ? std::numeric_limits<double>::infinity() : one;
          row = k;
        }
      }
      return ratio;
    };
    Index row = 0;
    double ratio = ratio_of(r, row);
    if (ratio > 0.1) {
      std::vector<SiteKey> open;
      for (const auto& [key, site] : met)
        if (site.is_memory || (moves[key] > 0 && std::abs(site.guard) <= kOpen * moves[key]))
          open.push_back(key);
      if (!open.empty() || !near.empty()) {
        const std::optional<Vector> best = fitted(location, t, x, left, allowed, met, open, near);
        if (!best) {
          ++findings_.undecided;
          return;
        }
        const double better = ratio_of(*best, row);
        ratio = std::min(ratio, better);
        r = *best;
      }
    }
    if (ratio > findings_.worst && ratio < 1) {
      findings_.worst = ratio;
      findings_.worst_t = t;
      findings_.worst_state = name_of(row);
    }
    if (!(ratio > 1)) return;
    const Line* const line = field_->line_of(location, static_cast<std::uint32_t>(row), x.data());
    const std::string& name = name_of(row);
    fail("defect " + name, name, t,
         fmt::format("{}' is {:.6g} at t = {:.6g}, but the model's derivative of {} is {:.6g} there{}", name,
                     left[row], t, name, left[row] - r[row],
                     line != nullptr ? " (" + field_->explained(*line, x.data()) + ")" : ""));
  }

  // The residual of least size that sides of open sites and forces of contacts leave. Nothing where these are too many.
  std::optional<Vector> fitted(const std::string& location, double t, const Vector& x, const Vector& left,
                               const Vector& allowed, const Met& met, const std::vector<SiteKey>& open,
                               const std::vector<std::pair<const WrittenContact*, double>>& near) {
    const auto n = static_cast<Index>(field_->states());
    if (rule_ == SlidingRule::equivalent_control && !open.empty()) return std::nullopt;
    if (rule_ == SlidingRule::moments && open.size() > 1) return std::nullopt;
    // Other sites are judged where the open ones leave them.
    if (open.size() > kMostOpen) return near.empty() ? in_range(location, t, x, left, open) : std::nullopt;
    std::vector<Vector> corners;
    for (std::size_t corner = 0; corner < (std::size_t{1} << open.size()); ++corner) {
      Sides sides;
      for (std::size_t k = 0; k < open.size(); ++k) sides[open[k]] = (corner >> k & 1U) != 0 ? 1 : -1;
      Vector f;
      if (!field_->derivatives(location, t, x.data(), &sides, nullptr, f)) return std::nullopt;
      corners.push_back(f);
    }
    const std::vector<Vector> forces = force_columns(location, t, x, near);
    if (forces.size() > kMostForces) return std::nullopt;
    const Index count = static_cast<Index>(open.size() + forces.size());
    std::vector<Bounds> bounds;
    Vector start = Vector::Zero(count);
    for (std::size_t k = 0; k < open.size(); ++k) {
      const auto& site = met.at(open[k]);
      bounds.push_back({-site.below, site.above});
      start[static_cast<Index>(k)] = site.side;
    }
    for (std::size_t k = 0; k < forces.size(); ++k) bounds.push_back({0, 1e300});
    const Vector weights = allowed.cwiseMax(1e-300).cwiseInverse();
    const auto residual = [&](const Vector& z, Vector& r) {
      r = left;
      for (std::size_t corner = 0; corner < corners.size(); ++corner) {
        double weight = 1;
        for (std::size_t k = 0; k < open.size(); ++k) {
          const double side = z[static_cast<Index>(k)];
          weight *= 0.5 * ((corner >> k & 1U) != 0 ? 1 + side : 1 - side);
        }
        if (weight != 0) r -= weight * corners[corner];
      }
      for (std::size_t k = 0; k < forces.size(); ++k) r -= z[static_cast<Index>(open.size() + k)] * forces[k];
      for (Index k = 0; k < n; ++k)
        r[k] =
            field_->is_written(static_cast<std::uint32_t>(k)) && k < discrete_from_ ? r[k] * weights[k] : 0;
    };
    const Vector found = auditing::bounded_fit(residual, start, bounds);
    Vector r;
    residual(found, r);
    return Vector(r.cwiseQuotient(weights));
  }

  // Each row depends on few of many open sites. A value within the range of the values on the sides of these sites is right.
  std::optional<Vector> in_range(const std::string& location, double t, const Vector& x, const Vector& left,
                                 const std::vector<SiteKey>& open) {
    Vector low, high, f;
    for (std::uint64_t draw = 0; draw < 34; ++draw) {
      Sides sides;
      for (std::size_t k = 0; k < open.size(); ++k)
        sides[open[k]] = draw == 0 ? 1 : draw == 1 ? -1 : (hash_of(draw * 7919 + k) & 1U) != 0 ? 1 : -1;
      if (!field_->derivatives(location, t, x.data(), &sides, nullptr, f)) return std::nullopt;
      low = draw == 0 ? f : Vector(low.cwiseMin(f));
      high = draw == 0 ? f : Vector(high.cwiseMax(f));
    }
    const Vector width = high - low;
    low -= 0.5 * width;
    high += 0.5 * width;
    return Vector(left - left.cwiseMax(low).cwiseMin(high));
  }

  template <class Draws>
  std::vector<std::pair<const WrittenContact*, double>> contacts_near(double t, const Vector& x,
                                                                      const Draws& draws) {
    std::vector<std::pair<const WrittenContact*, double>> near;
    const std::vector<WrittenContact>& contacts = field_->contacts();
    auditing::WrittenTree& tree = field_->tree();
    std::vector<double> gaps, moves(contacts.size(), 0);
    tree.set_point(t, x.data(), nullptr, nullptr);
    for (const WrittenContact& contact : contacts) gaps.push_back(tree.value(contact.gap, {contact.i, 0}));
    for (const Vector& there : draws) {
      tree.set_point(t, there.data(), nullptr, nullptr);
      for (std::size_t k = 0; k < contacts.size(); ++k)
        moves[k] = std::max(moves[k], std::abs(tree.value(contacts[k].gap, {contacts[k].i, 0}) - gaps[k]));
    }
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const std::string name = contacts[k].name.empty() ? "a contact" : contacts[k].name;
      if (gaps[k] < -kGap * moves[k] - 1e-13)
        fail("gap " + std::to_string(k), name, t,
             fmt::format("the gap of {} is {:.6g} at t = {:.6g}, but it may not be negative", name, gaps[k],
                         t));
      if (gaps[k] <= kGap * moves[k] + 1e-13) near.emplace_back(&contacts[k], moves[k]);
    }
    tree.set_point(t, x.data(), nullptr, nullptr);
    return near;
  }

  // Columns of forces: a force within its friction cone is a sum of them with factors above zero.
  std::vector<Vector> force_columns(const std::string&, double t, const Vector& x,
                                    const std::vector<std::pair<const WrittenContact*, double>>& near) {
    std::vector<Vector> columns;
    auditing::WrittenTree& tree = field_->tree();
    const auto n = static_cast<Index>(field_->states());
    const Vector tol = tolerances(x);
    for (const auto& [contact, move] : near) {
      const auto velocities_at = [&](const Vector& there) {
        tree.set_point(t, there.data(), nullptr, nullptr);
        std::vector<double> found;
        for (const auditing::Root velocity : contact->velocities)
          found.push_back(tree.value(velocity, {contact->i, 0}));
        return found;
      };
      const std::vector<double> beside = velocities_at(moved(x, tol, 11));
      const std::vector<double> other = velocities_at(moved(x, tol, 12));
      const std::vector<double> velocities = velocities_at(x);
      const auto vector_of = [&](const std::vector<Line>& lines) {
        Vector b = Vector::Zero(n);
        for (const Line& line : lines) b[line.state] = tree.value(line.value, line.at);
        return b;
      };
      const Vector normal = vector_of(contact->acts_on);
      if (velocities.empty()) {
        columns.push_back(normal);
        continue;
      }
      double size = 0, reach = 0;
      for (std::size_t k = 0; k < velocities.size(); ++k) {
        size = std::hypot(size, velocities[k]);
        reach += std::abs(beside[k] - velocities[k]) + std::abs(other[k] - velocities[k]);
      }
      const double mu = tree.value(contact->coefficient, {contact->i, 0});
      const double at_rest = contact->at_rest == auditing::no_root
                                 ? mu
                                 : std::max(mu, tree.value(contact->at_rest, {contact->i, 0}));
      std::vector<Vector> along;
      for (const auto& part : contact->friction) along.push_back(vector_of(part));
      if (size > kOpen * reach) {
        Vector column = normal;
        for (std::size_t k = 0; k < along.size(); ++k) column -= mu * velocities[k] / size * along[k];
        columns.push_back(column);
      } else if (along.size() == 1) {
        columns.push_back(normal + at_rest * along[0]);
        columns.push_back(normal - at_rest * along[0]);
      } else {
        // A polygon around the cone's circle.
        constexpr int corners = 8;
        for (int k = 0; k < corners; ++k) {
          const double angle = 2 * 3.14159265358979323846 * k / corners;
          const double radius = at_rest / std::cos(3.14159265358979323846 / corners);
          columns.push_back(normal + radius * (std::cos(angle) * along[0] + std::sin(angle) * along[1]));
        }
      }
    }
    return columns;
  }

  void check_followers(double t, const Vector& x, const Vector& tol) {
    auditing::WrittenTree& tree = field_->tree();
    if (!tree.has_algebraic()) return;
    tree.set_point(t, x.data(), nullptr, nullptr);
    const auto here = tree.followers();
    if (here.empty()) return;
    Vector there = moved(x, tol, 5);
    for (const auto& one : here) there[one.state] = x[one.state];
    tree.set_point(t, there.data(), nullptr, nullptr);
    const auto beside = tree.followers();
    for (std::size_t k = 0; k < here.size(); ++k) {
      const double off = std::abs(here[k].solution - x[here[k].state]);
      const double reach = tol[here[k].state] + std::abs(beside[k].solution - here[k].solution);
      if (!(off > kDefect * reach)) continue;
      const std::string& name = name_of(here[k].state);
      const std::string variable = name.substr(0, name.rfind(".start"));
      fail("follower " + name, variable, t,
           fmt::format("the algebraic variable {} is {:.6g} at t = {:.6g}, but its equation has the solution "
                       "{:.6g} there",
                       variable, x[here[k].state], t, here[k].solution));
    }
  }

  // A condition that was not true, and is, needs a record.
  template <class Draws>
  void check_events(double t, const Vector& x, const Draws& draws) {
    const std::vector<WrittenEvent>& events = field_->events();
    auditing::WrittenTree& tree = field_->tree();
    std::vector<double> now, moves(events.size(), 0);
    tree.set_point(t, x.data(), nullptr, nullptr);
    for (const WrittenEvent& event : events) now.push_back(tree.margin(event.when, {event.i, 0}));
    for (const Vector& there : draws) {
      tree.set_point(t, there.data(), nullptr, nullptr);
      for (std::size_t k = 0; k < events.size(); ++k)
        moves[k] = std::max(moves[k], std::abs(tree.margin(events[k].when, {events[k].i, 0}) - now[k]));
    }
    for (std::size_t k = 0; k < events.size(); ++k) {
      const WrittenEvent& event = events[k];
      Margin& last = margins_[k];
      const bool is_decided = std::abs(now[k]) > kGap * moves[k] || (now[k] == 0 && moves[k] == 0);
      const auto recorded = recorded_.find(event.name);
      const double latest = event.name.empty()            ? last_record_
                            : recorded == recorded_.end() ? -std::numeric_limits<double>::infinity()
                                                          : recorded->second;
      const double since = last.t - 1e-9 * (1 + std::abs(last.t));
      if (last.is_known && latest >= since) last.is_known = false;
      if (!is_decided || std::isnan(now[k])) continue;
      if (last.is_known && !(last_jump_ >= since && !event.across_jumps)) {
        const bool rises = last.value <= 0 && now[k] > 0;
        const bool falls = (last.value >= 0 && now[k] < 0) || (last.value > 0 && now[k] <= 0);
        const bool is_condition = tree.is_condition(event.when);
        const bool is_missed = (rises && event.direction != Direction::falling) ||
                               (falls && event.direction != Direction::rising);
        if (is_missed && missed_.size() < kMostFailures)
          missed_.push_back({event.name, last.t, t, "event " + std::to_string(k),
                             fmt::format("between t = {:.6g} and {:.6g} {} {}, but '{}' has no event there",
                                         last.t, t, event.text,
                                         is_condition ? (rises ? "became true" : "became false")
                                                      : (rises ? "rose through zero" : "fell through zero"),
                                         event.name.empty() ? event.text : event.name)});
      }
      last = {true, now[k], t};
    }
    tree.set_point(t, x.data(), nullptr, nullptr);
  }

  // At the record of a condition this is true beside the state, at least.
  void judge(const EventRecord& record) {
    if (!record.name || record.round > 1) return;
    const std::vector<WrittenEvent>& events = field_->events();
    const auto found = std::find_if(events.begin(), events.end(),
                                    [&](const WrittenEvent& one) { return one.name == *record.name; });
    auditing::WrittenTree& tree = field_->tree();
    if (found == events.end() || !tree.is_condition(found->when) || found->direction != Direction::rising)
      return;
    ++judged_records_;
    const Vector tol = tolerances(record.before);
    for (std::uint64_t draw = 0; draw < 48; ++draw) {
      const Vector there = moved(record.before, tol, 1000 + draw, draw == 0 ? 0 : 10);
      const double later = 1e-9 * (1 + std::abs(record.t)) * static_cast<double>(draw % 3);
      tree.set_point(record.t + later, there.data(), nullptr, nullptr);
      if (tree.margin(found->when, {found->i, 0}) > 0) return;
    }
    fail("record " + found->name, found->name, record.t,
         fmt::format("'{}' has an event at t = {:.6g}, but {} is not true there", found->name, record.t,
                     found->text));
  }

  // An event without a record so far.
  struct Missed {
    std::string name;
    double from;
    double to;
    std::string key;
    std::string text;
  };
  struct Margin {
    bool is_known = false;
    double value = 0;
    double t = 0;
  };

  std::shared_ptr<const WrittenModel> written_;
  const ModelInstance& instance_;
  AuditLevel level_;
  SlidingRule rule_;
  double rtol_;
  Vector atol_;
  Index discrete_from_ = 0;
  std::unique_ptr<WrittenField> field_;

  std::uint64_t steps_ = 0;
  std::uint64_t stride_ = 1;
  int chosen_ = 0;
  int after_events_ = 0;
  int judged_records_ = 0;
  bool after_event_ = false;
  double longest_ = 0;

  Vector held_;
  bool held_is_known_ = false;
  std::vector<Margin> margins_;
  std::vector<Missed> missed_;
  std::map<std::string, double> recorded_;  // the last time of each name
  double last_record_ = -std::numeric_limits<double>::infinity();
  double last_jump_ = -std::numeric_limits<double>::infinity();

  Findings findings_;
};

Auditor::Auditor(std::shared_ptr<const WrittenModel> written, const ModelInstance& instance,
                 const Options& options, AuditLevel level)
    : listener_(std::make_unique<Listener>(std::move(written), instance, options, level)) {}
Auditor::~Auditor() = default;
Auditor::Auditor(Auditor&&) noexcept = default;

Options Auditor::listening(Options options) {
  if (!listener_->is_on()) return options;
  Listener* const listener = listener_.get();
  options.on_step = [listener, next = options.on_step](const StepView& step) {
    listener->step(step);
    if (next) next(step);
  };
  options.on_event = [listener, next = options.on_event](const EventRecord& record) {
    listener->event(record);
    if (next) next(record);
  };
  return options;
}

AuditResult Auditor::result() { return listener_->result(); }

AuditResult audit(std::shared_ptr<const WrittenModel> written, const ModelInstance& instance,
                  const Solution& solution, const Options& options, AuditLevel level) {
  Auditor auditor(std::move(written), instance, options, level);
  const Options listening = auditor.listening(options);
  if (!listening.on_step) return auditor.result();
  const Trajectory& trajectory = solution.trajectory;
  auto record = solution.events.begin();
  for (std::size_t k = 0; k < trajectory.segments().size(); ++k) {
    const Segment& segment = trajectory.segments()[k];
    for (; record != solution.events.end() && record->t <= segment.start; ++record)
      listening.on_event(*record);
    const std::vector<double> times = trajectory.step_times(k);
    for (std::size_t i = 0; i + 1 < times.size(); ++i) {
      for (; record != solution.events.end() && record->t <= times[i]; ++record) listening.on_event(*record);
      listening.on_step({times[i], times[i + 1], segment.mode, segment.location,
                         [&](double t, VectorRef x) { trajectory.evaluate(k, t, x); }});
    }
  }
  for (; record != solution.events.end(); ++record) listening.on_event(*record);
  return auditor.result();
}

}  // namespace slideway
