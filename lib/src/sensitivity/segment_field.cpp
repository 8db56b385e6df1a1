#include "sensitivity/segment_field.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <optional>

#include "sensitivity/differences.hpp"
#include "slideway/core/finite.hpp"

namespace slideway {

SegmentField::SegmentField(const Automaton& automaton,
                           const std::vector<std::shared_ptr<const RelayStructure>>& structures,
                           const Options& options, double duration, Index states_of_problem)
    : automaton_(automaton),
      states_of_problem_(states_of_problem),
      contact_modes_(automaton.system().contacts()),
      made_(automaton, structures, options, duration, contact_modes_),
      sizes_(options.atol.expand(automaton.system().states(), options.rtol) / options.rtol) {}

void SegmentField::take(const Segment& segment, double t, ConstVectorRef x, ConstVectorRef lambda) {
  const std::vector<Location>& locations = automaton_.locations();
  std::size_t location = 0;
  while (location < locations.size() && locations[location].name != segment.location) ++location;
  if (location < locations.size()) {
    tools_ = &made_.of_location(location);
  } else {
    const std::optional<JoinedEdges> joined = automaton_.joined_edges(segment.location, t, x);
    tools_ = made_.of_pair(joined.value().rising, joined.value().falling).tools.get();
  }
  const Index surfaces = tools_->system.surfaces();
  mode_ = Mode(surfaces);
  for (Index i = 0; i < surfaces; ++i) mode_.set(i, segment.mode[i]);
  if (tools_->contacts) contact_modes_ = tools_->contacts->modes_in(segment.mode, surfaces);
  lambda_ = Vector::Zero(surfaces);
  if (lambda.size() == surfaces) lambda_ = lambda;
  second_order_.clear();
  if (location < locations.size()) find_second_order(location, t, x, lambda_);
  mode_.fill_lambda(lambda_);
  tools_->ode.begin(mode_, lambda_, false);
}

LocationTools* SegmentField::tools_of(const std::string& location) {
  const std::vector<Location>& locations = automaton_.locations();
  for (std::size_t k = 0; k < locations.size(); ++k)
    if (locations[k].name == location) return &made_.of_location(k);
  return nullptr;
}

Vector SegmentField::weights() const {
  Vector weights = sizes_.cwiseInverse();
  weights.tail(weights.size() - states_of_problem_).setConstant(std::numeric_limits<double>::infinity());
  return weights;
}

// Sliding of second order is along surfaces whose speeds across are zero on both sides.
void SegmentField::find_second_order(std::size_t location, double t, ConstVectorRef x,
                                     ConstVectorRef lambda) {
  if (!tools_->system.definition().second_order) return;
  Vector at = lambda, across = Vector::Zero(x.size());
  mode_.fill_lambda(at);
  Vector minus(x.size()), plus(x.size());
  for (Index i = 0; i < mode_.size(); ++i) {
    if (!mode_.slides_on(i)) continue;
    try {
      tools_->evaluator.neighbour_fields(t, x, at, i, minus, plus);
      across = plus - minus;
      if (!all_finite(across)) {
        second_order_.push_back(i);
        continue;
      }
      Vector gradient(x.size());
      tools_->evaluator.guard_gradient(t, x, i, gradient);
      const double effect = std::abs(gradient.dot(across));
      if (effect <= 1e-12 * gradient.norm() * across.norm() && across.norm() > 0) second_order_.push_back(i);
    } catch (const std::exception&) {
      second_order_.push_back(i);
    }
  }
  if (second_order_.empty()) return;
  LocationTools* const tools = made_.in_second_order(location, second_order_);
  if (!tools) {
    second_order_.clear();
    return;
  }
  plain_ = tools_;
  tools_ = tools;
}

Matrix SegmentField::kept_normals(double t, ConstVectorRef x) {
  if (second_order_.empty()) return Matrix(0, x.size());
  if (StayingZero* const staying = tools_->staying.get()) {
    Matrix normals = Matrix::Zero(staying->of->kept->surfaces(), x.size());
    staying->evaluator.guards_dx(t, x, normals);
    return normals;
  }
  Matrix normals(static_cast<Index>(second_order_.size()), x.size());
  Vector gradient(x.size());
  for (std::size_t k = 0; k < second_order_.size(); ++k) {
    plain_->evaluator.guard_gradient(t, x, second_order_[k], gradient);
    normals.row(static_cast<Index>(k)) = gradient.transpose();
  }
  return normals;
}

Vector SegmentField::lambda(double t, ConstVectorRef x) {
  Vector lambda = lambda_;
  if (tools_->ode.slides()) {
    lambda = tools_->ode.field().lambda(t, x);
  } else {
    mode_.fill_lambda(lambda);
  }
  return lambda;
}

const Pattern* SegmentField::sparse_pattern() {
  return closed().empty() && !tools_->contacts ? tools_->ode.jacobian_pattern() : nullptr;
}

const Pattern* SegmentField::pattern_of_many_states() {
  // Derivatives of a heated rod of 21 states then cost 3.4 times the run, and 17 times with full matrices; of 5 states a full one is faster.
  constexpr Index few = 6;
  return states_of_problem_ >= few ? sparse_pattern() : nullptr;
}

void SegmentField::split_jacobian(double t, ConstVectorRef x, SplitJacobian& jacobian) {
  // The Jacobian of a mode is made without its velocity.
  tools_->ode.split_jacobian(t, x, dx_, jacobian);
}

void SegmentField::jacobian(double t, ConstVectorRef x, Matrix& jacobian) {
  const Index n = x.size();
  jacobian.resize(n, n);
  if (closed().empty()) {
    if (tools_->contacts) {
      tools_->ode.field().jacobian(t, x, jacobian);
      return;
    }
    tools_->ode.jacobian(t, x, dx_, jacobian);
    return;
  }
  if (tools_->contacts && tools_->contacts->has_exact_derivatives(contact_modes_)) {
    tools_->ode.field().jacobian(t, x, jacobian);
    return;
  }
  // Differences tell the forces of other contacts. A parameter may multiply t, and so vary on a scale that its size does not tell.
  direction_ = Vector::Zero(n);
  column_.resize(n);
  for (Index j = 0; j < n; ++j) {
    direction_[j] = 1;
    const double step = 0.01 * std::max(std::abs(x[j]), sizes_[j]);
    refined_difference(
        step,
        [&](double s, Vector& out) {
          moved_ = x + s * direction_;
          tools_->ode.velocity(t, moved_, out);
        },
        buffer_, column_);
    jacobian.col(j) = column_;
    direction_[j] = 0;
  }
}

}  // namespace slideway
