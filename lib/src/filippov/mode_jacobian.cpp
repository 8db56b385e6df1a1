#include "filippov/mode_jacobian.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/at.hpp"
#include "core/factorise.hpp"
#include "filippov/dependent_relays.hpp"
#include "filippov/linear_factors.hpp"
#include "filippov/sliding_share.hpp"
#include "slideway/core/finite.hpp"

namespace slideway {

namespace {

// Relays are local in groups of at most so many, whose part fills at most so many entries.
constexpr Index kLargestRelayGroup = 8;
constexpr Index kMostRelayEntries = 64;
// A change of the Jacobian of larger rank is kept as its three sparse factors B, K and C.
constexpr Index kMostOfLowRank = 8;
// Up to this number of relays solve_dependent() takes a dense matrix, of 8 MB at most, where the sparse factors fail.
constexpr Index kMostDependent = 1000;
// The equations for the forces are dependent below this reciprocal condition number.
constexpr double kSingularForces = 1e-13;

}  // namespace

ModeJacobian::ModeJacobian(ModeField& field, Evaluator& evaluator, const RelayStructure& structure,
                           ContactsInForce contacts)
    : field_(field),
      evaluator_(evaluator),
      structure_(structure),
      derivatives_(evaluator),
      contacts_(std::move(contacts)) {
  make_pattern();
  const auto slots_of = [&](const Pattern& pattern) {
    std::vector<Index> slots;
    for (Index i = 0; i < pattern.rows; ++i) {
      for (Index k = pattern.start[at(i)]; k < pattern.start[at(i + 1)]; ++k) {
        slots.push_back(slot(i, pattern.column[at(k)]));
      }
    }
    return slots;
  };
  const Pattern& by_state = derivatives_.field_pattern();
  field_slot_ = slots_of(by_state);
  // The system with contacts has the better steps where derivatives are differences.
  if (contacts_ && contacts_->free_evaluator().field_dx_source() != DerivativeSource::finite_difference) {
    without_contacts_.emplace(contacts_->free_evaluator());
    slot_without_contacts_ = slots_of(without_contacts_->field_pattern());
  }
  field_entries_ = Vector::Zero(by_state.entries());
  normal_minus_ = normal_plus_ = Vector::Zero(derivatives_.normal_pattern().entries());
  if (evaluator.system().surfaces() > 0) relays_ = Vector::Zero(derivatives_.relay_pattern().entries());
}

void ModeJacobian::make_pattern() {
  const Index n = evaluator_.system().states();
  const Index m = evaluator_.system().surfaces();
  const Pattern& by_state = derivatives_.field_pattern();
  std::vector<std::vector<Index>> rows(at(n));
  for (Index i = 0; i < n; ++i) {
    rows[at(i)].assign(by_state.column.begin() + by_state.start[at(i)],
                       by_state.column.begin() + by_state.start[at(i + 1)]);
    rows[at(i)].push_back(i);
  }
  local_.assign(at(m), 0);
  is_member_.assign(at(m), 1);
  position_.assign(at(m), -1);
  if (m > 0) {
    relay_rows_ = transposed(derivatives_.relay_pattern());
    std::vector<Index> all(at(m));
    for (Index i = 0; i < m; ++i) all[at(i)] = i;
    std::vector<char> seen(at(m), 0);
    for (Index i = 0; i < m; ++i) {
      if (seen[at(i)]) continue;
      const std::vector<Index> group = structure_.component(i, all, is_member_);
      for (const Index member : group) seen[at(member)] = 1;
      if (static_cast<Index>(group.size()) > kLargestRelayGroup) continue;
      const std::vector<Index> acted_on = columns_of(relay_rows_, group);
      const std::vector<Index> watched = columns_of(derivatives_.normal_pattern(), group);
      if (static_cast<Index>(acted_on.size() * watched.size()) > kMostRelayEntries) continue;
      for (const Index member : group) local_[at(member)] = 1;
      for (const Index row : acted_on)
        rows[at(row)].insert(rows[at(row)].end(), watched.begin(), watched.end());
    }
  }
  is_member_.assign(at(m), 0);
  pattern_ = pattern_from_rows(n, std::move(rows));
}

Index ModeJacobian::slot(Index row, Index column) const {
  const auto first = pattern_.column.begin() + pattern_.start[at(row)];
  const auto last = pattern_.column.begin() + pattern_.start[at(row + 1)];
  return static_cast<Index>(std::lower_bound(first, last, column) - pattern_.column.begin());
}

void ModeJacobian::add_field(double weight, Vector& entries) const {
  for (std::size_t k = 0; k < field_slot_.size(); ++k) {
    entries[field_slot_[k]] += weight * field_entries_[static_cast<Index>(k)];
  }
}

void ModeJacobian::compute(double t, ConstVectorRef x, SplitJacobian& jacobian) {
  jacobian.values.setZero(pattern_.entries());
  jacobian.left.resize(x.size(), 0);
  jacobian.right.resize(x.size(), 0);
  jacobian.border_columns.resize(x.size(), 0);
  jacobian.border_rows.resize(0, x.size());
  jacobian.corner.resize(0, 0);
  if (contacts_ && !contacts_->far_closed(*contacts_.modes).empty()) {
    compute_with_far_contacts(t, x, jacobian);
  } else if (field_.sliding().empty()) {
    lambda_ = field_.lambda(t, x);
    if (without_contacts_ && contacts_.modes->closed.empty()) {
      Vector free_entries(static_cast<Index>(slot_without_contacts_.size()));
      field_.differentiate_near(t, x, lambda_, [&](ConstVectorRef point) {
        without_contacts_->field_dx(t, point, lambda_, free_entries);
        return all_finite(free_entries);
      });
      for (std::size_t k = 0; k < slot_without_contacts_.size(); ++k) {
        jacobian.values[slot_without_contacts_[k]] += free_entries[static_cast<Index>(k)];
      }
      return;
    }
    field_.differentiate_near(t, x, lambda_, [&](ConstVectorRef point) {
      derivatives_.field_dx(t, point, lambda_, field_entries_);
      return all_finite(field_entries_);
    });
    add_field(1, jacobian.values);
  } else if (slides_along_one()) {
    compute_one(t, x, jacobian);
  } else if (field_.uses_moments()) {
    compute_moments(t, x, jacobian);
  } else {
    compute_several(t, x, jacobian);
  }
}

void ModeJacobian::compute_one(double t, ConstVectorRef x, SplitJacobian& jacobian) {
  Vector& entries = jacobian.values;
  Matrix& left = jacobian.left;
  Matrix& right = jacobian.right;
  const Index i = field_.sliding().front();
  one_.assign(1, i);
  lambda_ = field_.lambda(t, x);
  const double stored = lambda_[i];
  const auto differentiate = [&](double side, Vector& normal) {
    lambda_[i] = side;
    field_.differentiate_near(t, x, lambda_, [&](ConstVectorRef point) {
      derivatives_.field_dx(t, point, lambda_, field_entries_);
      derivatives_.normal_dx(t, point, lambda_, field_entries_, one_, normal);
      return all_finite(field_entries_) && all_finite(normal);
    });
  };
  differentiate(-1, normal_minus_);
  const NeighbourFields& fields = field_.finite_neighbours(t, x, i);
  const SlidingShare share(fields, stored);
  add_field(1 - share.alpha(), entries);
  differentiate(1, normal_plus_);
  add_field(share.alpha(), entries);

  const Pattern& normals = derivatives_.normal_pattern();
  const auto slope = [&](Index k) { return share.slope(normal_minus_[k], normal_plus_[k]); };
  const Index first = normals.start[at(i)];
  const Index last = normals.start[at(i + 1)];
  if (!local_[at(i)]) {
    left = fields.plus - fields.minus;
    right.setZero(x.size(), 1);
    for (Index k = first; k < last; ++k) right(normals.column[at(k)], 0) = slope(k);
    return;
  }
  for (Index r = relay_rows_.start[at(i)]; r < relay_rows_.start[at(i + 1)]; ++r) {
    const Index row = relay_rows_.column[at(r)];
    const double difference = fields.plus[row] - fields.minus[row];
    for (Index k = first; k < last; ++k) entries[slot(row, normals.column[at(k)])] += difference * slope(k);
  }
}

Eigen::SparseMatrix<double> ModeJacobian::columns_of_relays(const std::vector<Index>& group) const {
  const Pattern& relays = derivatives_.relay_pattern();
  std::vector<Eigen::Triplet<double>> found;
  for (std::size_t c = 0; c < group.size(); ++c) {
    const Index i = field_.sliding()[at(group[c])];
    for (Index r = relay_rows_.start[at(i)]; r < relay_rows_.start[at(i + 1)]; ++r) {
      const Index row = relay_rows_.column[at(r)];
      const auto start = relays.column.begin() + relays.start[at(row)];
      const auto end = relays.column.begin() + relays.start[at(row + 1)];
      found.emplace_back(row, static_cast<Index>(c),
                         relays_[std::lower_bound(start, end, i) - relays.column.begin()]);
    }
  }
  Eigen::SparseMatrix<double> columns(relays.rows, static_cast<Index>(group.size()));
  columns.setFromTriplets(found.begin(), found.end());
  return columns;
}

Eigen::SparseMatrix<double> ModeJacobian::rows_of_surfaces(const std::vector<Index>& group) const {
  const Pattern& normals = derivatives_.normal_pattern();
  std::vector<Eigen::Triplet<double>> found;
  for (std::size_t r = 0; r < group.size(); ++r) {
    const Index i = field_.sliding()[at(group[r])];
    for (Index k = normals.start[at(i)]; k < normals.start[at(i + 1)]; ++k)
      found.emplace_back(static_cast<Index>(r), normals.column[at(k)], normal_plus_[k]);
  }
  Eigen::SparseMatrix<double> rows(static_cast<Index>(group.size()), normals.columns);
  rows.setFromTriplets(found.begin(), found.end());
  return rows;
}

void ModeJacobian::compute_several(double t, ConstVectorRef x, SplitJacobian& jacobian) {
  Vector& entries = jacobian.values;
  Matrix& left = jacobian.left;
  Matrix& right = jacobian.right;
  const std::vector<Index>& sliding = field_.sliding();
  lambda_ = field_.lambda(t, x);
  field_.differentiate_near(t, x, lambda_, [&](ConstVectorRef point) {
    derivatives_.field_dx(t, point, lambda_, field_entries_);
    derivatives_.normal_dx(t, point, lambda_, field_entries_, sliding, normal_plus_);
    return all_finite(field_entries_);
  });
  add_field(1, entries);
  derivatives_.field_dlambda(t, x, lambda_, relays_);
  const std::vector<Eigen::Triplet<double>>& couplings = field_.relay_couplings(t, x);

  for (std::size_t k = 0; k < sliding.size(); ++k) {
    is_member_[at(sliding[k])] = local_[at(sliding[k])];
    position_[at(sliding[k])] = static_cast<Index>(k);
  }
  relay_matrix_.resize(static_cast<Index>(sliding.size()), static_cast<Index>(sliding.size()));
  relay_matrix_.setFromTriplets(couplings.begin(), couplings.end());

  std::vector<Index> far;
  for (std::size_t k = 0; k < sliding.size(); ++k) {
    if (!local_[at(sliding[k])]) {
      far.push_back(static_cast<Index>(k));
    } else if (is_member_[at(sliding[k])]) {
      std::vector<Index> group = structure_.component(sliding[k], sliding, is_member_);
      for (Index& member : group) {
        is_member_[at(member)] = 0;
        member = position_[at(member)];
      }
      subtract_local(group, entries);
    }
  }
  // solve_dependent() would give the slope zero to a relay that stands in no equation. Without such relays its dense matrix is small.
  if (field_.relays_are_dependent()) {
    std::vector<char> is_coupled(sliding.size(), 0);
    for (const auto& entry : couplings)
      if (entry.value() != 0) is_coupled[at(entry.row())] = is_coupled[at(entry.col())] = 1;
    std::erase_if(far, [&](Index k) { return is_coupled[at(k)] == 0; });
  }
  // Surfaces whose w does not depend on the state add nothing to the rank.
  std::vector<Index> dependent;
  const Pattern& normals = derivatives_.normal_pattern();
  for (std::size_t k = 0; k < far.size(); ++k) {
    const std::size_t i = at(sliding[at(far[k])]);
    const auto begin = normal_plus_.begin();
    if (std::any_of(begin + normals.start[i], begin + normals.start[i + 1],
                    [](double slope) { return slope != 0; }))
      dependent.push_back(static_cast<Index>(k));
  }
  if (dependent.empty()) return;
  // D splits into the local groups and the rest.
  std::vector<Index> place(sliding.size(), -1);
  for (std::size_t k = 0; k < far.size(); ++k) place[at(far[k])] = static_cast<Index>(k);
  std::vector<Eigen::Triplet<double>> far_couplings;
  for (const auto& entry : couplings) {
    if (place[at(entry.row())] < 0 || place[at(entry.col())] < 0) continue;
    far_couplings.emplace_back(static_cast<int>(place[at(entry.row())]),
                               static_cast<int>(place[at(entry.col())]), entry.value());
  }
  Eigen::SparseMatrix<double> far_matrix(static_cast<Index>(far.size()), static_cast<Index>(far.size()));
  far_matrix.setFromTriplets(far_couplings.begin(), far_couplings.end());
  const auto take_dependent = [&] {
    left = -columns_of_relays(far);
    right = solve_dependent(Matrix(far_matrix), Matrix(rows_of_surfaces(far))).transpose();
  };
  if (field_.relays_are_dependent() && !LinearFactors(far_matrix).solve(Vector::Ones(far_matrix.rows()))) {
    take_dependent();
    return;
  }
  if (static_cast<Index>(dependent.size()) > kMostOfLowRank) {
    jacobian.border_columns = columns_of_relays(far);
    jacobian.border_rows = rows_of_surfaces(far);
    jacobian.corner = std::move(far_matrix);
    return;
  }
  const Eigen::SparseLU<Eigen::SparseMatrix<double>> factors(far_matrix);
  if (factors.info() != Eigen::Success) {
    // Relays that are independent where the step begins may be dependent where Newton's iteration asks. An exception there would fail
    // every shorter step as well.
    if (far_matrix.rows() > kMostDependent)
      throw std::runtime_error("the relays' effects on the surfaces they slide along are not independent");
    take_dependent();
    return;
  }
  Matrix chosen = Matrix::Zero(far_matrix.rows(), static_cast<Index>(dependent.size()));
  for (std::size_t k = 0; k < dependent.size(); ++k) chosen(dependent[k], static_cast<Index>(k)) = 1;
  left = -columns_of_relays(far) * Matrix(factors.solve(chosen));
  for (Index& k : dependent) k = far[at(k)];
  right = rows_of_surfaces(dependent).transpose();
}

void ModeJacobian::compute_with_far_contacts(double t, ConstVectorRef x, SplitJacobian& jacobian) {
  Vector& entries = jacobian.values;
  Matrix& left = jacobian.left;
  Matrix& right = jacobian.right;
  const std::vector<Index>& sliding = field_.sliding();
  const auto s = static_cast<Index>(sliding.size());
  const auto k = static_cast<Index>(contacts_->far_closed(*contacts_.modes).size());
  lambda_ = field_.lambda(t, x);
  const Vector held = contacts_->far_forces(t, x, lambda_, *contacts_.modes, contacts_.terms->rate);
  const struct Hold {
    ForceTerms& terms;
    ~Hold() { terms.far = nullptr; }
  } hold{*contacts_.terms};
  contacts_.terms->far = &held;

  derivatives_.field_dx(t, x, lambda_, field_entries_);
  add_field(1, entries);
  Matrix forces, force_rows;
  contacts_->far_directions(t, x, lambda_, *contacts_.modes, forces);
  contacts_->far_residual_dx(t, x, lambda_, *contacts_.modes, *contacts_.terms, force_rows);
  left.resize(x.size(), s + k);
  left.rightCols(k) = forces;
  Matrix rows = Matrix::Zero(s + k, x.size());
  rows.bottomRows(k) = force_rows;
  Matrix coupling = Matrix::Zero(s + k, s + k);
  coupling.bottomRightCorner(k, k) = contacts_->far_effects(t, x, lambda_, *contacts_.modes);
  if (s > 0) {
    derivatives_.normal_dx(t, x, lambda_, field_entries_, sliding, normal_plus_);
    derivatives_.field_dlambda(t, x, lambda_, relays_);
    std::vector<Index> all(sliding.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Index>(i);
    left.leftCols(s) = columns_of_relays(all);
    rows.topRows(s) = rows_of_surfaces(all);
    Vector rates(position_.size());
    for (Index j = 0; j < s + k; ++j) {
      evaluator_.guard_directional(t, x, 0, left.col(j), rates);
      for (Index i = 0; i < s; ++i) coupling(i, j) = rates[sliding[at(i)]];
    }
    coupling.bottomLeftCorner(k, s) =
        contacts_->far_residual_dlambda(t, x, lambda_, *contacts_.modes, *contacts_.terms, sliding);
  }
  // z enters few states: the inverse goes to their side.
  std::vector<Index> entered;
  for (Index i = 0; i < left.rows(); ++i) {
    if ((left.row(i).array() != 0).any()) entered.push_back(i);
  }
  const Matrix columns = left(entered, Eigen::all).transpose();
  const Eigen::PartialPivLU<Matrix> factors(coupling.transpose());
  Matrix solved;
  if (factors.rcond() > kSingularForces) {
    solved = factors.solve(columns).transpose();
  } else {
    // Forces may be shared (a table on four legs); what they do is not.
    const Eigen::CompleteOrthogonalDecomposition<Matrix> orthogonal(coupling.transpose());
    solved = orthogonal.solve(columns).transpose();
  }
  left(entered, Eigen::all) = solved;
  right = -rows.transpose();
}

void ModeJacobian::subtract_local(const std::vector<Index>& group, Vector& entries) {
  const Index size = static_cast<Index>(group.size());
  const Pattern& normals = derivatives_.normal_pattern();
  const Pattern& relays = derivatives_.relay_pattern();
  std::vector<Index> surfaces;
  for (const Index k : group) surfaces.push_back(field_.sliding()[at(k)]);
  const std::vector<Index> acted_on = columns_of(relay_rows_, surfaces);
  const std::vector<Index> watched = columns_of(normals, surfaces);
  const auto index_in = [](const std::vector<Index>& sorted, Index value) {
    return static_cast<Index>(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
  };
  Matrix coupling = Matrix::Zero(size, size);
  Matrix rows = Matrix::Zero(size, static_cast<Index>(watched.size()));
  Matrix columns = Matrix::Zero(static_cast<Index>(acted_on.size()), size);
  for (Index r = 0; r < size; ++r) {
    for (decltype(relay_matrix_)::InnerIterator entry(relay_matrix_, group[at(r)]); entry; ++entry) {
      const auto found = std::find(group.begin(), group.end(), entry.col());
      if (found != group.end()) coupling(r, static_cast<Index>(found - group.begin())) = entry.value();
    }
    const Index i = surfaces[at(r)];
    for (Index k = normals.start[at(i)]; k < normals.start[at(i + 1)]; ++k) {
      rows(r, index_in(watched, normals.column[at(k)])) = normal_plus_[k];
    }
  }
  for (std::size_t a = 0; a < acted_on.size(); ++a) {
    const Index row = acted_on[a];
    for (Index k = relays.start[at(row)]; k < relays.start[at(row + 1)]; ++k) {
      const Index c = index_in(surfaces, relays.column[at(k)]);
      if (c < size && surfaces[at(c)] == relays.column[at(k)]) columns(static_cast<Index>(a), c) = relays_[k];
    }
  }
  const Matrix slopes = field_.relays_are_dependent() ? solve_dependent(coupling, rows)
                                                      : Matrix(coupling.partialPivLu().solve(rows));
  const Matrix part = columns * slopes;
  for (std::size_t a = 0; a < acted_on.size(); ++a) {
    for (std::size_t b = 0; b < watched.size(); ++b) {
      entries[slot(acted_on[a], watched[b])] -= part(static_cast<Index>(a), static_cast<Index>(b));
    }
  }
}

// x' = Fμ:  S = Σ μ_v J_v, and F ∂μ/∂x of rank four.
void ModeJacobian::compute_moments(double t, ConstVectorRef x, SplitJacobian& jacobian) {
  Vector& entries = jacobian.values;
  Matrix& left = jacobian.left;
  Matrix& right = jacobian.right;
  const Index n = x.size();
  const std::vector<Index>& sliding = field_.sliding();
  lambda_ = field_.lambda(t, x);
  const MomentsSolution& moments = field_.moments();
  const Pattern& normals = derivatives_.normal_pattern();
  Matrix table_slope = Matrix::Zero(8, n);
  for (Index v = 0; v < 4; ++v) {
    for (Index i = 0; i < 2; ++i) lambda_[sliding[at(i)]] = (v >> i) & 1 ? 1 : -1;
    derivatives_.field_dx(t, x, lambda_, field_entries_);
    add_field(moments.weights[v], entries);
    derivatives_.normal_dx(t, x, lambda_, field_entries_, sliding, normal_plus_);
    for (Index s = 0; s < 2; ++s) {
      const Index i = sliding[at(s)];
      for (Index k = normals.start[at(i)]; k < normals.start[at(i + 1)]; ++k) {
        table_slope(2 * v + s, normals.column[at(k)]) = normal_plus_[k];
      }
    }
  }
  left = field_.corner_fields();
  right.resize(n, 4);
  for (Index j = 0; j < n; ++j) {
    const Eigen::Matrix<double, 2, 4> table_dot = table_slope.col(j).reshaped(2, 4);
    right.row(j) = moments_derivative(field_.corner_table(), moments, table_dot).transpose();
  }
}

}  // namespace slideway
