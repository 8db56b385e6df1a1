#include "apps/equilibria_documents.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "apps/json_values.hpp"

namespace slideway::apps {

namespace {

std::string stability_word(const Equilibrium& equilibrium) {
  return equilibrium.stability_known ? to_string(equilibrium.stability) : "unknown";
}

// "-0.5, 0.1 +- 2.3i": of a pair both in one.
std::string eigenvalues_text(const std::vector<std::complex<double>>& values) {
  std::string result;
  for (const std::complex<double>& value : values) {
    if (value.imag() < 0) continue;
    result += (result.empty() ? "" : ", ") + fmt::format("{:.6g}", value.real());
    if (value.imag() > 0) result += fmt::format(" +- {:.6g}i", value.imag());
  }
  return result;
}

// A state as text; rounding is taken for zero.
std::string state_text(double value, double size) {
  constexpr double rounding = 1e-14;
  return std::abs(value) <= rounding * size ? "0" : fmt::format("{:.8g}", value);
}

// Remarks beside the numbers.
std::string note_on(const Equilibrium& equilibrium) {
  std::string note = equilibrium.admissible ? "" : "virtual: " + equilibrium.reason;
  if (equilibrium.continuum > 0) {
    note += (note.empty() ? "" : "; ");
    note += fmt::format("one of a continuum of {}", counted(equilibrium.continuum, "dimension"));
  }
  if (equilibrium.attracting == false) note += std::string(note.empty() ? "" : "; ") + "sliding repels";
  return note;
}

Document equilibrium_json(const System& system, const Equilibrium& equilibrium) {
  Document eigenvalues = Document::array(), lambda = Document::array(), forces = Document::array();
  for (const std::complex<double>& value : equilibrium.eigenvalues)
    eigenvalues.push_back({{"real", json_number(value.real())}, {"imaginary", json_number(value.imag())}});
  for (const double value : equilibrium.lambda) lambda.push_back(json_number(value));
  for (const double value : equilibrium.forces) forces.push_back(json_number(value));
  return {{"kind", to_string(equilibrium.kind)},
          {"admissible", equilibrium.admissible},
          {"reason", equilibrium.reason},
          {"location", equilibrium.location.empty() ? Document(nullptr) : Document(equilibrium.location)},
          {"mode", equilibrium.mode.word()},
          {"state", json_state(system, equilibrium.state)},
          {"lambda", lambda},
          {"forces", forces},
          {"eigenvalues", eigenvalues},
          {"attracting", equilibrium.attracting ? Document(*equilibrium.attracting) : Document(nullptr)},
          {"stability", stability_word(equilibrium)},
          {"continuum", equilibrium.continuum},
          {"residual", json_number(equilibrium.residual)}};
}

// The columns of an equilibrium in a table: their names, and one row of them without the end of the line.
void write_columns(const System& system, std::ostream& out) {
  fmt::print(out, "kind,admissible,location,mode,stability,continuum");
  for (const std::string& name : system.state_names()) fmt::print(out, ",{}", name);
  for (Index i = 0; i < system.states(); ++i) fmt::print(out, ",real{},imaginary{}", i + 1, i + 1);
}
void write_row(const System& system, const Equilibrium& equilibrium, std::ostream& out) {
  fmt::print(out, "{},{},{},{},{},{}", to_string(equilibrium.kind), equilibrium.admissible ? 1 : 0,
             equilibrium.location, equilibrium.mode.word(), stability_word(equilibrium),
             equilibrium.continuum);
  for (const double value : equilibrium.state) fmt::print(out, ",{}", value);
  for (std::size_t i = 0; i < static_cast<std::size_t>(system.states()); ++i) {
    if (i < equilibrium.eigenvalues.size()) {
      fmt::print(out, ",{},{}", equilibrium.eigenvalues[i].real(), equilibrium.eigenvalues[i].imag());
    } else {
      fmt::print(out, ",,");
    }
  }
}

// words_of() says what becomes of a boundary equilibrium.
std::string words_of(BoundaryEquilibriumKind kind) {
  switch (kind) {
    case BoundaryEquilibriumKind::persistence: return "persistence: it goes on in another mode";
    case BoundaryEquilibriumKind::nonsmooth_fold:
      return "non-smooth fold: it vanishes with one of another mode";
    case BoundaryEquilibriumKind::alone: return "it meets no other equilibrium";
  }
  return "";
}

}  // namespace

void print_equilibria(const ShownEquilibria& shown, const std::vector<std::string>& written,
                      const Screen& screen, std::ostream& out) {
  const std::vector<std::string>& names = shown.instance.system.state_names();
  const Equilibria& equilibria = shown.equilibria;
  fmt::print(out, "{}   {} in {}\n\n", shown.model,
             equilibria.found.empty()       ? "no equilibria"
             : equilibria.found.size() == 1 ? "1 equilibrium"
                                            : fmt::format("{} equilibria", equilibria.found.size()),
             counted(equilibria.modes, "mode"));
  if (!equilibria.found.empty()) {
    std::vector<Table::Column> columns = {{"kind", Align::left, true},
                                          {"location"},
                                          {"mode", Align::left, true},
                                          {"stability", Align::left, true}};
    const bool shows_states = names.size() <= 6;
    if (shows_states)
      for (const std::string& name : names) columns.push_back({name, Align::right, true});
    columns.push_back({"eigenvalues"});
    Table table(columns, "note");
    for (const Equilibrium& equilibrium : equilibria.found) {
      std::vector<std::string> cells = {to_string(equilibrium.kind), equilibrium.location,
                                        equilibrium.mode.word(), stability_word(equilibrium)};
      const double size = equilibrium.state.lpNorm<Eigen::Infinity>();
      if (shows_states)
        for (const double value : equilibrium.state) cells.push_back(state_text(value, std::max(size, 1.0)));
      cells.push_back(eigenvalues_text(equilibrium.eigenvalues));
      table.add(std::move(cells), note_on(equilibrium));
    }
    table.print(out, screen.width, screen.colours);
    fmt::print(out, "\n");
  }
  if (!equilibria.all_modes)
    fmt::print(out, "not all      there are more modes than these, which are those of the run\n");
  for (const std::string& file : written) fmt::print(out, "written      {}\n", file);
}

void write_equilibria_json(const ShownEquilibria& shown, std::ostream& out) {
  const System& system = shown.instance.system;
  Document list = Document::array();
  for (const Equilibrium& equilibrium : shown.equilibria.found) {
    list.push_back(equilibrium_json(system, equilibrium));
  }
  const Document document = {{"schema", "slideway.equilibria/1"},
                             {"model", shown.model},
                             {"parameters", json_settings(shown.instance.parameters)},
                             {"modes", shown.equilibria.modes},
                             {"all_modes", shown.equilibria.all_modes},
                             {"equilibria", list}};
  out << document.dump(2, ' ', false, Document::error_handler_t::replace) << '\n';
}

void write_equilibria_csv(const ShownEquilibria& shown, std::ostream& out) {
  const System& system = shown.instance.system;
  write_columns(system, out);
  fmt::print(out, "\n");
  for (const Equilibrium& equilibrium : shown.equilibria.found) {
    write_row(system, equilibrium, out);
    fmt::print(out, "\n");
  }
}

void print_equilibrium_branches(const ShownEquilibriumBranches& shown,
                                const std::vector<std::string>& written, const Screen& screen,
                                std::ostream& out) {
  const auto count = static_cast<long long>(shown.branches.size());
  fmt::print(out, "{}   {} of equilibria\n\n", shown.model,
             count == 1 ? "1 branch" : fmt::format("{} branches", count));
  Table branches({{"branch", Align::right, true},
                  {"location"},
                  {"mode", Align::left, true},
                  {"at", Align::left, true},
                  {shown.parameter, Align::right, true},
                  {"stability", Align::left, true}},
                 "note");
  for (std::size_t k = 0; k < shown.branches.size(); ++k) {
    const EquilibriumBranch& branch = shown.branches[k];
    const auto add = [&](const char* at, double parameter, const Equilibrium& equilibrium,
                         const std::string& note) {
      branches.add({std::to_string(k + 1), equilibrium.location, equilibrium.mode.word(), at,
                    fmt::format("{:.10g}", parameter), stability_word(equilibrium)},
                   note);
    };
    const EquilibriumPoint &first = branch.points.front(), &last = branch.points.back();
    add("begin", first.parameter, first.equilibrium, note_on(first.equilibrium));
    for (const EquilibriumBranchBifurcation& found : branch.bifurcations)
      add(to_string(found.kind), found.parameter, found.equilibrium, found.reason);
    add("end", last.parameter, last.equilibrium,
        branch.message.empty() ? note_on(last.equilibrium) : branch.message);
  }
  branches.print(out, screen.width, screen.colours);
  fmt::print(out, "\n");
  for (const std::string& file : written) fmt::print(out, "written      {}\n", file);
}

void write_equilibrium_branches_json(const ShownEquilibriumBranches& shown, std::ostream& out) {
  const System& system = shown.instance.system;
  Document branches = Document::array();
  for (const EquilibriumBranch& branch : shown.branches) {
    Document points = Document::array(), bifurcations = Document::array();
    for (const EquilibriumPoint& point : branch.points)
      points.push_back({{"parameter", json_number(point.parameter)},
                        {"equilibrium", equilibrium_json(system, point.equilibrium)}});
    for (const EquilibriumBranchBifurcation& found : branch.bifurcations)
      bifurcations.push_back({{"kind", to_string(found.kind)},
                              {"reason", found.reason},
                              {"parameter", json_number(found.parameter)},
                              {"equilibrium", equilibrium_json(system, found.equilibrium)}});
    branches.push_back({{"message", branch.message}, {"points", points}, {"bifurcations", bifurcations}});
  }
  Document parameters = Document::object();
  for (const auto& [name, value] : shown.instance.parameters)
    if (name != shown.parameter) parameters[name] = json_number(value);
  const Document document = {{"schema", "slideway.equilibrium-branches/1"},
                             {"model", shown.model},
                             {"parameters", parameters},
                             {"varied", shown.parameter},
                             {"branches", branches}};
  out << document.dump(2, ' ', false, Document::error_handler_t::replace) << '\n';
}

void write_equilibrium_branches_csv(const ShownEquilibriumBranches& shown, std::ostream& out) {
  const System& system = shown.instance.system;
  fmt::print(out, "branch,{},", shown.parameter);
  write_columns(system, out);
  fmt::print(out, "\n");
  for (std::size_t k = 0; k < shown.branches.size(); ++k)
    for (const EquilibriumPoint& point : shown.branches[k].points) {
      fmt::print(out, "{},{},", k + 1, point.parameter);
      write_row(system, point.equilibrium, out);
      fmt::print(out, "\n");
    }
}

void print_equilibrium_curves(const ShownEquilibriumCurves& shown, const std::vector<std::string>& written,
                              const Screen& screen, std::ostream& out) {
  const auto count = static_cast<long long>(shown.curves.size());
  fmt::print(out, "{}   {} of bifurcations, from branches in {} at {} = {:.10g}\n\n", shown.model,
             count == 0   ? "no curves"
             : count == 1 ? "1 curve"
                          : fmt::format("{} curves", count),
             shown.first, shown.second, shown.begin);
  Table table({{"curve", Align::right, true},
               {"kind", Align::left, true},
               {"location"},
               {"mode", Align::left, true},
               {"at", Align::left, true},
               {shown.first, Align::right, true},
               {shown.second, Align::right, true}},
              "note");
  for (std::size_t k = 0; k < shown.curves.size(); ++k) {
    const EquilibriumCurve& curve = shown.curves[k];
    const auto add = [&](const char* at, double first, double second, const Equilibrium& equilibrium,
                         const std::string& note) {
      table.add({std::to_string(k + 1), to_string(curve.kind), equilibrium.location, equilibrium.mode.word(),
                 at, fmt::format("{:.10g}", first), fmt::format("{:.10g}", second)},
                note);
    };
    const auto note_at = [&](const EquilibriumCurvePoint& point) {
      if (!point.equilibrium.admissible) return "virtual: " + point.equilibrium.reason;
      if (point.neutral_saddle) return std::string("neutral saddle");
      return curve.kind == EquilibriumBifurcation::boundary_equilibrium ? words_of(point.boundary)
                                                                        : std::string();
    };
    const EquilibriumCurvePoint &first = curve.points.front(), &last = curve.points.back();
    add("begin", first.first, first.second, first.equilibrium, note_at(first));
    for (const EquilibriumSpecialPoint& point : curve.special)
      add(to_string(point.kind), point.first, point.second, point.equilibrium, point.reason);
    add("end", last.first, last.second, last.equilibrium,
        !curve.message.empty() ? curve.message
        : curve.closed         ? "the curve is closed"
                               : note_at(last));
  }
  if (count > 0) {
    table.print(out, screen.width, screen.colours);
    fmt::print(out, "\n");
  }
  for (const std::string& file : written) fmt::print(out, "written      {}\n", file);
}

void write_equilibrium_curves_json(const ShownEquilibriumCurves& shown, std::ostream& out) {
  const System& system = shown.instance.system;
  const auto at = [](double first, double second) {
    return Document::array({json_number(first), json_number(second)});
  };
  Document curves = Document::array();
  for (const EquilibriumCurve& curve : shown.curves) {
    Document points = Document::array(), special = Document::array();
    for (const EquilibriumCurvePoint& point : curve.points)
      points.push_back({{"values", at(point.first, point.second)},
                        {"boundary", to_string(point.boundary)},
                        {"neutral_saddle", point.neutral_saddle},
                        {"equilibrium", equilibrium_json(system, point.equilibrium)}});
    for (const EquilibriumSpecialPoint& point : curve.special)
      special.push_back({{"kind", to_string(point.kind)},
                         {"reason", point.reason},
                         {"values", at(point.first, point.second)},
                         {"equilibrium", equilibrium_json(system, point.equilibrium)}});
    curves.push_back({{"kind", to_string(curve.kind)},
                      {"reason", curve.reason},
                      {"closed", curve.closed},
                      {"message", curve.message},
                      {"points", points},
                      {"special", special}});
  }
  Document parameters = Document::object();
  for (const auto& [name, value] : shown.instance.parameters)
    if (name != shown.first && name != shown.second) parameters[name] = json_number(value);
  const Document document = {{"schema", "slideway.equilibrium-curves/1"},
                             {"model", shown.model},
                             {"parameters", parameters},
                             {"varied", {shown.first, shown.second}},
                             {"begin", json_number(shown.begin)},
                             {"curves", curves}};
  out << document.dump(2, ' ', false, Document::error_handler_t::replace) << '\n';
}

void write_equilibrium_curves_csv(const ShownEquilibriumCurves& shown, std::ostream& out) {
  const System& system = shown.instance.system;
  fmt::print(out, "curve,bifurcation,special,{},{},boundary,", shown.first, shown.second);
  write_columns(system, out);
  fmt::print(out, "\n");
  for (std::size_t k = 0; k < shown.curves.size(); ++k) {
    const EquilibriumCurve& curve = shown.curves[k];
    const auto write = [&](const char* special, double first, double second, const char* boundary,
                           const Equilibrium& equilibrium) {
      fmt::print(out, "{},{},{},{},{},{},", k + 1, to_string(curve.kind), special, first, second, boundary);
      write_row(system, equilibrium, out);
      fmt::print(out, "\n");
    };
    const bool is_boundary = curve.kind == EquilibriumBifurcation::boundary_equilibrium;
    for (const EquilibriumCurvePoint& point : curve.points)
      write("", point.first, point.second, is_boundary ? to_string(point.boundary) : "", point.equilibrium);
    for (const EquilibriumSpecialPoint& point : curve.special)
      write(to_string(point.kind), point.first, point.second, "", point.equilibrium);
  }
}

}  // namespace slideway::apps
