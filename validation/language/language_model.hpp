// A model file as plain data: every section that a reader knows, with terms that can be rewritten.
//
// It must not know how a model is drawn or followed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "validation/language/term.hpp"

namespace slideway::validation::language {

// A line `name = "term"`; the name may be `v[i]`.
struct Line {
  std::string name = {};
  Term value = {};
};
using Lines = std::vector<Line>;

struct StateLine {
  std::string name = {};
  Term initial = {};
  double scale = 1;       // its natural size: atol is scale·rtol/100
  int size = 0;           // 0: no vector
  std::string ends = {};  // of a vector
};

// A line of [surfaces].
struct SurfaceLine {
  std::string name = {};
  Term guard = {};
  std::optional<double> break_away = {};
};

struct AlgebraicLine {
  std::string name = {};
  Term value = {};
  std::optional<double> guess = {};
};

// A line of [friction] or [hysteresis]: a law and its keys.
struct ElementLine {
  std::string name = {};
  std::string law = {};
  Lines keys = {};
};

// A signal of [inputs].
struct SignalLine {
  std::string name = {};
  std::vector<double> times = {};
  std::vector<double> values = {};
  std::string interpolation = {};
  std::string extrapolation = {};
};

struct TableLine {
  std::string name = {};
  std::vector<double> x = {};
  std::vector<double> y = {};                    // empty: a table of one variable
  std::vector<std::vector<double>> values = {};  // a row for every x; of one variable, one row
  std::string interpolation = {};
  std::string extrapolation = {};
  bool monotone = false;
};

enum class EventSort { reset, record, stop, edge };

// An event, or an edge of the locations or of an automaton.
struct Event {
  EventSort sort = EventSort::reset;
  std::string name = {};
  Term when = {};
  std::string direction = {};
  std::string initially = {};
  std::optional<bool> across_jumps = {};
  Lines set = {};
  std::optional<double> delay = {};
  std::string values = {};
  std::optional<int> priority = {};
  int size = 0;
  std::string from = {};  // of an edge
  std::string to = {};
};

// A table of [[every]].
struct Clock {
  std::string name = {};
  double period = 0;  // 0: `at`
  double offset = 0;
  int count = 0;  // 0: no end
  std::vector<double> at = {};
  Lines set = {};
  std::optional<int> priority = {};
};

struct ContactFriction {
  double mu = 0;
  std::optional<double> mu_s = {};
  Term velocity = {};
  Lines acts_on = {};
};

struct Contact {
  std::string name = {};
  Term gap = {};
  Lines acts_on = {};
  Term restitution = {};
  std::string impact_law = {};
  std::optional<ContactFriction> friction = {};
};

struct Place {
  std::string name = {};
  Lines derivatives = {};
};

// A table of [[automata]].
struct Part {
  std::string name = {};
  std::string initial = {};
  std::vector<Place> locations = {};
  std::vector<Event> edges = {};
};

// A row of [mass].
struct MassRow {
  std::string name = {};
  Lines entries = {};
};

struct LanguageModel {
  std::string name = {};
  double start = 0;
  double end = 10;
  bool is_stiff = false;  // for implicit methods and `auto` alone
  std::string initial = {};
  Lines parameters = {};
  std::vector<StateLine> states = {};
  Lines discrete = {};
  std::vector<SignalLine> inputs = {};
  std::vector<TableLine> tables = {};
  Lines definitions = {};
  std::vector<AlgebraicLine> algebraic = {};
  std::vector<SurfaceLine> surfaces = {};
  std::vector<ElementLine> friction = {};
  std::vector<ElementLine> hysteresis = {};
  std::vector<MassRow> mass = {};
  Lines derivatives = {};
  std::vector<Place> locations = {};
  std::vector<Part> automata = {};
  std::vector<Contact> contacts = {};
  std::vector<Event> events = {};  // with the edges of the locations
  std::vector<Clock> clocks = {};
};

// The model as a file.
std::string file_text(const LanguageModel& model);

// change_terms() calls `change` with every term of the model, guards and conditions of events among them.
void change_terms(LanguageModel& model, const std::function<void(Term&)>& change);
// The model with every node of every term replaced by what `change` makes of it.
LanguageModel with_terms(const LanguageModel& model, const std::function<Term(const Term&)>& change);
// change_targets() calls `change` with every line whose name is a state: derivatives, and what events and edges set.
void change_targets(LanguageModel& model, const std::function<void(Line&)>& change);

// The number of nodes of all terms and of all lines: what the minimiser wants to be small.
std::size_t size_of(const LanguageModel& model);

}  // namespace slideway::validation::language
