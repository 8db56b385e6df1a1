#include "slideway/simulate/adjoint.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/factorise.hpp"
#include "core/number_text.hpp"
#include "sensitivity/accumulated_changes.hpp"
#include "sensitivity/collocation.hpp"
#include "sensitivity/integrand_allowance.hpp"
#include "sensitivity/ledger_replay.hpp"
#include "sensitivity/transposed_jacobian.hpp"
#include "sensitivity/variation.hpp"
#include "sensitivity/without_derivatives.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

const Collocation::Formulas& adjoint_formulas() {
  static const Collocation::Formulas formulas = {Radau(5)};
  return formulas;
}

const Radau& adjoint_formula() { return adjoint_formulas().front(); }

// Two fields count as one if they differ by no more than this many relative tolerances: an end of sliding is
// located to as much.
constexpr double kSameVelocity = 10;
// Two derivatives of a time count as one if they differ by no more than this part.
constexpr double kSameTime = 1e-6;
constexpr Index kColumnsAtOnce = 32;     // of the matrix of an event, which stay in the cache
constexpr std::size_t kStepsAtOnce = 8;  // of the solution, in which J is seen at least once
// Instants before a limit of events, at least, from which its derivative is told: three turns of up to as many events as a limit notes.
constexpr std::size_t kInstantsBeforeLimit = 24;
// Events accumulate as long as the time that is left halves within so many: bounces of a restitution up to ½^(1/64) = 0.989.
constexpr std::size_t kInstantsOfHalf = 64;

bool is_limit(const Saltation::Instant& instant) {
  return std::any_of(instant.records.begin(), instant.records.end(),
                     [](const auto* record) { return record->kind == EventKind::zeno; });
}

class AdjointRun {
 public:
  AdjointRun(const Automaton& problem, const std::vector<std::shared_ptr<const RelayStructure>>& structures,
             const Options& options, const Run& run, const Solution& solution,
             const SensitivityRequest& wanted, const std::vector<AdjointOutput>& outputs)
      : solution_(solution),
        wanted_(wanted),
        outputs_(outputs),
        n_(run.state.size()),
        replay_(problem, structures, options, run, solution, wanted.parameters),
        saltation_(replay_.middle()),
        rtol_(options.rtol),
        sizes_(replay_.sizes()),
        v_(Matrix::Zero(replay_.size(), static_cast<Index>(outputs.size()))) {}

  AdjointGradients execute() {
    std::size_t k = segments().size();
    replay_.take(k - 1);
    add_states_at(segments().back().end, true);
    // v belongs to what follows the boundary before segment k.
    while (true) {
      if (k == 0) break;
      if (const std::optional<std::size_t> earlier = pass_boundary(k)) {
        k = *earlier;
        replay_.take(k);
        if (k > 0) replay_.take(k - 1);
        continue;
      }
      --k;
      follow_back(k);
      const double start = segments()[k].start;
      const bool is_latest = k + 1 == segments().size() || segments()[k + 1].start > start;
      if (is_latest && start < segments().back().end) add_states_at(start);
      if (k > 0) replay_.take(k - 1);
    }
    begin();
    return result_;
  }

 private:
  // outputs() includes those that were added for functions that are zero at once.
  Index outputs() const { return v_.cols(); }
  Index asked() const { return static_cast<Index>(outputs_.size()); }
  const std::vector<Segment>& segments() const { return replay_.segments(); }

  // begin() keeps only the directions that are asked for, at the start.
  void begin() {
    Matrix s = wanted_.initial;
    Matrix times = Matrix::Zero(s.cols(), outputs());
    if (const std::optional<Saltation::Instant> instant = replay_.instant(0)) {
      const Saltation::Change change = saltation_.apply(*instant, s);
      if (!change.exists) end_existence(instant->t, change.reason);
      s.topRows(n_) = change.after.topRows(n_);
      add_times(0, 0, change.time, times);
    }
    const Matrix all = v_.transpose() * s + times.transpose();
    result_.gradients = all.topRows(asked());
    for (Index o = 0; o < asked(); ++o)
      if (undefined_[static_cast<std::size_t>(o)] != 0)
        result_.gradients.row(o).setConstant(std::numeric_limits<double>::quiet_NaN());
    for (std::size_t k = 0; k < apart_.size(); ++k) {
      // The functions that were zero at once have one time in the directions alone in which these agree.
      const Index o = apart_[k];
      const auto row = all.row(asked() + static_cast<Index>(k));
      for (Index c = 0; c < s.cols(); ++c)
        if (!(std::abs(row[c]) <= kSameTime * std::abs(all(o, c))))
          result_.gradients(o, c) = std::numeric_limits<double>::quiet_NaN();
    }
  }

  // The weights of states at this very time.
  void add_states_at(double t, bool at_end = false) {
    for (Index o = 0; o < asked(); ++o) {
      const AdjointOutput& output = outputs_[static_cast<std::size_t>(o)];
      for (std::size_t k = 0; k < output.times.size(); ++k)
        if (output.times[k] == t || (at_end && output.times[k] > t))
          v_.col(o).head(n_) += output.weights.col(static_cast<Index>(k));
    }
  }

  bool weighs_time_of(std::size_t event) const {
    return std::any_of(outputs_.begin(), outputs_.end(), [&](const AdjointOutput& output) {
      return std::any_of(output.event_times.begin(), output.event_times.end(),
                         [&](const auto& pair) { return pair.first == event && pair.second != 0; });
    });
  }

  double weight_of_time(Index o, std::size_t event) const {
    double sum = 0;
    for (const auto& [number, weight] : outputs_[static_cast<std::size_t>(o)].event_times)
      if (number == event) sum += weight;
    return sum;
  }

  // ---- between events, in time that goes backwards
  void follow_back(std::size_t k) {
    const Segment& here = replay_.segments()[k];
    const std::vector<double> steps = solution_.trajectory.step_times(k);
    if (!(here.end > here.start) || steps.size() < 2) return;
    // `stops` are times at which weights come in, and at which J is to be seen.
    std::vector<double> stops = {here.start};
    for (std::size_t s = kStepsAtOnce; s < steps.size(); s += kStepsAtOnce) stops.push_back(steps[s]);
    for (const AdjointOutput& output : outputs_)
      for (const double t : output.times)
        if (t > here.start && t < here.end) stops.push_back(t);
    const LedgerReplay::Events within{replay_.events_before(k).end, replay_.events_before(k + 1).first};
    for (std::size_t e = within.first; e < within.end; ++e) stops.push_back(solution_.events[e].t);
    // Weights at the end belong to the boundary there.
    std::erase_if(stops, [&](double t) { return !(t < here.end); });
    std::sort(stops.begin(), stops.end());
    stops.erase(std::unique(stops.begin(), stops.end()), stops.end());
    Variation variation(n_, rtol_);
    const double last_step = steps[steps.size() - 1] - steps[steps.size() - 2];
    variation.restart(first_step(k, here.end, last_step));
    double from = here.end;
    for (std::size_t s = stops.size(); s-- > 0;) {
      if (stops[s] < from) integrate_back(k, from, stops[s], variation);
      from = std::min(from, stops[s]);
      if (!(stops[s] > here.start)) continue;
      const Matrix before = v_;
      for (std::size_t e = within.first; e < within.end; ++e)
        if (solution_.events[e].t == stops[s] && weighs_time_of(e)) add_time_within(k, e);
      add_states_at(stops[s]);
      if (v_ != before) variation.restart(first_step(k, stops[s], last_step));
    }
  }

  // Stiff components of v that have just jumped decay in a layer, whose part of the integral must be taken where it is.
  double first_step(std::size_t k, double t, double longest) {
    TransposedJacobian jacobian;
    jacobian.compute(replay_.field_of(k), t, replay_.state_for_jacobian(k, t));
    const double fastest = jacobian.states().cwiseAbs().rowwise().sum().maxCoeff();
    return fastest * longest > 1 ? 1 / fastest : longest;
  }

  // An event that changes nothing has a time all the same.
  void add_time_within(std::size_t k, std::size_t e) {
    const Saltation::Instant instant = replay_.instant_within(k, e);
    const Vector time = saltation_.time_of(instant, Matrix::Identity(replay_.size(), replay_.size()));
    for (Index o = 0; o < asked(); ++o)
      if (const double weight = weight_of_time(o, e); weight != 0 && defines(o, time))
        v_.col(o) += weight * time;
  }

  // An output without a derivative takes no further part.
  bool defines(Index o, const Matrix& derivative) {
    if (derivative.allFinite()) return true;
    undefined_[static_cast<std::size_t>(o)] = 1;
    return false;
  }

  void integrate_back(std::size_t k, double from, double to, Variation& variation) {
    SegmentField& field = replay_.field_of(k);
    const Radau& formula = adjoint_formula();
    const auto stages = static_cast<std::size_t>(formula.stages);
    // The last Jacobians are those of the stages of the step that has just been accepted.
    std::vector<TransposedJacobian> jacobians(stages);
    std::size_t seen = 0;
    DenseCollocation collocation(adjoint_formulas(), n_, [&](double t, Matrix& jacobian) {
      TransposedJacobian& at = jacobians[seen++ % stages];
      at.compute(field, -t, replay_.state_for_jacobian(k, std::clamp(-t, to, from)));
      jacobian = at.states();
    });
    Matrix states = v_.topRows(n_);
    Matrix parameters = v_.bottomRows(v_.rows() - n_);
    const Matrix floors = floors_of(k, from, states);
    Matrix integral = Matrix::Zero(parameters.rows(), outputs());
    // The differences of two formulas grow like h to the number of stages, the error of v like two powers more.
    const double power = static_cast<double>(formula.stages + 2) / static_cast<double>(formula.stages);
    IntegrandAllowance allowance(std::sqrt(rtol_));
    const auto integrand_error = [&](double h) {
      std::vector<Matrix> parts;
      for (std::size_t i = 0; i < stages; ++i) {
        parts.push_back(Matrix::Zero(parameters.rows(), outputs()));
        jacobians[(seen + i) % stages].add_parameters(1, collocation.stage(static_cast<Index>(i)),
                                                      parts.back());
      }
      const double apart = integrate(h, parts, parameters, integral);
      return std::pow(allowance.part_of(apart, h), power);
    };
    const auto piece = [&](double, double, const Matrix&) { parameters += integral; };
    const auto whole = [&](double) { return from - to; };
    variation.advance(-from, -to, whole, collocation, floors, states, piece,
                      parameters.rows() > 0 ? Variation::FurtherError(integrand_error) : nullptr);
    v_.topRows(n_) = states;
    v_.bottomRows(v_.rows() - n_) = parameters;
  }

  // The integral of (∂f/∂p)ᵀ v over a step of length h, whose integrand has the values `parts` at the nodes. The result tells by how much
  // of its size the formula of one node less differs: the integrand may be rougher than v.
  double integrate(double h, const std::vector<Matrix>& parts, const Matrix& sum, Matrix& integral) const {
    const Radau& formula = adjoint_formula();
    const Vector& weaker = weaker_weights(formula);
    integral.setZero();
    Matrix other = integral, sizes = integral;
    for (Index i = 0; i < formula.stages; ++i) {
      const Matrix& part = parts[static_cast<std::size_t>(i)];
      const double weight = h * formula.weights(formula.stages - 1, i);
      integral += weight * part;
      sizes += std::abs(weight) * part.cwiseAbs();
      if (i + 1 < formula.stages) other += h * weaker[i] * part;
    }
    if (!integral.allFinite()) return 0;
    sizes = sizes.cwiseMax(sum.cwiseAbs()).cwiseMax(std::numeric_limits<double>::min());
    return ((integral - other).array().abs() / sizes.array()).maxCoeff();
  }

  // weaker_weights() are those of the interpolation through all nodes but the last.
  static const Vector& weaker_weights(const Radau& formula) {
    static const Vector weights = [&] {
      const Index count = formula.stages - 1;
      Matrix powers(count, count);
      Vector moments(count);
      for (Index k = 0; k < count; ++k) {
        moments[k] = 1 / static_cast<double>(k + 1);
        for (Index i = 0; i < count; ++i) powers(k, i) = std::pow(formula.nodes[i], static_cast<double>(k));
      }
      return Vector(powers.partialPivLu().solve(moments));
    }();
    return weights;
  }

  // Entries of v matter from a hundredth of what the largest makes of a change of its state by its size.
  Matrix floors_of(std::size_t k, double t, const Matrix& states) const {
    const Vector sizes = replay_.state_at(k, t).head(n_).cwiseAbs().cwiseMax(sizes_);
    Matrix floors(n_, outputs());
    for (Index o = 0; o < outputs(); ++o) {
      const double largest = states.col(o).cwiseAbs().cwiseProduct(sizes).maxCoeff();
      floors.col(o) = (0.01 * std::max(largest, 1e-300)) * sizes.cwiseInverse();
    }
    return floors;
  }

  // ---- at events
  // The matrix M of the instant, applied to blocks of columns: visit(first column, what becomes of them).
  template <class Visit>
  void for_columns(const Saltation::Instant& instant, bool weighs_times, const Visit& visit) {
    const std::vector<char>* const entering = weighs_times ? nullptr : entering_parameters(instant);
    Index count = 0;
    for (Index first = 0; first < replay_.size(); first += count) {
      // The states by themselves, then parameters.
      count = std::min(kColumnsAtOnce, (first < n_ ? n_ : replay_.size()) - first);
      // Other parameters change nothing at this instant.
      if (entering && first >= n_ &&
          std::none_of(entering->begin() + first, entering->begin() + first + count,
                       [](char enters) { return enters != 0; }))
        continue;
      Matrix unit = Matrix::Zero(replay_.size(), count);
      for (Index c = 0; c < count; ++c) unit(first + c, c) = 1;
      const Saltation::Change change = saltation_.apply(instant, unit);
      if (!change.exists) end_existence(instant.t, change.reason);
      visit(first, change);
    }
  }

  // The extended states that enter guards, where no others matter at this instant; null where that is not known.
  const std::vector<char>* entering_parameters(const Saltation::Instant& instant) {
    if (!instant.from || !instant.to || replay_.size() <= kColumnsAtOnce) return nullptr;
    for (const EventRecord* const record : instant.records)
      if (record->kind == EventKind::reset || record->kind == EventKind::transition ||
          record->kind == EventKind::impact || record->kind == EventKind::contact ||
          record->kind == EventKind::sample)
        return nullptr;
    if (!instant.to->second_order().empty()) return nullptr;
    if (instant.from->mode().codimension() > 0 || !instant.from->closed().empty()) {
      // Sliding ends at a time that all parameters enter, which matters where the field jumps.
      Vector before(replay_.size()), after(replay_.size());
      instant.from->velocity(instant.t, instant.before, before);
      instant.to->velocity(instant.t, instant.after, after);
      const double size = before.norm() + after.norm() + size_beside(instant);
      if (!((before - after).norm() <= kSameVelocity * rtol_ * size)) return nullptr;
    }
    const auto [place, is_new] = entering_.try_emplace(&instant.from->tools());
    if (is_new) place->second = entering_guards(instant.from->tools());
    return place->second.empty() ? nullptr : &place->second;
  }

  // size_beside() is the size of the fields on both sides of a surface along which the solution slid: a block at
  // rest has no speed of its own.
  static double size_beside(const Saltation::Instant& instant) {
    SegmentField& from = *instant.from;
    if (!from.ode().slides()) return 0;
    Vector lambda = from.lambda(instant.t, instant.before);
    Vector minus(instant.before.size()), plus(instant.before.size());
    from.tools().evaluator.neighbour_fields(instant.t, instant.before, lambda,
                                            from.ode().field().sliding().front(), minus, plus);
    return minus.norm() + plus.norm();
  }

  std::vector<char> entering_guards(const LocationTools& tools) const {
    std::vector<char> enters(static_cast<std::size_t>(replay_.size()), 0);
    if (tools.contacts) return {};
    if (tools.system.surfaces() > 0) {
      const std::optional<Pattern>& pattern = tools.system.definition().guards_dx_pattern;
      if (!pattern) return {};
      for (const Index j : pattern->column) enters[static_cast<std::size_t>(j)] = 1;
    }
    for (Index e = 0; e < tools.watch.size(); ++e) {
      const std::optional<GuardShape> shape = tools.watch[e].when.shape(replay_.size());
      if (!shape) return {};
      for (const Index j : shape->states) enters[static_cast<std::size_t>(j)] = 1;
    }
    return enters;
  }

  void end_existence(double t, const std::string& reason) {
    if (t > result_.exists_until) return;
    result_.exists_until = t;
    result_.reason = reason;
  }

  // pass_boundary() goes through the boundary before segment k. For a limit of events it returns an earlier
  // segment, after whose boundary v is then.
  std::optional<std::size_t> pass_boundary(std::size_t k) {
    const std::optional<Saltation::Instant> instant = replay_.instant(k);
    if (!instant) return std::nullopt;
    if (k > 0 && is_limit(*instant)) return pass_limit(k);
    const Index beyond = v_.rows() - n_;
    Matrix before = Matrix::Zero(v_.rows(), v_.cols());
    const LedgerReplay::Events& events = replay_.events_before(k);
    bool weighs_times = false;
    for (std::size_t e = events.first; e < events.end; ++e) weighs_times = weighs_times || weighs_time_of(e);
    // The times of functions that are zero at once, a row for each.
    Matrix together;
    for_columns(*instant, weighs_times, [&](Index first, const Saltation::Change& change) {
      before.middleRows(first, change.after.cols()) =
          change.linear().topRows(n_).transpose() * v_.topRows(n_);
      const bool is_one = change.times.rows() == 0;
      add_times(k, first, is_one ? change.time : Vector(change.times.row(0).transpose()), before);
      if (is_one) return;
      if (together.size() == 0) together = Matrix::Zero(change.times.rows(), replay_.size());
      together.middleCols(first, change.times.cols()) = change.times;
    });
    before.bottomRows(beyond) += v_.bottomRows(beyond);
    v_ = before;
    if (weighs_times) keep_apart(k, together);
    drop_undefined();
    return std::nullopt;
  }

  // Differences between these times are followed as outputs of their own: where one of them is not zero in a direction, the time of the
  // instant has no derivative in it.
  void keep_apart(std::size_t k, const Matrix& together) {
    const LedgerReplay::Events& events = replay_.events_before(k);
    for (Index r = 1; r < together.rows(); ++r) {
      const Vector apart = (together.row(r) - together.row(0)).transpose();
      if (!(apart.cwiseAbs().maxCoeff() > kSameTime * together.cwiseAbs().maxCoeff())) continue;
      for (Index o = 0; o < asked(); ++o) {
        double weight = 0;
        for (std::size_t e = events.first; e < events.end; ++e) weight += std::abs(weight_of_time(o, e));
        if (weight == 0) continue;
        v_.conservativeResize(Eigen::NoChange, v_.cols() + 1);
        v_.rightCols(1) = weight * apart;
        undefined_.push_back(0);
        apart_.push_back(o);
      }
    }
  }

  // The weights of the times of all events at a boundary, whose derivatives by some directions are `time`.
  void add_times(std::size_t k, Index first, const Vector& time, Matrix& sum) {
    const LedgerReplay::Events& events = replay_.events_before(k);
    for (std::size_t e = events.first; e < events.end; ++e)
      for (Index o = 0; o < asked(); ++o)
        if (const double weight = weight_of_time(o, e); weight != 0 && defines(o, time))
          sum.col(o).segment(first, time.size()) += weight * time;
  }

  void drop_undefined() {
    for (Index o = 0; o < outputs(); ++o)
      if (!defines(o, v_.col(o))) v_.col(o).setZero();
  }

  bool has_limit_before(std::size_t k) const {
    const LedgerReplay::Events& events = replay_.events_before(k);
    for (std::size_t e = events.first; e < events.end; ++e)
      if (solution_.events[e].kind == EventKind::zeno) return true;
    return false;
  }

  // begin_of_accumulation() returns where the events before the boundary of segment k begin to accumulate. A
  // state moves their times by more nearer to the limit, where impacts are slower.
  std::size_t begin_of_accumulation(std::size_t k) const {
    const double limit = segments()[k - 1].end;
    std::size_t begin = k > kInstantsBeforeLimit ? k - kInstantsBeforeLimit : 0;
    while (begin > 0) {
      const double twice = 2 * (limit - segments()[begin].start);
      std::size_t earlier = begin;
      const std::size_t last = begin > kInstantsOfHalf ? begin - kInstantsOfHalf : 0;
      while (earlier > last && limit - segments()[earlier].start < twice) {
        if (has_limit_before(earlier)) return earlier;
        --earlier;
      }
      if (limit - segments()[earlier].start < twice) break;
      begin = earlier;
    }
    return begin;
  }

  // The limit is told by the events before it, so that all directions are followed through these, forwards.
  std::size_t pass_limit(std::size_t k) {
    const std::size_t begin = begin_of_accumulation(k);
    const Index size = replay_.size();
    Matrix s = Matrix::Identity(size, size);
    Matrix gathered = Matrix::Zero(size, outputs());
    AccumulatedChanges accumulation;
    replay_.take(begin);
    for (std::size_t j = begin; j < k; ++j) {
      follow_forward(j, s, gathered);
      if (j + 1 < segments().size()) replay_.take(j + 1);
      const std::optional<Saltation::Instant> instant = replay_.instant(j + 1);
      if (!instant) continue;
      const auto zeno = std::find_if(instant->records.begin(), instant->records.end(),
                                     [](const auto* record) { return record->kind == EventKind::zeno; });
      const Saltation::Change change = zeno == instant->records.end()
                                           ? saltation_.apply(*instant, s)
                                           : accumulation.limit(*instant, **zeno, saltation_, s);
      accumulation.note(*instant, change);
      add_times(j + 1, 0, change.time, gathered);
      s.topRows(n_) = change.linear().topRows(n_);
      if (!change.exists) end_existence(instant->t, change.reason);
      if (j + 1 < k) add_forward(segments()[j + 1].start, s, gathered);
    }
    v_ = s.transpose() * v_ + gathered;
    drop_undefined();
    return begin;
  }

  // The products of S and the weights at this time.
  void add_forward(double t, const Matrix& s, Matrix& gathered) const {
    for (Index o = 0; o < asked(); ++o) {
      const AdjointOutput& output = outputs_[static_cast<std::size_t>(o)];
      for (std::size_t j = 0; j < output.times.size(); ++j)
        if (output.times[j] == t)
          gathered.col(o) += s.topRows(n_).transpose() * output.weights.col(static_cast<Index>(j));
    }
  }

  void follow_forward(std::size_t k, Matrix& s, Matrix& gathered) {
    const Segment& here = segments()[k];
    const std::vector<double> steps = solution_.trajectory.step_times(k);
    if (!(here.end > here.start) || steps.size() < 2) return;
    std::vector<double> stops = {here.end};
    for (std::size_t i = kStepsAtOnce; i < steps.size(); i += kStepsAtOnce) stops.push_back(steps[i]);
    for (const AdjointOutput& output : outputs_)
      for (const double t : output.times)
        if (t > here.start && t < here.end) stops.push_back(t);
    std::sort(stops.begin(), stops.end());
    SegmentField& field = replay_.field_of(k);
    DenseCollocation collocation(adjoint_formulas(), n_, [&](double t, Matrix& jacobian) {
      field.jacobian(t, replay_.state_for_jacobian(k, std::clamp(t, here.start, here.end)), jacobian);
    });
    Variation variation(n_, rtol_);
    variation.restart(steps[1] - steps[0]);
    double from = here.start;
    for (const double to : stops) {
      if (!(to > from)) continue;
      const Vector x = replay_.state_at(k, to).cwiseAbs();
      Matrix floors(n_, s.cols());
      for (Index j = 0; j < s.cols(); ++j) {
        const double size = j < n_ ? std::max(x[j], sizes_[j]) : x[j] > 0 ? x[j] : 1;
        for (Index i = 0; i < n_; ++i) floors(i, j) = 0.01 * std::max(x[i], sizes_[i]) / size;
      }
      const auto whole = [&](double) { return to - from; };
      variation.advance(from, to, whole, collocation, floors, s, [](double, double, const Matrix&) {});
      from = to;
      if (to < here.end) add_forward(to, s, gathered);
    }
  }

  const Solution& solution_;
  const SensitivityRequest& wanted_;
  const std::vector<AdjointOutput>& outputs_;
  Index n_;
  LedgerReplay replay_;
  Saltation saltation_;
  double rtol_;
  Vector sizes_;
  std::map<const LocationTools*, std::vector<char>> entering_ = {};
  Matrix v_;  // states and parameters × outputs
  std::vector<char> undefined_ = std::vector<char>(static_cast<std::size_t>(v_.cols()), 0);  // of outputs
  std::vector<Index> apart_ = {};  // of outputs that were added, those that they belong to
  AdjointGradients result_ = {};
};

void check_adjoint(const Automaton& problem, const Run& run, const Solution& solution,
                   const SensitivityRequest& wanted, const std::vector<AdjointOutput>& outputs) {
  const char* const where = "adjoint_gradients";
  const Index n = problem.system().states();
  const std::vector<Segment>& segments = solution.trajectory.segments();
  if (segments.empty() || segments.front().start != run.start || segments.back().end != solution.outcome.t ||
      solution.trajectory.states() != n) {
    refuse({.what = "the solution does not hold its trajectory",
            .where = where,
            .expected = "the solution of this run, with Recording::dense",
            .got = std::to_string(segments.size()) + " segments"});
  }
  if (wanted.initial.rows() != n + wanted.parameters.size() ||
      wanted.initial.cols() != static_cast<Index>(wanted.names.size())) {
    refuse({.what = "what to differentiate by does not fit the problem",
            .where = where,
            .expected = "a request of sensitivities_by or by_initial_values",
            .got = std::to_string(wanted.initial.rows()) + " rows"});
  }
  for (const AdjointOutput& output : outputs) {
    const auto count = static_cast<Index>(output.times.size());
    if (output.weights.cols() != count || (count > 0 && output.weights.rows() != n)) {
      refuse(
          {.what = "the weights of an output do not fit",
           .where = where,
           .expected = std::to_string(n) + " rows and " + std::to_string(count) + " columns",
           .got = std::to_string(output.weights.rows()) + " and " + std::to_string(output.weights.cols())});
    }
    for (const double t : output.times) {
      if (t >= run.start && t <= solution.outcome.t) continue;
      refuse({.what = "an output has a time outside of the run",
              .where = where,
              .expected = "times from " + number_text(run.start) + " to " + number_text(solution.outcome.t),
              .got = number_text(t)});
    }
    for (const auto& [event, weight] : output.event_times) {
      if (event < solution.events.size()) continue;
      refuse({.what = "an output has an event that is not in the log",
              .where = where,
              .expected = "a number below " + std::to_string(solution.events.size()),
              .got = std::to_string(event)});
    }
  }
}

}  // namespace

AdjointGradients adjoint_gradients(const Automaton& problem, const Options& options, const Run& run,
                                   const Solution& solution, const SensitivityRequest& wanted,
                                   const std::vector<AdjointOutput>& outputs) {
  refuse_without_derivatives(problem);
  check_adjoint(problem, run, solution, wanted, outputs);
  const Automaton& followed = wanted.extended ? *wanted.extended : problem;
  std::vector<std::shared_ptr<const RelayStructure>> structures;
  for (const Location& location : followed.locations())
    structures.push_back(std::make_shared<const RelayStructure>(location.system));
  return AdjointRun(followed, structures, options, run, solution, wanted, outputs).execute();
}

}  // namespace slideway
