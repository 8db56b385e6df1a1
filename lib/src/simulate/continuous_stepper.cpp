#include "simulate/continuous_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "simulate/precision.hpp"

namespace slideway {

namespace {

// The ode of the states that have a derivative, while the others stay as they are.
class ContinuousOde final : public SmoothOde {
 public:
  ContinuousOde(SmoothOde& ode, Index discrete)
      : ode_(ode),
        count_(ode.states() - discrete),
        x_(Vector::Zero(ode.states())),
        dx_(Vector::Zero(ode.states())),
        weights_(Vector::Constant(ode.states(), kDiscreteWeight)) {
    if (const Pattern* const all = ode.jacobian_pattern()) take_pattern(*all);
  }

  void set_discrete(ConstVectorRef x) { x_ = x; }
  double discrete(Index state) const { return x_[state]; }
  auto discrete_states() const { return x_.tail(x_.size() - count_); }

  Index states() const override { return count_; }
  void velocity(double t, ConstVectorRef x, VectorRef dx) override {
    x_.head(count_) = x;
    ode_.velocity(t, x_, dx_);
    dx = dx_.head(count_);
  }
  void quick_velocity(double t, ConstVectorRef x, VectorRef dx) override {
    x_.head(count_) = x;
    ode_.quick_velocity(t, x_, dx_);
    dx = dx_.head(count_);
  }
  bool checks_velocity() const override { return ode_.checks_velocity(); }
  void jacobian(double t, ConstVectorRef x, ConstVectorRef dx, MatrixRef jacobian) override {
    x_.head(count_) = x;
    dx_.setZero();
    dx_.head(count_) = dx;
    full_.setZero(x_.size(), x_.size());
    ode_.jacobian(t, x_, dx_, full_);
    jacobian = full_.topLeftCorner(count_, count_);
  }
  const Pattern* jacobian_pattern() override { return places_.empty() ? nullptr : &pattern_; }
  void split_jacobian(double t, ConstVectorRef x, ConstVectorRef dx, SplitJacobian& jacobian) override {
    x_.head(count_) = x;
    dx_.setZero();
    dx_.head(count_) = dx;
    ode_.split_jacobian(t, x_, dx_, split_);
    jacobian.values.resize(static_cast<Index>(places_.size()));
    for (std::size_t k = 0; k < places_.size(); ++k)
      jacobian.values[static_cast<Index>(k)] = split_.values[places_[k]];
    jacobian.left = split_.left.topRows(std::min(count_, split_.left.rows()));
    jacobian.right = split_.right.topRows(std::min(count_, split_.right.rows()));
    jacobian.corner = split_.corner;
    if (!split_.has_border()) {
      jacobian.border_columns = split_.border_columns;
      jacobian.border_rows = split_.border_rows;
      return;
    }
    jacobian.border_columns = split_.border_columns.topRows(count_);
    jacobian.border_rows = split_.border_rows.leftCols(count_);
  }
  bool has_jacobian_times() const override { return ode_.has_jacobian_times(); }
  void jacobian_times(double t, ConstVectorRef x, ConstVectorRef direction, VectorRef product) override {
    times([&](ConstVectorRef from, VectorRef to) { ode_.jacobian_times(t, x_, from, to); }, &x, direction,
          product);
  }
  bool has_preconditioner() const override { return ode_.has_preconditioner(); }
  void prepare_preconditioner(double t, ConstVectorRef x, double gamma) override {
    x_.head(count_) = x;
    ode_.prepare_preconditioner(t, x_, gamma);
  }
  void precondition(ConstVectorRef r, VectorRef z) override {
    times([&](ConstVectorRef from, VectorRef to) { ode_.precondition(from, to); }, nullptr, r, z);
  }
  bool knows_decay() const override { return ode_.knows_decay(); }
  double decay_rate(double t, ConstVectorRef x) override {
    x_.head(count_) = x;
    return ode_.decay_rate(t, x_);
  }
  Index root_functions() const override { return ode_.root_functions(); }
  void root_values(double t, ConstVectorRef x, VectorRef values) override {
    x_.head(count_) = x;
    ode_.root_values(t, x_, values);
  }
  bool constrained() const override { return ode_.constrained(); }
  void project(double t, ConstVectorRef weights, VectorRef x) override {
    x_.head(count_) = x;
    weights_.head(count_) = weights;
    dx_ = x_;
    ode_.project(t, weights_, dx_);
    x = dx_.head(count_);
  }
  bool may_be_moved(double t, ConstVectorRef x) override {
    x_.head(count_) = x;
    return ode_.may_be_moved(t, x_);
  }

 private:
  void take_pattern(const Pattern& all) {
    pattern_ = {.rows = count_, .columns = count_};
    for (Index i = 0; i < count_; ++i) {
      const auto row = static_cast<std::size_t>(i);
      for (Index k = all.start[row]; k < all.start[row + 1]; ++k) {
        const Index column = all.column[static_cast<std::size_t>(k)];
        if (column >= count_) continue;
        pattern_.column.push_back(column);
        places_.push_back(k);
      }
      pattern_.start.push_back(pattern_.entries());
    }
  }

  template <class Function>
  void times(const Function& function, const Eigen::Ref<const Vector>* x, ConstVectorRef from, VectorRef to) {
    if (x) x_.head(count_) = *x;
    Vector all = Vector::Zero(x_.size());
    all.head(count_) = from;
    function(all, dx_);
    to = dx_.head(count_);
  }

  SmoothOde& ode_;
  Index count_;
  Vector x_, dx_, weights_;
  Matrix full_;
  SplitJacobian split_;
  Pattern pattern_;
  std::vector<Index> places_;  // of its entries in the pattern of all states
};

class ContinuousStepper final : public Stepper {
 public:
  ContinuousStepper(SmoothOde& ode, Index discrete, const StepperOptions& options)
      : ode_(ode, discrete), count_(ode.states() - discrete), states_(ode.states()) {
    options_ = options;
    options_.atol = options.atol.head(count_);
  }
  template <class Make>
  void make(const Make& make) {
    inner_ = make(ode_, options_);
  }

  bool start(double t, ConstVectorRef x, double end, double first_step) override {
    ode_.set_discrete(x);
    return inner_->start(t, x.head(count_), end, first_step);
  }
  StepReport step() override { return inner_->step(); }
  void evaluate(double t, VectorRef x) override {
    inner_->evaluate(t, x.head(count_));
    x.tail(states_ - count_) = ode_.discrete_states();
  }
  Interpolant interpolant() override {
    const Interpolant inner = inner_->interpolant();
    take_columns(inner);
    for (Index k = 0; k < inner.terms; ++k) columns_.col(k).head(count_) = inner.coefficient(k);
    for (Index j = count_; j < states_; ++j) set_constant(j);
    return of(inner);
  }
  Interpolant interpolant_of(std::span<const int> states) override {
    const Interpolant inner = inner_->interpolant_of(states_behind(states));
    take_columns(inner);
    for (const int state : states) {
      if (state >= count_) {
        set_constant(state);
        continue;
      }
      for (Index k = 0; k < inner.terms; ++k) columns_(state, k) = inner.columns[k][state];
    }
    return of(inner);
  }
  StepChords chords_of(std::span<const int> states) override {
    const StepChords inner = inner_->chords_of(states_behind(states));
    if (!inner.first || !inner.last || !inner.off) return {};
    chords_.resize(states_, 3);
    for (const int state : states) {
      if (state < count_) {
        chords_.row(state) << inner.first[state], inner.last[state], inner.off[state];
        continue;
      }
      const double value = ode_.discrete(state);
      chords_.row(state) << value, value, 2 * StepChords::kRounding * std::abs(value);
    }
    return {.start = inner.start,
            .end = inner.end,
            .first = chords_.col(0).data(),
            .last = chords_.col(1).data(),
            .off = chords_.col(2).data()};
  }
  void error_weights(ConstVectorRef x, VectorRef weights) const override {
    inner_->error_weights(x.head(count_), weights.head(count_));
    weights.tail(states_ - count_).setConstant(kDiscreteWeight);
  }
  double last_step_size() const override { return inner_->last_step_size(); }
  double damped_rate() const override { return inner_->damped_rate(); }
  double usual_step() const override { return inner_->usual_step(); }
  bool stages_span_step() const override { return inner_->stages_span_step(); }
  std::span<const int> roots() const override { return inner_->roots(); }
  const StepFailure& failure() const override { return inner_->failure(); }
  bool has_another_method() const override { return inner_->has_another_method(); }
  StepperStatistics statistics() const override { return inner_->statistics(); }
  std::int64_t steps() const override { return inner_->steps(); }

 private:
  std::span<const int> states_behind(std::span<const int> states) {
    behind_.clear();
    for (const int state : states) {
      if (state < count_) behind_.push_back(state);
    }
    return behind_;
  }
  void take_columns(const Interpolant& inner) {
    columns_.resize(states_, inner.terms);
    starts_.resize(static_cast<std::size_t>(inner.terms));
    for (Index k = 0; k < inner.terms; ++k) starts_[static_cast<std::size_t>(k)] = columns_.col(k).data();
  }
  void set_constant(Index state) {
    columns_.row(state).setZero();
    if (columns_.cols() > 0) columns_(state, 0) = ode_.discrete(state);
  }
  Interpolant of(const Interpolant& inner) const {
    Interpolant all = inner;
    all.states = states_;
    all.columns = starts_.data();
    return all;
  }

  ContinuousOde ode_;
  Index count_, states_;
  StepperOptions options_;
  std::unique_ptr<Stepper> inner_;
  std::vector<int> behind_;
  Matrix columns_, chords_;
  std::vector<const double*> starts_;
};

}  // namespace

std::unique_ptr<Stepper> make_continuous_stepper(
    SmoothOde& ode, Index discrete, const StepperOptions& options,
    const std::function<std::unique_ptr<Stepper>(SmoothOde& ode, const StepperOptions& options)>& make) {
  auto stepper = std::make_unique<ContinuousStepper>(ode, discrete, options);
  stepper->make(make);
  return stepper;
}

}  // namespace slideway
