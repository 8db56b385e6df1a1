#include "validation/language/language_model.hpp"

#include <fmt/format.h>

#include "validation/random/formula.hpp"

namespace slideway::validation::language {
namespace {

using random::text;

std::string quoted(const std::string& inner) { return "\"" + inner + "\""; }

// A number as it is, any other term in quotes.
std::string value_text(const Term& term) {
  return term.kind() == TermKind::number ? text(term.value()) : quoted(text(term));
}

std::string key_text(const std::string& name) {
  return name.find_first_of("[] ") == std::string::npos ? name : quoted(name);
}

std::string list(const std::vector<double>& values) {
  std::string out = "[";
  for (std::size_t k = 0; k < values.size(); ++k) out += (k == 0 ? "" : ", ") + text(values[k]);
  return out + "]";
}

// { x = "…", y = "…" }
std::string inline_table(const Lines& lines) {
  std::string out = "{ ";
  for (std::size_t k = 0; k < lines.size(); ++k) {
    out +=
        fmt::format("{}{} = {}", k == 0 ? "" : ", ", key_text(lines[k].name), quoted(text(lines[k].value)));
  }
  return out + " }";
}

class Writer {
 public:
  explicit Writer(const LanguageModel& model) : model_(model) {}

  std::string whole() {
    line("name", quoted(model_.name));
    if (!model_.initial.empty()) line("initial", quoted(model_.initial));
    section("parameters", model_.parameters);
    states();
    section("discrete", model_.discrete);
    inputs();
    tables();
    out_ += "[time]\n";
    if (model_.start != 0) line("start", text(model_.start));
    line("end", text(model_.end));
    section("definitions", model_.definitions);
    algebraic();
    surfaces();
    elements("friction", model_.friction);
    elements("hysteresis", model_.hysteresis);
    if (!model_.mass.empty()) out_ += "[mass]\n";
    for (const MassRow& row : model_.mass) line(row.name, inline_table(row.entries));
    section("derivatives", model_.derivatives);
    for (const Place& place : model_.locations) location("locations", place);
    for (const Part& part : model_.automata) automaton(part);
    for (const Contact& one : model_.contacts) contact(one);
    for (const Event& one : model_.events) event(one);
    for (const Clock& one : model_.clocks) clock(one);
    return std::move(out_);
  }

 private:
  void line(const std::string& key, const std::string& value) {
    out_ += fmt::format("{} = {}\n", key_text(key), value);
  }
  void word(const std::string& key, const std::string& value) {
    if (!value.empty()) line(key, quoted(value));
  }
  void section(const std::string& title, const Lines& lines) {
    if (lines.empty()) return;
    out_ += fmt::format("[{}]\n", title);
    for (const Line& one : lines) line(one.name, value_text(one.value));
  }
  void states() {
    if (model_.states.empty()) return;
    out_ += "[states]\n";
    for (const StateLine& state : model_.states) {
      if (state.size == 0) {
        line(state.name, value_text(state.initial));
        continue;
      }
      const std::string ends = state.ends.empty() ? "" : fmt::format(", ends = \"{}\"", state.ends);
      line(state.name,
           fmt::format("{{ size = {}, value = {}{} }}", state.size, quoted(text(state.initial)), ends));
    }
  }
  void inputs() {
    if (model_.inputs.empty()) return;
    out_ += "[inputs]\n";
    for (const SignalLine& one : model_.inputs) {
      line(one.name,
           fmt::format(R"({{ times = {}, values = {}, interpolation = "{}", extrapolation = "{}" }})",
                       list(one.times), list(one.values), one.interpolation, one.extrapolation));
    }
  }
  void tables() {
    if (model_.tables.empty()) return;
    out_ += "[tables]\n";
    for (const TableLine& one : model_.tables) {
      std::string values = one.y.empty() ? list(one.values[0]) : "[";
      std::string knots;
      if (!one.y.empty()) {
        knots = fmt::format(", y = {}", list(one.y));
        for (std::size_t k = 0; k < one.values.size(); ++k)
          values += (k == 0 ? "" : ", ") + list(one.values[k]);
        values += "]";
      }
      line(one.name,
           fmt::format(R"({{ x = {}{}, values = {}, interpolation = "{}", extrapolation = "{}"{} }})",
                       list(one.x), knots, values, one.interpolation, one.extrapolation,
                       one.monotone ? ", monotone = true" : ""));
    }
  }
  void algebraic() {
    if (model_.algebraic.empty()) return;
    out_ += "[algebraic]\n";
    for (const AlgebraicLine& one : model_.algebraic) {
      const std::string value = quoted(text(one.value));
      line(one.name,
           one.guess ? fmt::format("{{ value = {}, guess = {} }}", value, text(*one.guess)) : value);
    }
  }
  void surfaces() {
    if (model_.surfaces.empty()) return;
    out_ += "[surfaces]\n";
    for (const SurfaceLine& one : model_.surfaces) {
      const std::string guard = quoted(text(one.guard));
      line(one.name, one.break_away
                         ? fmt::format("{{ value = {}, break_away = {} }}", guard, text(*one.break_away))
                         : guard);
    }
  }
  void elements(const std::string& title, const std::vector<ElementLine>& lines) {
    if (lines.empty()) return;
    out_ += fmt::format("[{}]\n", title);
    for (const ElementLine& one : lines) {
      std::string keys = fmt::format("law = \"{}\"", one.law);
      for (const Line& key : one.keys) keys += fmt::format(", {} = {}", key.name, value_text(key.value));
      line(one.name, "{ " + keys + " }");
    }
  }
  void location(const std::string& title, const Place& place) {
    out_ += fmt::format("[[{}]]\n", title);
    line("name", quoted(place.name));
    section(title + ".derivatives", place.derivatives);
  }
  void automaton(const Part& part) {
    out_ += "[[automata]]\n";
    line("name", quoted(part.name));
    line("initial", quoted(part.initial));
    for (const Place& place : part.locations) location("automata.locations", place);
    for (const Event& edge : part.edges) event(edge, "automata.edges");
  }
  void contact(const Contact& one) {
    out_ += "[[contacts]]\n";
    line("name", quoted(one.name));
    line("gap", quoted(text(one.gap)));
    line("acts_on", inline_table(one.acts_on));
    line("restitution", value_text(one.restitution));
    word("impact_law", one.impact_law);
    if (!one.friction) return;
    const ContactFriction& friction = *one.friction;
    const std::string at_rest = friction.mu_s ? fmt::format(", mu_s = {}", text(*friction.mu_s)) : "";
    line("friction", fmt::format("{{ mu = {}{}, velocity = {}, acts_on = {} }}", text(friction.mu), at_rest,
                                 quoted(text(friction.velocity)), inline_table(friction.acts_on)));
  }
  void event(const Event& one) {
    switch (one.sort) {
      case EventSort::reset: event(one, "resets"); break;
      case EventSort::record: event(one, "records"); break;
      case EventSort::stop: event(one, "stops"); break;
      case EventSort::edge: event(one, "edges"); break;
    }
  }
  void event(const Event& one, const std::string& title) {
    out_ += fmt::format("[[{}]]\n", title);
    line("name", quoted(one.name));
    word("from", one.from);
    word("to", one.to);
    if (one.size > 0) line("size", std::to_string(one.size));
    line("when", quoted(text(one.when)));
    word("direction", one.direction);
    word("initially", one.initially);
    if (one.across_jumps) line("across_jumps", *one.across_jumps ? "true" : "false");
    if (one.delay) line("delay", text(*one.delay));
    word("values", one.values);
    if (one.priority) line("priority", std::to_string(*one.priority));
    if (!one.set.empty()) line("set", inline_table(one.set));
  }
  void clock(const Clock& one) {
    out_ += "[[every]]\n";
    line("name", quoted(one.name));
    if (one.period > 0) {
      line("period", text(one.period));
      if (one.offset != 0) line("offset", text(one.offset));
      if (one.count > 0) line("count", std::to_string(one.count));
    } else {
      line("at", list(one.at));
    }
    if (one.priority) line("priority", std::to_string(*one.priority));
    line("set", inline_table(one.set));
  }

  const LanguageModel& model_;
  std::string out_ = {};
};

void change_lines(Lines& lines, const std::function<void(Term&)>& change) {
  for (Line& line : lines) change(line.value);
}

void change_event(Event& event, const std::function<void(Term&)>& change) {
  change(event.when);
  change_lines(event.set, change);
}

}  // namespace

std::string file_text(const LanguageModel& model) { return Writer(model).whole(); }

void change_terms(LanguageModel& model, const std::function<void(Term&)>& change) {
  change_lines(model.definitions, change);
  for (StateLine& state : model.states) change(state.initial);
  for (AlgebraicLine& line : model.algebraic) change(line.value);
  for (SurfaceLine& line : model.surfaces) change(line.guard);
  for (ElementLine& line : model.friction) change_lines(line.keys, change);
  for (ElementLine& line : model.hysteresis) change_lines(line.keys, change);
  for (MassRow& row : model.mass) change_lines(row.entries, change);
  change_lines(model.derivatives, change);
  for (Place& place : model.locations) change_lines(place.derivatives, change);
  for (Part& part : model.automata) {
    for (Place& place : part.locations) change_lines(place.derivatives, change);
    for (Event& edge : part.edges) change_event(edge, change);
  }
  for (Contact& contact : model.contacts) {
    change(contact.gap);
    change_lines(contact.acts_on, change);
    change(contact.restitution);
    if (!contact.friction) continue;
    change(contact.friction->velocity);
    change_lines(contact.friction->acts_on, change);
  }
  for (Event& event : model.events) change_event(event, change);
  for (Clock& clock : model.clocks) change_lines(clock.set, change);
}

LanguageModel with_terms(const LanguageModel& model, const std::function<Term(const Term&)>& change) {
  LanguageModel next = model;
  change_terms(next, [&](Term& term) { term = rewritten(term, change); });
  return next;
}

void change_targets(LanguageModel& model, const std::function<void(Line&)>& change) {
  const auto change_all = [&](Lines& lines) {
    for (Line& line : lines) change(line);
  };
  change_all(model.derivatives);
  for (Place& place : model.locations) change_all(place.derivatives);
  for (Event& event : model.events) change_all(event.set);
  for (Clock& clock : model.clocks) change_all(clock.set);
  for (Part& part : model.automata) {
    for (Place& place : part.locations) change_all(place.derivatives);
    for (Event& edge : part.edges) change_all(edge.set);
  }
}

std::size_t size_of(const LanguageModel& model) {
  LanguageModel copy = model;
  std::size_t size = 0;
  change_terms(copy, [&](Term& term) { size += size_of(term) + 1; });
  return size + model.events.size() + model.clocks.size() + model.contacts.size() + model.states.size() +
         model.tables.size() + model.inputs.size();
}

}  // namespace slideway::validation::language
