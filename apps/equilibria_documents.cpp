#include "apps/equilibria_documents.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>

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
    Document eigenvalues = Document::array(), lambda = Document::array(), forces = Document::array();
    for (const std::complex<double>& value : equilibrium.eigenvalues)
      eigenvalues.push_back({{"real", json_number(value.real())}, {"imaginary", json_number(value.imag())}});
    for (const double value : equilibrium.lambda) lambda.push_back(json_number(value));
    for (const double value : equilibrium.forces) forces.push_back(json_number(value));
    list.push_back(
        {{"kind", to_string(equilibrium.kind)},
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
         {"residual", json_number(equilibrium.residual)}});
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
  fmt::print(out, "kind,admissible,location,mode,stability,continuum");
  for (const std::string& name : system.state_names()) fmt::print(out, ",{}", name);
  for (Index i = 0; i < system.states(); ++i) fmt::print(out, ",real{},imaginary{}", i + 1, i + 1);
  fmt::print(out, "\n");
  for (const Equilibrium& equilibrium : shown.equilibria.found) {
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
    fmt::print(out, "\n");
  }
}

}  // namespace slideway::apps
