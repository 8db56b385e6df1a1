#include "apps/orbit_documents.hpp"

#include <cmath>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "apps/json_values.hpp"

namespace slideway::apps {

namespace {

Document orbit_event(const System& system, const EventRecord& event) {
  const auto word = [](const std::optional<Mode>& mode) {
    return mode ? Document(mode->word()) : Document(nullptr);
  };
  const auto text = [](const std::optional<std::string>& value) {
    return value ? Document(*value) : Document(nullptr);
  };
  Document names = Document::array();
  for (const std::string& name : event.surface_names) names.push_back(name);
  Document object = {{"t", json_number(event.t)},
                     {"kind", to_string(event.kind)},
                     {"surfaces", names},
                     {"name", text(event.name)},
                     {"from", word(event.from)},
                     {"to", word(event.to)},
                     {"from_location", text(event.from_location)},
                     {"to_location", text(event.to_location)}};
  if (event.before.size() > 0) object["before"] = json_state(system, event.before);
  if (event.after.size() > 0) object["after"] = json_state(system, event.after);
  return object;
}

std::string multiplier_text(const std::complex<double>& value) {
  if (value.imag() == 0) return fmt::format("{:.10g}", value.real());
  return fmt::format("{:.10g} {} {:.10g}i", value.real(), value.imag() < 0 ? "-" : "+",
                     std::abs(value.imag()));
}

std::string kind_text(MultiplierKind kind) {
  switch (kind) {
    case MultiplierKind::trivial: return "along the orbit";
    case MultiplierKind::exact_zero: return "exactly 0: sliding, rest or a jump wipes it out";
    case MultiplierKind::held: return "1 of a discrete state that nothing sets";
    default: return "";
  }
}

std::vector<const EventRecord*> section_events(const ShownOrbit& shown) {
  std::vector<const EventRecord*> result;
  if (!shown.section) return result;
  for (const EventRecord& event : shown.orbit.solution.events)
    if (event.from && arrives(*shown.section, shown.instance.system, event)) result.push_back(&event);
  return result;
}

Document multipliers_json(const PeriodicOrbit& orbit) {
  Document multipliers = Document::array();
  for (const FloquetMultiplier& multiplier : orbit.multipliers)
    multipliers.push_back({{"real", json_number(multiplier.value.real())},
                           {"imaginary", json_number(multiplier.value.imag())},
                           {"size", json_number(std::abs(multiplier.value))},
                           {"kind", to_string(multiplier.kind)}});
  return multipliers;
}

// The largest one that is not along the orbit.
std::string largest_multiplier(const PeriodicOrbit& orbit) {
  for (const FloquetMultiplier& multiplier : orbit.multipliers)
    if (multiplier.kind != MultiplierKind::trivial && multiplier.kind != MultiplierKind::held)
      return multiplier_text(multiplier.value);
  return "";
}

// Quoted as a table needs it: signatures hold commas.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char character : text)
    result += character == '"' ? std::string("\"\"") : std::string(1, character);
  return result + "\"";
}

}  // namespace

void print_branch(const ShownBranch& shown, const std::vector<std::string>& written, const Screen& screen,
                  std::ostream& out) {
  const OrbitBranch& branch = shown.branch;
  fmt::print(out, "{}   {}   rtol {:g}\n\n", shown.model,
             counted(static_cast<long long>(branch.points.size()), "orbit"), shown.rtol);
  Table points({{shown.parameter, Align::right, true},
                {"period", Align::right, true},
                {"largest multiplier", Align::right, true},
                {"", Align::left, true}},
               "signature");
  std::string before;
  for (const BranchPoint& point : branch.points) {
    const std::string& signature = point.orbit.signature;
    points.add({fmt::format("{:.8g}", point.parameter), fmt::format("{:.10g}", point.orbit.period),
                largest_multiplier(point.orbit), to_string(point.orbit.stability)},
               signature == before ? "" : signature);
    before = signature;
  }
  points.print(out, screen.width, screen.colours);
  if (!branch.bifurcations.empty()) {
    fmt::print(out, "\n");
    Table bifurcations({{"bifurcation"}, {shown.parameter, Align::right, true}}, "what happens");
    for (const BranchBifurcation& found : branch.bifurcations)
      bifurcations.add({to_string(found.kind), fmt::format("{:.10g}", found.parameter)}, found.reason);
    bifurcations.print(out, screen.width, screen.colours);
  }
  fmt::print(out, "\n");
  if (!branch.complete) fmt::print(out, "ends early   {}\n", branch.message);
  for (const std::string& file : written) fmt::print(out, "written      {}\n", file);
}

void write_branch_json(const ShownBranch& shown, std::ostream& out) {
  const System& system = shown.instance.system;
  Document points = Document::array(), bifurcations = Document::array();
  const auto orbit_json = [&](double parameter, const PeriodicOrbit& orbit) -> Document {
    return {{"parameter", json_number(parameter)},
            {"period", json_number(orbit.period)},
            {"t", json_number(orbit.start)},
            {"state", json_state(system, orbit.state)},
            {"stability", to_string(orbit.stability)},
            {"admissible", orbit.admissible},
            {"signature", orbit.signature},
            {"residual", json_number(orbit.residual)},
            {"multipliers", multipliers_json(orbit)}};
  };
  for (const BranchPoint& point : shown.branch.points)
    points.push_back(orbit_json(point.parameter, point.orbit));
  for (const BranchBifurcation& found : shown.branch.bifurcations)
    bifurcations.push_back({{"kind", to_string(found.kind)},
                            {"reason", found.reason},
                            {"before", found.before},
                            {"after", found.after},
                            {"orbit", orbit_json(found.parameter, found.orbit)}});
  Document parameters = Document::object();
  for (const auto& [name, value] : shown.instance.parameters)
    if (name != shown.parameter) parameters[name] = json_number(value);
  const Document document = {{"schema", "slideway.orbit-branch/1"},
                             {"model", shown.model},
                             {"parameters", parameters},
                             {"varied", shown.parameter},
                             {"complete", shown.branch.complete},
                             {"message", shown.branch.message},
                             {"points", points},
                             {"bifurcations", bifurcations}};
  out << document.dump(2, ' ', false, Document::error_handler_t::replace) << '\n';
}

void write_branch_csv(const ShownBranch& shown, std::ostream& out) {
  fmt::print(out, "{},period", shown.parameter);
  for (const std::string& name : shown.instance.system.state_names()) fmt::print(out, ",{}", name);
  fmt::print(out, ",stability");
  for (Index i = 0; i < shown.instance.system.states(); ++i) fmt::print(out, ",multiplier{}", i + 1);
  fmt::print(out, ",signature\n");
  for (const BranchPoint& point : shown.branch.points) {
    fmt::print(out, "{},{}", point.parameter, point.orbit.period);
    for (const double value : point.orbit.state) fmt::print(out, ",{}", value);
    fmt::print(out, ",{}", to_string(point.orbit.stability));
    for (const FloquetMultiplier& multiplier : point.orbit.multipliers)
      fmt::print(out, ",{}", std::abs(multiplier.value));
    fmt::print(out, ",{}\n", quoted(point.orbit.signature));
  }
}

void print_orbit(const ShownOrbit& shown, const std::vector<std::string>& written, const Screen& screen,
                 std::ostream& out) {
  const PeriodicOrbit& orbit = shown.orbit;
  const std::vector<std::string>& names = shown.instance.system.state_names();
  fmt::print(out, "{}   period {:.12g}   {}   rtol {:g}\n\n", shown.model, orbit.period,
             orbit.autonomous ? "found" : "of the drive", shown.rtol);
  std::vector<Table::Column> columns = {
      {"t", Align::right, true}, {"event", Align::left, true}, {"of", Align::left, true}, {"from"}, {"to"}};
  const bool shows_states = names.size() <= 6;
  if (shows_states)
    for (const std::string& name : names) columns.push_back({name, Align::right, true});
  Table events(columns);
  for (const EventRecord& event : orbit.solution.events) {
    if (!event.from) continue;
    std::string of;
    for (const std::string& name : event.surface_names) of += (of.empty() ? "" : ", ") + name;
    if (of.empty() && event.name) of = *event.name;
    std::vector<std::string> cells = {
        fmt::format("{:.10g}", event.t), to_string(event.kind), of,
        event.from_location ? *event.from_location : event.from->word(),
        event.to_location ? *event.to_location : (event.to ? event.to->word() : "")};
    if (shows_states)
      for (Index i = 0; i < event.before.size(); ++i) cells.push_back(fmt::format("{:.8g}", event.before[i]));
    events.add(std::move(cells));
  }
  events.print(out, screen.width, screen.colours);
  fmt::print(out, "\n");
  Table states({{"state", Align::left}, {fmt::format("at t = {:.10g}", orbit.start), Align::right, true}});
  for (Index i = 0; i < orbit.state.size(); ++i)
    states.add({names[static_cast<std::size_t>(i)], fmt::format("{:.12g}", orbit.state[i])});
  states.print(out, screen.width, screen.colours);
  fmt::print(out, "\n");
  Table multipliers({{"multiplier", Align::right, true}, {"size", Align::right, true}, {""}});
  for (const FloquetMultiplier& multiplier : orbit.multipliers)
    multipliers.add({multiplier_text(multiplier.value), fmt::format("{:.6g}", std::abs(multiplier.value)),
                     kind_text(multiplier.kind)});
  multipliers.print(out, screen.width, screen.colours);
  const auto points = section_events(shown);
  fmt::print(out, "\nsignature    {}\n", orbit.signature.empty() ? "no events" : orbit.signature);
  fmt::print(out, "stability    {}\n", to_string(orbit.stability));
  if (orbit.repeats > 1)
    fmt::print(out, "least period {:.12g}, of which this is {} times\n",
               orbit.period / static_cast<double>(orbit.repeats), orbit.repeats);
  fmt::print(out, "residual     {:.2g} after {} of Newton's method, {}\n", orbit.residual,
             counted(orbit.iterations, "iteration"), counted(static_cast<long long>(orbit.shots), "shot"));
  fmt::print(out, "admissible   {}\n", orbit.admissible ? "yes" : "NO: " + orbit.admissibility);
  if (shown.section)
    fmt::print(out, "section      {} at {}\n", counted(static_cast<long long>(points.size()), "arrival"),
               shown.section->name);
  for (const std::string& file : written) fmt::print(out, "written      {}\n", file);
}

void write_orbit_json(const ShownOrbit& shown, std::ostream& out) {
  const PeriodicOrbit& orbit = shown.orbit;
  const System& system = shown.instance.system;
  Document document = {{"schema", "slideway.orbit/1"},
                       {"model", shown.model},
                       {"parameters", json_settings(shown.instance.parameters)},
                       {"converged", orbit.converged},
                       {"message", orbit.message}};
  document["residual"] = json_number(orbit.residual);
  document["iterations"] = orbit.iterations;
  document["shots"] = orbit.shots;
  if (orbit.converged) {
    document["autonomous"] = orbit.autonomous;
    document["period"] = json_number(orbit.period);
    document["repeats"] = orbit.repeats;
    document["start"] = {{"t", json_number(orbit.start)},
                         {"mode", orbit.solution.initial.mode.word()},
                         {"location", orbit.location.empty() ? Document(nullptr) : Document(orbit.location)},
                         {"state", json_state(system, orbit.state)}};
    document["signature"] = orbit.signature;
    document["stability"] = to_string(orbit.stability);
    document["admissible"] = orbit.admissible;
    document["admissibility"] = orbit.admissibility;
    document["multipliers"] = multipliers_json(orbit);
    document["trivial_error"] = orbit.autonomous ? json_number(orbit.trivial_error) : Document(nullptr);
    Document rows = Document::array();
    for (Index i = 0; i < orbit.monodromy.rows(); ++i) {
      Document row = Document::array();
      for (Index j = 0; j < orbit.monodromy.cols(); ++j) row.push_back(json_number(orbit.monodromy(i, j)));
      rows.push_back(row);
    }
    document["monodromy"] = rows;
    Document events = Document::array();
    for (const EventRecord& event : orbit.solution.events)
      if (event.from) events.push_back(orbit_event(system, event));
    document["events"] = events;
    if (shown.section) {
      Document points = Document::array();
      for (const EventRecord* event : section_events(shown))
        points.push_back({{"t", json_number(event->t)},
                          {"state", json_state(system, orbit.solution.trajectory.before(event->t))}});
      document["section"] = points;
    }
  }
  out << document.dump(2, ' ', false, Document::error_handler_t::replace) << '\n';
}

void print_orbit_curves(const ShownOrbitCurves& shown, const std::vector<std::string>& written,
                        const Screen& screen, std::ostream& out) {
  const std::size_t count = shown.found.curves.size();
  fmt::print(out, "{}   {} of bifurcations, from the branch in {} at {} = {:.10g}\n\n", shown.model,
             count == 0 ? "no curves" : counted(static_cast<long long>(count), "curve"), shown.first,
             shown.second, shown.begin);
  Table table({{"curve", Align::right, true},
               {"at", Align::left, true},
               {shown.first, Align::right, true},
               {shown.second, Align::right, true},
               {"period", Align::right, true},
               {"signature"}},
              "note");
  for (std::size_t k = 0; k < count; ++k) {
    const OrbitCurve& curve = shown.found.curves[k];
    const std::string number = std::to_string(k + 1);
    const auto add = [&](const OrbitCurvePoint& point, const std::string& note) {
      table.add({number, to_string(point.kind), fmt::format("{:.10g}", point.first),
                 fmt::format("{:.10g}", point.second), fmt::format("{:.10g}", point.orbit.period),
                 point.orbit.signature},
                note);
    };
    if (curve.points.empty()) {
      table.add({number, to_string(curve.kind), "", "", "", ""}, curve.message);
      continue;
    }
    add(curve.points.front(), curve.reason);
    for (const OrbitSpecialPoint& point : curve.special)
      table.add({number, point.name, fmt::format("{:.10g}", point.first),
                 fmt::format("{:.10g}", point.second), "", ""},
                point.reason);
    add(curve.points.back(), curve.closed ? "the curve is closed" : curve.message);
  }
  if (count > 0) {
    table.print(out, screen.width, screen.colours);
    fmt::print(out, "\n");
  }
  if (!shown.found.branch.complete) fmt::print(out, "branch       {}\n", shown.found.branch.message);
  for (const std::string& file : written) fmt::print(out, "written      {}\n", file);
}

void write_orbit_curves_json(const ShownOrbitCurves& shown, std::ostream& out) {
  const System& system = shown.instance.system;
  const auto at = [](double first, double second) {
    return Document::array({json_number(first), json_number(second)});
  };
  Document curves = Document::array();
  for (const OrbitCurve& curve : shown.found.curves) {
    Document points = Document::array(), special = Document::array();
    for (const OrbitCurvePoint& point : curve.points) {
      const PeriodicOrbit& orbit = point.orbit;
      Document shown_orbit = nullptr;
      if (orbit.converged)
        shown_orbit = {{"start", json_number(orbit.start)},
                       {"period", json_number(orbit.period)},
                       {"location", orbit.location.empty() ? Document(nullptr) : Document(orbit.location)},
                       {"state", json_state(system, orbit.state)},
                       {"stability", to_string(orbit.stability)},
                       {"signature", orbit.signature},
                       {"multipliers", multipliers_json(orbit)}};
      points.push_back({{"kind", to_string(point.kind)},
                        {"values", at(point.first, point.second)},
                        {"orbit", shown_orbit}});
    }
    for (const OrbitSpecialPoint& point : curve.special)
      special.push_back(
          {{"name", point.name}, {"reason", point.reason}, {"values", at(point.first, point.second)}});
    curves.push_back({{"kind", to_string(curve.kind)},
                      {"reason", curve.reason},
                      {"before", curve.before},
                      {"after", curve.after},
                      {"closed", curve.closed},
                      {"message", curve.message},
                      {"points", points},
                      {"special", special}});
  }
  Document parameters = Document::object();
  for (const auto& [name, value] : shown.instance.parameters)
    if (name != shown.first && name != shown.second) parameters[name] = json_number(value);
  const Document document = {
      {"schema", "slideway.orbit-curves/1"},
      {"model", shown.model},
      {"parameters", parameters},
      {"varied", {shown.first, shown.second}},
      {"begin", json_number(shown.begin)},
      {"branch", {{"complete", shown.found.branch.complete}, {"message", shown.found.branch.message}}},
      {"curves", curves}};
  out << document.dump(2, ' ', false, Document::error_handler_t::replace) << '\n';
}

void write_orbit_curves_csv(const ShownOrbitCurves& shown, std::ostream& out) {
  fmt::print(out, "curve,bifurcation,special,{},{},period,stability,signature\n", shown.first, shown.second);
  for (std::size_t k = 0; k < shown.found.curves.size(); ++k) {
    const OrbitCurve& curve = shown.found.curves[k];
    for (const OrbitCurvePoint& point : curve.points)
      fmt::print(out, "{},{},,{},{},{},{},{}\n", k + 1, to_string(point.kind), point.first, point.second,
                 point.orbit.period, to_string(point.orbit.stability), quoted(point.orbit.signature));
    for (const OrbitSpecialPoint& point : curve.special)
      fmt::print(out, "{},{},{},{},{},,,\n", k + 1, to_string(curve.kind), point.name, point.first,
                 point.second);
  }
}

}  // namespace slideway::apps
