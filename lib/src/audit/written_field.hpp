// The sections of a model file as the audit needs them: rows of derivatives and of the mass matrix, contacts, conditions of events.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "audit/written_tree.hpp"
#include "model_file/model_file_description.hpp"
#include "slideway/audit/audit.hpp"

namespace slideway {

struct WrittenModel {
  reader::ModelDescription description = {};
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
};

struct WrittenEvent {
  std::string name = {};
  Root when = no_root;
  std::uint32_t i = 0;
  Direction direction = Direction::any;
  bool across_jumps = true;
  bool waits = false;  // `initially` is "wait"
  std::string text = {};
};

class WrittenField {
 public:
  explicit WrittenField(const WrittenModel& written);

  WrittenTree& tree() { return tree_; }
  // The states that the file names; a system may have more behind them.
  std::uint32_t states() const { return tree_.states(); }
  // is_written() tells that the model has a derivative of the state.
  bool is_written(std::uint32_t state) const { return is_written_[state]; }
  const std::vector<WrittenContact>& contacts() const { return contacts_; }
  const std::vector<WrittenEvent>& events() const { return events_; }
  // has_resets() tells that the model has resets or edges.
  bool has_resets() const {
    return !(model_.resets.empty() && model_.edges.empty() && model_.automata.empty());
  }

  // f in a location ("" where there are none, "a|b" between two) at the tree's point. False where it has no number in some entry.
  bool derivatives(const std::string& location, double t, const double* x, const Sides* sides, Met* met,
                   Vector& f);
  // M·x', and Σ|M|·tol per row.
  void left_side(const Vector& rates, const Vector& tolerances, Vector& left, Vector& allowed);
  // The line that gives the derivative of a state.
  const Line* line_of(const std::string& location, std::uint32_t state, const double* x) const;
  // "if(m == 0, 0.3, -5)  with m = 0"
  std::string explained(const Line& line, const double* x) const;

 private:
  struct InLocation {
    std::uint32_t automaton = 0;  // the state
    double number = 0;
    Line line = {};
  };
  double constant(const reader::Formula& formula, Indices at = {});
  void add_lines(const reader::Assignment& assignment, std::uint32_t i, std::vector<Line>& lines);
  std::vector<Line> lines_of(const std::vector<reader::Assignment>& assignments, std::uint32_t i);
  std::uint32_t count_of(const std::optional<reader::Formula>& size);
  void read_motion();
  void read_contacts();
  void read_events(const std::vector<reader::EventDescription>& events);
  double row(std::size_t location, std::uint32_t state, const double* x);

  const reader::ModelDescription& model_;
  WrittenTree tree_;
  std::vector<std::string> locations_;
  std::vector<std::vector<Line>> rows_;  // per location and state
  std::vector<std::vector<InLocation>> in_locations_;
  std::vector<std::vector<std::pair<std::uint32_t, Line>>> mass_;  // per row; empty: the identity
  std::vector<bool> is_written_;
  std::vector<WrittenContact> contacts_;
  std::vector<WrittenEvent> events_;
};

}  // namespace slideway::auditing
