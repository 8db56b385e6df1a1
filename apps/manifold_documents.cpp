#include "apps/manifold_documents.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "apps/json_values.hpp"

namespace slideway::apps {

namespace {

std::string state_words(const System& system, const Vector& state, int digits = 8) {
  constexpr Index most = 4;
  std::string result;
  for (Index i = 0; i < std::min(state.size(), most); ++i)
    result += fmt::format("{}{} = {:.{}g}", result.empty() ? "" : ", ",
                          system.state_names()[static_cast<std::size_t>(i)], state[i], digits);
  return result + (state.size() > most ? ", …" : "");
}

Document json_names(const std::vector<std::string>& words) {
  Document list = Document::array();
  for (const std::string& word : words) list.push_back(word);
  return list;
}

Document json_vector(const Vector& values) {
  Document list = Document::array();
  for (const double value : values) list.push_back(json_number(value));
  return list;
}

Document json_location(const std::string& location) {
  return location.empty() ? Document(nullptr) : Document(location);
}

Document arc_json(const ManifoldArc& arc) {
  Document points = Document::array(), events = Document::array();
  for (const ManifoldPoint& point : arc.points)
    points.push_back({{"time", json_number(point.time)},
                      {"arclength", json_number(point.arclength)},
                      {"state", json_vector(point.state)},
                      {"mode", point.mode.word()},
                      {"location", json_location(point.location)},
                      {"after_jump", point.after_jump}});
  for (const ManifoldEvent& event : arc.events)
    events.push_back({{"kind", event.kind},
                      {"name", event.name},
                      {"time", json_number(event.time)},
                      {"arclength", json_number(event.arclength)},
                      {"state", json_vector(event.state)}});
  return {{"kind", to_string(arc.kind)},
          {"piece", to_string(arc.piece)},
          {"parent", arc.parent ? Document(*arc.parent) : Document(nullptr)},
          {"direction", json_vector(arc.direction)},
          {"end", to_string(arc.end)},
          {"message", arc.message},
          {"points", points},
          {"events", events}};
}

Document saddle_json(const System& system, const EquilibriumManifolds& saddle) {
  Document arcs = Document::array();
  for (const ManifoldArc& arc : saddle.arcs) arcs.push_back(arc_json(arc));
  return {{"kind", to_string(saddle.equilibrium.kind)},
          {"location", json_location(saddle.equilibrium.location)},
          {"mode", saddle.equilibrium.mode.word()},
          {"state", json_state(system, saddle.equilibrium.state)},
          {"stable_dimensions", saddle.stable_dimensions},
          {"unstable_dimensions", saddle.unstable_dimensions},
          {"remarks", json_names(saddle.remarks)},
          {"arcs", arcs}};
}

void dump(const Document& document, std::ostream& out) {
  out << document.dump(2, ' ', false, Document::error_handler_t::replace) << '\n';
}

void print_files(const std::vector<std::string>& written, std::ostream& out) {
  for (const std::string& file : written) fmt::print(out, "written      {}\n", file);
}

void print_remarks(const std::vector<std::string>& remarks, std::ostream& out) {
  for (const std::string& remark : remarks) fmt::print(out, "{}\n", remark);
}

void write_states(const Vector& state, std::ostream& out) {
  for (const double value : state) fmt::print(out, ",{}", value);
  fmt::print(out, "\n");
}

void write_names(const System& system, std::ostream& out) {
  for (const std::string& name : system.state_names()) fmt::print(out, ",{}", name);
  fmt::print(out, "\n");
}

// "3 crossing, 1 impact".
std::string events_text(const std::vector<ManifoldEvent>& events) {
  std::vector<std::pair<std::string, int>> counts;
  for (const ManifoldEvent& event : events) {
    auto known = std::find_if(counts.begin(), counts.end(),
                              [&](const auto& entry) { return entry.first == event.kind; });
    if (known == counts.end()) known = counts.insert(counts.end(), {event.kind, 0});
    ++known->second;
  }
  std::string result;
  for (const auto& [kind, count] : counts)
    result += fmt::format("{}{} {}", result.empty() ? "" : ", ", count, kind);
  return result;
}

}  // namespace

void print_manifolds(const ShownManifolds& shown, const std::vector<std::string>& written,
                     const Screen& screen, std::ostream& out) {
  const System& system = shown.instance.system;
  fmt::print(
      out, "{}   {} with manifolds\n\n", shown.model,
      shown.saddles.empty() ? "no saddle" : counted(static_cast<Index>(shown.saddles.size()), "saddle"));
  for (std::size_t k = 0; k < shown.saddles.size(); ++k) {
    const EquilibriumManifolds& saddle = shown.saddles[k];
    fmt::print(out, "saddle {}     {}, {}{}{}; stable {}, unstable {}\n", k + 1,
               to_string(saddle.equilibrium.kind), state_words(system, saddle.equilibrium.state),
               saddle.equilibrium.mode.size() > 0 ? ", mode " : "", saddle.equilibrium.mode.word(),
               counted(saddle.stable_dimensions, "dimension"),
               counted(saddle.unstable_dimensions, "dimension"));
    print_remarks(saddle.remarks, out);
    Table table({{"manifold", Align::left, true},
                 {"piece", Align::left, true},
                 {"length", Align::right, true},
                 {"time", Align::right, true},
                 {"points", Align::right, true},
                 {"events"},
                 {"end", Align::left, true}},
                "note");
    for (const ManifoldArc& arc : saddle.arcs) {
      table.add(
          {to_string(arc.kind), to_string(arc.piece), fmt::format("{:.6g}", arc.points.back().arclength),
           fmt::format("{:.6g}", arc.points.back().time), std::to_string(arc.points.size()),
           events_text(arc.events), state_words(system, arc.points.back().state, 4)},
          arc.message);
    }
    if (!saddle.arcs.empty()) {
      table.print(out, screen.width, screen.colours);
      fmt::print(out, "\n");
    }
  }
  print_files(written, out);
}

void write_manifolds_json(const ShownManifolds& shown, std::ostream& out) {
  Document saddles = Document::array();
  for (const EquilibriumManifolds& saddle : shown.saddles)
    saddles.push_back(saddle_json(shown.instance.system, saddle));
  dump({{"schema", "slideway.manifolds/1"},
        {"model", shown.model},
        {"parameters", json_settings(shown.instance.parameters)},
        {"states", json_names(shown.instance.system.state_names())},
        {"saddles", saddles}},
       out);
}

void write_manifolds_csv(const ShownManifolds& shown, std::ostream& out) {
  fmt::print(out, "saddle,arc,manifold,piece,time,arclength,after_jump,location,mode");
  write_names(shown.instance.system, out);
  for (std::size_t k = 0; k < shown.saddles.size(); ++k)
    for (std::size_t a = 0; a < shown.saddles[k].arcs.size(); ++a) {
      const ManifoldArc& arc = shown.saddles[k].arcs[a];
      for (const ManifoldPoint& point : arc.points) {
        fmt::print(out, "{},{},{},{},{},{},{},{},{}", k + 1, a + 1, to_string(arc.kind), to_string(arc.piece),
                   point.time, point.arclength, point.after_jump ? 1 : 0, point.location, point.mode.word());
        write_states(point.state, out);
      }
    }
}

void print_orbit_manifolds(const ShownOrbitManifolds& shown, const std::vector<std::string>& written,
                           const Screen& screen, std::ostream& out) {
  const System& system = shown.instance.system;
  const OrbitManifolds& manifolds = shown.manifolds;
  fmt::print(out, "{}   orbit of period {:.8g} through {}; stable {}, unstable {} in the section\n",
             shown.model, shown.orbit.period, state_words(system, shown.orbit.state),
             counted(manifolds.stable_dimensions, "dimension"),
             counted(manifolds.unstable_dimensions, "dimension"));
  fmt::print(out, "section      {}\n\n",
             manifolds.normal.size() == 0 ? fmt::format("t = {:.8g}, and every period later", manifolds.time)
                                          : "the plane through this state across the orbit");
  print_remarks(manifolds.remarks, out);
  Table table({{"manifold", Align::left, true},
               {"piece", Align::left, true},
               {"multiplier", Align::right, true},
               {"length", Align::right, true},
               {"points", Align::right, true},
               {"returns", Align::right, true},
               {"runs", Align::right, true}},
              "note");
  for (const OrbitManifoldCurve& curve : manifolds.curves) {
    const bool is_empty = curve.points.empty();
    table.add({to_string(curve.kind), to_string(curve.piece), fmt::format("{:.8g}", curve.multiplier),
               fmt::format("{:.6g}", is_empty ? 0.0 : curve.points.back().arclength),
               std::to_string(curve.points.size()),
               std::to_string(is_empty ? 0 : curve.points.back().returns), std::to_string(curve.runs)},
              curve.message);
  }
  if (!manifolds.curves.empty()) {
    table.print(out, screen.width, screen.colours);
    fmt::print(out, "\n");
  }
  print_files(written, out);
}

void write_orbit_manifolds_json(const ShownOrbitManifolds& shown, std::ostream& out) {
  const System& system = shown.instance.system;
  Document curves = Document::array(), multipliers = Document::array();
  for (const FloquetMultiplier& multiplier : shown.orbit.multipliers)
    multipliers.push_back({{"real", json_number(multiplier.value.real())},
                           {"imaginary", json_number(multiplier.value.imag())},
                           {"kind", to_string(multiplier.kind)}});
  for (const OrbitManifoldCurve& curve : shown.manifolds.curves) {
    Document points = Document::array();
    for (const OrbitManifoldPoint& point : curve.points)
      points.push_back({{"arclength", json_number(point.arclength)},
                        {"state", json_vector(point.state)},
                        {"location", json_location(point.location)},
                        {"returns", point.returns},
                        {"after_gap", point.after_gap}});
    curves.push_back({{"kind", to_string(curve.kind)},
                      {"piece", to_string(curve.piece)},
                      {"multiplier", json_number(curve.multiplier)},
                      {"direction", json_vector(curve.direction)},
                      {"complete", curve.complete},
                      {"message", curve.message},
                      {"points", points}});
  }
  dump(
      {{"schema", "slideway.orbit-manifolds/1"},
       {"model", shown.model},
       {"parameters", json_settings(shown.instance.parameters)},
       {"states", json_names(system.state_names())},
       {"orbit",
        {{"start", json_number(shown.orbit.start)},
         {"period", json_number(shown.orbit.period)},
         {"state", json_state(system, shown.orbit.state)},
         {"location", json_location(shown.orbit.location)},
         {"signature", shown.orbit.signature},
         {"multipliers", multipliers}}},
       {"section",
        {{"time", shown.manifolds.normal.size() == 0 ? json_number(shown.manifolds.time) : Document(nullptr)},
         {"normal", json_vector(shown.manifolds.normal)}}},
       {"stable_dimensions", shown.manifolds.stable_dimensions},
       {"unstable_dimensions", shown.manifolds.unstable_dimensions},
       {"remarks", json_names(shown.manifolds.remarks)},
       {"curves", curves}},
      out);
}

void write_orbit_manifolds_csv(const ShownOrbitManifolds& shown, std::ostream& out) {
  fmt::print(out, "curve,manifold,piece,returns,arclength,after_gap,location");
  write_names(shown.instance.system, out);
  for (std::size_t k = 0; k < shown.manifolds.curves.size(); ++k) {
    const OrbitManifoldCurve& curve = shown.manifolds.curves[k];
    for (const OrbitManifoldPoint& point : curve.points) {
      fmt::print(out, "{},{},{},{},{},{},{}", k + 1, to_string(curve.kind), to_string(curve.piece),
                 point.returns, point.arclength, point.after_gap ? 1 : 0, point.location);
      write_states(point.state, out);
    }
  }
}

const char* kind_of(const Connection& connection) {
  return connection.from == connection.to ? "homoclinic" : "heteroclinic";
}

void print_connections(const ShownConnections& shown, const std::vector<std::string>& written,
                       const Screen& screen, std::ostream& out) {
  const System& system = shown.instance.system;
  const Connections& connections = shown.connections;
  const std::string& state = system.state_names()[static_cast<std::size_t>(shown.options.state)];
  fmt::print(out, "{}   {} by gaps at {} = {:.8g}, {} = {:.8g} … {:.8g}\n\n", shown.model,
             connections.found.empty() ? "no connection"
                                       : counted(static_cast<Index>(connections.found.size()), "connection"),
             state, shown.options.value, shown.parameter, shown.options.first, shown.options.last);
  for (std::size_t k = 0; k < connections.saddles.size(); ++k)
    fmt::print(out, "saddle {}     {}, {}\n", k + 1, to_string(connections.saddles[k].kind),
               state_words(system, connections.saddles[k].state));
  if (connections.gaps.empty())
    fmt::print(out, "no unstable and stable manifold come to the section in the same direction\n");
  fmt::print(out, "\n");
  if (!connections.found.empty()) {
    Table table({{"connection", Align::left, true},
                 {"from", Align::right, true},
                 {"to", Align::right, true},
                 {shown.parameter, Align::right, true},
                 {"gap", Align::right, true}},
                "at the section");
    for (const Connection& found : connections.found)
      table.add({kind_of(found), std::to_string(found.from + 1), std::to_string(found.to + 1),
                 fmt::format("{:.12g}", found.parameter), fmt::format("{:.2g}", found.gap)},
                state_words(system, found.state));
    table.print(out, screen.width, screen.colours);
    fmt::print(out, "\n");
  }
  print_files(written, out);
}

void write_connections_json(const ShownConnections& shown, std::ostream& out) {
  const System& system = shown.instance.system;
  Document saddles = Document::array(), gaps = Document::array(), found = Document::array();
  for (const Equilibrium& saddle : shown.connections.saddles)
    saddles.push_back({{"kind", to_string(saddle.kind)},
                       {"mode", saddle.mode.word()},
                       {"location", json_location(saddle.location)},
                       {"state", json_state(system, saddle.state)}});
  for (const ConnectionGap& gap : shown.connections.gaps) {
    Document values = Document::array();
    for (std::size_t k = 0; k < gap.gaps.size(); ++k)
      values.push_back({{"parameter", json_number(gap.parameters[k])}, {"gap", json_number(gap.gaps[k])}});
    gaps.push_back({{"from", gap.from},
                    {"to", gap.to},
                    {"from_side", gap.from_side},
                    {"to_side", gap.to_side},
                    {"rising", gap.rising},
                    {"values", values}});
  }
  for (const Connection& connection : shown.connections.found)
    found.push_back({{"kind", kind_of(connection)},
                     {"parameter", json_number(connection.parameter)},
                     {"from", connection.from},
                     {"to", connection.to},
                     {"from_side", connection.from_side},
                     {"to_side", connection.to_side},
                     {"state", json_state(system, connection.state)},
                     {"gap", json_number(connection.gap)},
                     {"unstable", saddle_json(system, connection.unstable)},
                     {"stable", saddle_json(system, connection.stable)}});
  Document parameters = Document::object();
  for (const auto& [name, value] : shown.instance.parameters)
    if (name != shown.parameter) parameters[name] = json_number(value);
  dump({{"schema", "slideway.connections/1"},
        {"model", shown.model},
        {"parameters", parameters},
        {"states", json_names(system.state_names())},
        {"varied", shown.parameter},
        {"section",
         {{"state", system.state_names()[static_cast<std::size_t>(shown.options.state)]},
          {"value", json_number(shown.options.value)}}},
        {"saddles", saddles},
        {"gaps", gaps},
        {"connections", found}},
       out);
}

void write_connections_csv(const ShownConnections& shown, std::ostream& out) {
  fmt::print(out, "from,from_side,to,to_side,direction,{},gap\n", shown.parameter);
  for (const ConnectionGap& gap : shown.connections.gaps)
    for (std::size_t k = 0; k < gap.gaps.size(); ++k)
      fmt::print(out, "{},{},{},{},{},{},{}\n", gap.from + 1, gap.from_side, gap.to + 1, gap.to_side,
                 gap.rising ? "rising" : "falling", gap.parameters[k], gap.gaps[k]);
}

}  // namespace slideway::apps
