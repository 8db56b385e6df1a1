// define_system: from nodes of the graph to the functions of a System, with the derivatives and their patterns.

#include <algorithm>
#include <memory>

#include "expression/expression_derivatives.hpp"
#include "expression/expression_tape.hpp"
#include "expression/tape_inputs.hpp"
#include "model/sparse_field_derivative.hpp"
#include "model_file/field_explanation.hpp"
#include "model_file/file_rows.hpp"
#include "model_file/lowering.hpp"
#include "model_file/surfaces_in_force.hpp"
#include "slideway/detail/model/explained_field.hpp"

namespace slideway::reader {
namespace {

constexpr Index kFewStates = 64;
// Rows that depend on more states than these would each take a large part of what all of them take together.
constexpr Index kLongestRow = 64;

struct Entry {
  Index row = 0;
  Index column = 0;
};

// The entries of a matrix that do not vanish identically, and the tape that computes them.
struct SparseMatrixTape {
  Tape tape;
  std::vector<Entry> entries;

  template <class Load>
  void evaluate(const Load& load, MatrixRef derivative) const {
    derivative.setZero();
    tape.evaluate<double>(
        load, [&](std::size_t k, double value) { derivative(entries[k].row, entries[k].column) = value; });
  }
};

struct SystemTapes {
  Tape field;
  Tape guards;
  Tape guards_dt;
  Tape break_away;
  Tape break_away_below;
  SparseMatrixTape field_dx;
  SparseMatrixTape field_dlambda;
  SparseMatrixTape guards_dx;
  SparseMatrixTape normal_dx;
  Tape followers;
  std::vector<std::uint32_t> followed;  // the states that these set
  FieldExplanation explanation;
  SurfacesInForce in_force;
  bool is_affine_by_mode = false;  // the field, in states and time for every λ
};

class FileField : public ExplainedField::Source {
 public:
  explicit FileField(std::shared_ptr<const SystemTapes> tapes) : tapes_(std::move(tapes)) {}

  void evaluate(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx) const override {
    double* const out = dx.data();
    tapes_->field.evaluate<double>(point(t, x, lambda),
                                   [out](std::size_t k, double value) { out[k] = value; });
  }
  std::string explain(double t, ConstVectorRef x, ConstVectorRef lambda, Index state) const override {
    return tapes_->explanation(t, x, lambda, state);
  }
  bool has_branches() const override { return tapes_->in_force.any_branches(); }
  bool is_in_force(ConstVectorRef lambda, Index surface) const override {
    return tapes_->in_force(lambda, surface);
  }
  bool is_affine_by_mode() const override { return tapes_->is_affine_by_mode; }
  void follow(double t, VectorRef x) const override {
    if (tapes_->followed.empty()) return;
    const Vector before = x;
    tapes_->followers.evaluate<double>(point(t, before), [&](std::size_t k, double value) {
      x[static_cast<Index>(tapes_->followed[k])] = value;
    });
  }

 private:
  std::shared_ptr<const SystemTapes> tapes_;
};

class SystemMaker {
 public:
  SystemMaker(ExpandedModel& model, const std::vector<NodeId>& derivatives,
              const std::vector<Position>& places)
      : places_(places),
        model_(model),
        graph_(model.graph),
        derivatives_(derivatives),
        jumping_(jumping_nodes(model.graph)),
        tapes_(std::make_shared<SystemTapes>()) {
    for (const ExpandedSurface& surface : model.surfaces) guards_.push_back(surface.guard);
  }

  SystemDefinition make(const std::string& name) {
    SystemDefinition definition;
    definition.name = name;
    definition.states = static_cast<Index>(model_.state_names.size());
    // Parameters that are states have no derivatives either; memories come after them.
    definition.discrete = model_.discrete + static_cast<Index>(model_.free_parameters);
    definition.surfaces = static_cast<Index>(model_.surfaces.size());
    definition.state_names = model_.state_names;
    for (const ExpandedSurface& surface : model_.surfaces) {
      definition.surface_names.push_back(surface.name);
      definition.sides_at_zero.push_back(surface.side_at_zero);
    }
    add_field(definition);
    if (!guards_.empty()) {
      add_guards(definition);
      add_guard_rates(definition);
      add_break_away(definition);
    }
    add_rows(definition);
    return definition;
  }

 private:
  Tape tape(const std::vector<NodeId>& outputs) const { return Tape(graph_, outputs, model_.lambda_index); }

  // pattern() tells which derivatives can differ from zero.
  static Pattern pattern(const SparseMatrixTape& matrix, Index rows, Index columns) {
    std::vector<std::vector<Index>> by_row(static_cast<std::size_t>(rows));
    for (const Entry& entry : matrix.entries)
      by_row[static_cast<std::size_t>(entry.row)].push_back(entry.column);
    return pattern_from_rows(columns, std::move(by_row));
  }

  SparseMatrixTape matrix(const Gradients& rows, bool by_lambda) const {
    SparseMatrixTape result;
    std::vector<NodeId> outputs;
    result.entries.reserve(rows.entries().size());
    outputs.reserve(rows.entries().size());
    for (std::size_t row = 0; row < rows.size(); ++row)
      for (const PartialDerivative& entry : rows[row]) {
        const std::uint32_t column = by_lambda ? model_.lambda_index[entry.variable] : entry.variable;
        result.entries.push_back({static_cast<Index>(row), static_cast<Index>(column)});
        outputs.push_back(entry.value);
      }
    result.tape = tape(outputs);
    return result;
  }

  void add_field(SystemDefinition& definition) {
    SystemTapes& made = *tapes_;
    made.field = tape(derivatives_);
    const std::shared_ptr<const SystemTapes> tapes = tapes_;
    made.explanation = FieldExplanation(model_, derivatives_, places_);
    std::vector<NodeId> follower_values;
    for (const ExpandedAssignment& line : model_.followers) {
      follower_values.push_back(line.value);
      made.followed.push_back(static_cast<std::uint32_t>(line.state));
    }
    if (!follower_values.empty()) made.followers = tape(follower_values);
    made.in_force = SurfacesInForce(graph_, derivatives_, model_.lambda_index, watched_surfaces());
    definition.field = ExplainedField(std::make_shared<const FileField>(tapes));
    definition.field_along = [tapes](double t, ConstVectorRef x, ConstVectorRef lambda, double t_dot,
                                     ConstVectorRef x_dot, ConstVectorRef lambda_dot, VectorRef dx,
                                     VectorRef dx_dot) {
      tapes->field.evaluate<Dual<double>>(MovingPoint{point(t, x, lambda), point(t_dot, x_dot, lambda_dot)},
                                          [&](std::size_t k, const Dual<double>& value) {
                                            dx[static_cast<Index>(k)] = value.value;
                                            dx_dot[static_cast<Index>(k)] = value.derivative;
                                          });
    };
    if (!model_.contacts.empty()) {
      definition.field_mixed = [tapes](double t, ConstVectorRef x, ConstVectorRef lambda, double t_first,
                                       ConstVectorRef x_first, double t_second, ConstVectorRef x_second,
                                       ConstVectorRef lambda_second, ConstVectorRef x_mixed,
                                       VectorRef dx_mixed) {
        ScratchFrame frame;
        Eigen::Map<Vector> still(frame.take<double>(lambda.size()), lambda.size());
        still.setZero();
        tapes->field.evaluate<Dual<Dual<double>>>(
            TwiceMovingPoint{{point(t, x, lambda), point(t_first, x_first, still)},
                             {point(t_second, x_second, lambda_second), point(0, x_mixed, still)}},
            [&](std::size_t k, const Dual<Dual<double>>& value) {
              dx_mixed[static_cast<Index>(k)] = value.derivative.derivative;
            });
      };
    }
    if (std::optional<Gradients> rows = gradients(graph_, derivatives_, Variables::states)) {
      is_affine_ = depends_affinely(*rows);
      made.is_affine_by_mode = is_affine_by_mode(*rows);
      add_states_of_jumps(graph_, jumping_, derivatives_, *rows);
      made.field_dx = matrix(*rows, false);
      definition.field_dx_pattern = pattern(made.field_dx, definition.states, definition.states);
      // A matrix of few states is filled faster as it is.
      if (definition.states <= kFewStates) {
        definition.field_dx = [tapes](double t, ConstVectorRef x, ConstVectorRef lambda,
                                      MatrixRef derivative) {
          tapes->field_dx.evaluate(point(t, x, lambda), derivative);
        };
      } else {
        definition.field_dx = SparseFieldDerivative(
            *definition.field_dx_pattern,
            [tapes](double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef entries) {
              double* const out = entries.data();
              tapes->field_dx.tape.evaluate<double>(point(t, x, lambda),
                                                    [out](std::size_t k, double value) { out[k] = value; });
            });
      }
    }
    if (guards_.empty()) {
      definition.field_affine = is_affine_;
      return;
    }
    if (const std::optional<Gradients> rows = gradients(graph_, derivatives_, Variables::lambdas)) {
      made.field_dlambda = matrix(*rows, true);
      definition.field_dlambda_pattern = pattern(made.field_dlambda, definition.states, definition.surfaces);
      definition.relays_additive = are_constant(*rows);
      definition.field_affine = definition.relays_additive && is_affine_;
      definition.field_dlambda = [tapes](double t, ConstVectorRef x, ConstVectorRef lambda,
                                         MatrixRef derivative) {
        tapes->field_dlambda.evaluate(point(t, x, lambda), derivative);
      };
    }
  }

  // Surfaces with names, those of friction, and those at the kinks of events are watched wherever they stand.
  std::vector<char> watched_surfaces() const {
    std::vector<char> watched;
    for (const ExpandedSurface& surface : model_.surfaces)
      watched.push_back(surface.named || surface.watched || surface.break_away ? 1 : 0);
    for (const ExpandedContact& contact : model_.contacts)
      if (contact.friction) watched[model_.lambda_index[contact.friction->surface]] = 1;
    return watched;
  }

  // jump() tells whether one of these depends on states or time by more than its derivatives tell.
  bool jump(const std::vector<NodeId>& roots) const {
    return std::any_of(roots.begin(), roots.end(), [&](NodeId root) { return jumping_[root] != 0; });
  }

  // depends_affinely() tells whether the field is affine in states and time.
  bool depends_affinely(const Gradients& by_state) const {
    if (jump(derivatives_) || !are_constant(by_state)) return false;
    const std::optional<Gradients> by_time = gradients(graph_, derivatives_, Variables::time);
    return by_time && are_constant(*by_time);
  }

  // is_affine_by_mode() tells whether the field is affine in states and time for every λ.
  bool is_affine_by_mode(const Gradients& by_state) const {
    if (jump(derivatives_) || !depend_on_relays_alone(by_state)) return false;
    const std::optional<Gradients> by_time = gradients(graph_, derivatives_, Variables::time);
    return by_time && depend_on_relays_alone(*by_time);
  }
  bool depend_on_relays_alone(const Gradients& rows) const {
    std::vector<NodeId> values;
    for (const PartialDerivative& entry : rows.entries()) values.push_back(entry.value);
    const std::vector<NodeId> nodes = graph_.reachable(values);
    return std::none_of(nodes.begin(), nodes.end(), [&](NodeId id) {
      const Operation operation = graph_[id].operation;
      return operation == Operation::state || operation == Operation::time ||
             operation == Operation::unknown || operation == Operation::impact;
    });
  }

  // The values of a tape and their rates of change along (t_dot, x_dot), by dual numbers.
  auto along(Tape SystemTapes::*tape) const {
    return [tapes = std::shared_ptr<const SystemTapes>(tapes_), tape](double t, ConstVectorRef x,
                                                                      double t_dot, ConstVectorRef x_dot,
                                                                      VectorRef values, VectorRef rates) {
      ((*tapes).*tape)
          .evaluate<Dual<double>>(MovingPoint{point(t, x), point(t_dot, x_dot)},
                                  [&](std::size_t k, const Dual<double>& value) {
                                    values[static_cast<Index>(k)] = value.value;
                                    rates[static_cast<Index>(k)] = value.derivative;
                                  });
    };
  }

  void add_guards(SystemDefinition& definition) {
    tapes_->guards = tape(guards_);
    const std::shared_ptr<const SystemTapes> tapes = tapes_;
    definition.guards = [tapes](double t, ConstVectorRef x, VectorRef h) {
      double* const out = h.data();
      tapes->guards.evaluate<double>(point(t, x), [out](std::size_t k, double value) { out[k] = value; });
    };
    definition.guards_running_error = [tapes](double t, ConstVectorRef x, VectorRef errors) {
      tapes->guards.evaluate<Rounded>(point(t, x), [&](std::size_t k, const Rounded& value) {
        errors[static_cast<Index>(k)] = value.error;
      });
    };
    definition.guards_along = along(&SystemTapes::guards);
    definition.guards_mixed = [tapes](double t, ConstVectorRef x, double t_first, ConstVectorRef x_first,
                                      double t_second, ConstVectorRef x_second, ConstVectorRef x_mixed,
                                      VectorRef h_mixed) {
      tapes->guards.evaluate<Dual<Dual<double>>>(
          TwiceMovingPoint{{point(t, x), point(t_first, x_first)},
                           {point(t_second, x_second), point(0, x_mixed)}},
          [&](std::size_t k, const Dual<Dual<double>>& value) {
            h_mixed[static_cast<Index>(k)] = value.derivative.derivative;
          });
    };
  }

  // Rows of affine systems are had from their coefficients.
  void add_rows(SystemDefinition& definition) const {
    const bool is_affine = definition.field_affine && (guards_.empty() || definition.guards_affine);
    if (is_affine || !definition.field_dx_pattern || is_long(*definition.field_dx_pattern)) return;
    const auto sources = std::make_shared<RowSources>();
    sources->field = row_source(tapes_->field, derivatives_);
    sources->guards = row_source(tapes_->guards, guards_);
    definition.rows = [sources = std::shared_ptr<const RowSources>(sources)](
                          const std::vector<Index>& states, const std::vector<Index>& surfaces) {
      return std::make_shared<const FileRows>(sources, states, surfaces);
    };
  }

  RowSource row_source(const Tape& all, const std::vector<NodeId>& outputs) const {
    RowSource source;
    if (all.loops()) {
      source.loops = std::make_shared<const LoopRows>(all.loops());
      return source;
    }
    source.tapes.reserve(outputs.size());
    for (const NodeId output : outputs) source.tapes.push_back(tape({output}));
    return source;
  }

  static bool is_long(const Pattern& pattern) {
    for (std::size_t row = 0; row + 1 < pattern.start.size(); ++row) {
      if (pattern.start[row + 1] - pattern.start[row] > kLongestRow) return true;
    }
    return false;
  }

  void add_break_away(SystemDefinition& definition) {
    std::vector<NodeId> above, below;
    bool any = false;
    for (const ExpandedSurface& surface : model_.surfaces) {
      any = any || surface.break_away;
      above.push_back(surface.break_away.value_or(graph_.constant(1)));
      below.push_back(surface.break_away_below.value_or(above.back()));
    }
    if (!any) return;
    tapes_->break_away = tape(above);
    definition.break_away = values_of(&SystemTapes::break_away);
    definition.break_away_along = along(&SystemTapes::break_away);
    if (below == above) return;
    tapes_->break_away_below = tape(below);
    definition.break_away_below = values_of(&SystemTapes::break_away_below);
    definition.break_away_below_along = along(&SystemTapes::break_away_below);
  }

  GuardFunction values_of(Tape SystemTapes::*tape) const {
    return [tapes = std::shared_ptr<const SystemTapes>(tapes_), tape](double t, ConstVectorRef x,
                                                                      VectorRef result) {
      ((*tapes).*tape).evaluate<double>(point(t, x), [&](std::size_t k, double value) {
        result[static_cast<Index>(k)] = value;
      });
    };
  }

  // ∂h/∂x, ∂h/∂t, and ∂w/∂x with w = ∂h/∂t + ∂h/∂x·f.
  void add_guard_rates(SystemDefinition& definition) {
    std::optional<Gradients> by_state = gradients(graph_, guards_, Variables::states);
    const std::optional<Gradients> by_time = gradients(graph_, guards_, Variables::time);
    if (!by_state || !by_time) return;
    add_states_of_jumps(graph_, jumping_, guards_, *by_state);
    SystemTapes& made = *tapes_;
    const std::shared_ptr<const SystemTapes> tapes = tapes_;
    made.guards_dx = matrix(*by_state, false);
    definition.guards_dx_pattern = pattern(made.guards_dx, definition.surfaces, definition.states);
    definition.guards_dx = [tapes](double t, ConstVectorRef x, MatrixRef derivative) {
      tapes->guards_dx.evaluate(point(t, x), derivative);
    };
    definition.guards_affine = !jump(guards_) && are_constant(*by_state) && are_constant(*by_time);
    std::vector<NodeId> rates;
    for (std::size_t k = 0; k < by_time->size(); ++k)
      rates.push_back((*by_time)[k].empty() ? graph_.constant(0) : (*by_time)[k].front().value);
    made.guards_dt = tape(rates);
    definition.guards_dt = [tapes](double t, ConstVectorRef x, VectorRef derivative) {
      tapes->guards_dt.evaluate<double>(
          point(t, x), [&](std::size_t k, double value) { derivative[static_cast<Index>(k)] = value; });
    };

    std::vector<NodeId> normals;
    for (std::size_t k = 0; k < guards_.size(); ++k)
      normals.push_back(rate_along(graph_, (*by_time)[k], (*by_state)[k], derivatives_));
    if (const std::optional<Gradients> rows = gradients(graph_, normals, Variables::states)) {
      made.normal_dx = matrix(*rows, false);
      definition.normal_dx = [tapes](double t, ConstVectorRef x, ConstVectorRef lambda,
                                     MatrixRef derivative) {
        tapes->normal_dx.evaluate(point(t, x, lambda), derivative);
      };
    }
  }

  bool are_constant(const Gradients& rows) const {
    return std::all_of(rows.entries().begin(), rows.entries().end(),
                       [&](const PartialDerivative& entry) { return graph_.is_constant(entry.value); });
  }

  const std::vector<Position>& places_;
  ExpandedModel& model_;
  ExpressionGraph& graph_;
  const std::vector<NodeId>& derivatives_;
  const std::vector<char> jumping_;  // per node; those that are made later are no roots
  std::vector<NodeId> guards_;
  std::shared_ptr<SystemTapes> tapes_;
  bool is_affine_ = false;
};

}  // namespace

SystemDefinition define_system(const std::string& name, ExpandedModel& model,
                               const std::vector<NodeId>& derivatives, const std::vector<Position>& places) {
  return SystemMaker(model, derivatives, places).make(name);
}

}  // namespace slideway::reader
