// The sections of a model file as the audit needs them: rows of derivatives and of the mass matrix, contacts, conditions of events.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "audit/written_tree.hpp"
#include "model_file/model_file_description.hpp"
#include "slideway/audit/audit.hpp"

namespace slideway {

// Without a description it stands for the functions of a system.
struct WrittenModel {
  std::shared_ptr<const reader::ModelDescription> description = nullptr;
  Settings settings = {};  // of parameters and of initial values; the last one of a name counts
};

}  // namespace slideway

namespace slideway::auditing {

// A value for a state, where it stands.
struct Line {
  std::uint32_t state = 0;
  Root value = no_root;
  Indices at = {};
  const reader::Formula* formula = nullptr;
};

struct WrittenContact {
  std::string name = {};
  Root gap = no_root;
  std::uint32_t i = 0;
  std::vector<Line> acts_on = {};
  // Friction: the coefficient, that at rest, and one or two velocities with what their forces act on.
  Root coefficient = no_root;
  Root at_rest = no_root;
  std::vector<Root> velocities = {};
  std::vector<std::vector<Line>> friction = {};
  Root restitution = no_root;
  ImpactLaw law = ImpactLaw::newton;
};

class WrittenField : public AuditedField {
 public:
  explicit WrittenField(const WrittenModel& written);

  WrittenTree& tree() { return tree_; }
  std::uint32_t states() const override { return tree_.states(); }
  bool is_written(std::uint32_t state) const override { return is_written_[state]; }
  const std::vector<WrittenContact>& contacts() const { return contacts_; }
  // has_resets() tells that the model has resets or edges.
  bool has_resets() const {
    return !(model_.resets.empty() && model_.edges.empty() && model_.automata.empty());
  }

  bool derivatives(const std::string& location, double t, const double* x, const Sides* sides, Met* met,
                   Vector& f) override;
  // The entries of M are those at the tree's point.
  void left_side(const Vector& rates, const Vector& tolerances, Vector& left, Vector& allowed) override;
  std::string told(const std::string& location, std::uint32_t state, const double* x) const override;
  std::vector<Follower> followers(double t, const double* x) override;
  void round_by_chance(std::uint64_t draw) override { tree_.round_by_chance(draw); }
  std::uint64_t visits() const override { return tree_.visits(); }
  // The rate of a state that nothing but events changes otherwise: its derivative is the same number everywhere.
  std::optional<double> constant_rate(std::uint32_t state);

  // ---- for readers of other sections
  // The value of a formula of parameters, and of i.
  double constant(const reader::Formula& formula, Indices at = {});
  // How many a table with a size stands for; 1 without.
  std::uint32_t count_of(const std::optional<reader::Formula>& size);
  // The values that assignments of a table give, a line for each state.
  std::vector<Line> lines_of(const std::vector<reader::Assignment>& assignments, std::uint32_t i);

 private:
  // The line that gives the derivative of a state.
  const Line* line_of(const std::string& location, std::uint32_t state, const double* x) const;
  // "if(m == 0, 0.3, -5)  with m = 0"
  std::string explained(const Line& line, const double* x) const;
  struct InLocation {
    std::uint32_t automaton = 0;  // the state
    double number = 0;
    Line line = {};
  };
  void add_lines(const reader::Assignment& assignment, std::uint32_t i, std::vector<Line>& lines);
  void read_motion();
  void read_contacts();
  double row(std::size_t location, std::uint32_t state, const double* x);

  const reader::ModelDescription& model_;
  WrittenTree tree_;
  std::vector<std::string> locations_;
  std::vector<std::vector<Line>> rows_;  // per location and state
  std::vector<std::vector<InLocation>> in_locations_;
  std::vector<std::vector<std::pair<std::uint32_t, Line>>> mass_;  // per row; empty: the identity
  std::vector<bool> is_written_;
  std::vector<WrittenContact> contacts_;
};

}  // namespace slideway::auditing
