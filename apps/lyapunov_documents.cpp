#include "apps/lyapunov_documents.hpp"

#include <cmath>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "apps/json_values.hpp"

namespace slideway::apps {

namespace {

// An exponent of a direction that is wiped out.
bool is_wiped_out(double exponent) { return std::isinf(exponent) && exponent < 0; }

}  // namespace

std::string doubt_of(const LyapunovExponents& exponents) {
  if (!exponents.complete) return exponents.message;
  if (std::isinf(exponents.exists_until)) return "";
  return fmt::format(
      "the derivative of the solution does not exist beyond t = {:.10g}; from there on the one-sided one was "
      "followed, and the exponents may be wrong",
      exponents.exists_until);
}

double kaplan_yorke_dimension(const Vector& exponents) {
  double sum = 0;
  for (Index k = 0; k < exponents.size(); ++k) {
    if (!(sum + exponents[k] >= 0)) return static_cast<double>(k) + sum / std::abs(exponents[k]);
    sum += exponents[k];
  }
  return static_cast<double>(exponents.size());
}

void print_exponents(const ShownExponents& shown, const std::vector<std::string>& written,
                     const Screen& screen, std::ostream& out) {
  const LyapunovExponents& found = shown.exponents;
  fmt::print(out, "{}   {} of {:.10g} after a transient of {:.10g}   rtol {:g}\n\n", shown.model,
             counted(static_cast<long long>(found.times.size()), "block"), shown.options.block,
             shown.options.transient, shown.options.run.rtol);
  if (found.values.size() > 0) {
    Table table({{"exponent", Align::right, true}, {"error", Align::right, true}, {""}});
    for (Index i = 0; i < found.values.size(); ++i) {
      const double value = found.values[i];
      const bool is_finite = !is_wiped_out(value);
      table.add({is_finite ? fmt::format("{:.6g}", value) : "-inf",
                 std::isfinite(found.errors[i]) ? fmt::format("{:.1g}", found.errors[i]) : "",
                 is_finite ? "" : "an event wipes this direction out"});
    }
    table.print(out, screen.width, screen.colours);
    fmt::print(out, "\nsum          {:.8g}\n", found.values.sum());
    fmt::print(out, "dimension    {:.6g}, by Kaplan and Yorke\n", kaplan_yorke_dimension(found.values));
  }
  const std::string doubt = doubt_of(found);
  if (!doubt.empty()) fmt::print(out, "{}{}\n", found.complete ? "DOUBT        " : "ends early   ", doubt);
  for (const std::string& file : written) fmt::print(out, "written      {}\n", file);
}

void write_lyapunov_json(const ShownExponents& shown, std::ostream& out) {
  const LyapunovExponents& found = shown.exponents;
  Document exponents = Document::array();
  for (Index i = 0; i < found.values.size(); ++i)
    exponents.push_back({{"value", json_number(found.values[i])},
                         {"error", json_number(found.errors[i])},
                         {"wiped_out", is_wiped_out(found.values[i])}});
  Document running = Document::array();
  for (std::size_t k = 0; k < found.times.size(); ++k) {
    Document values = Document::array();
    for (const double value : found.running[k]) values.push_back(json_number(value));
    running.push_back({{"t", json_number(found.times[k])}, {"values", values}});
  }
  const Document document = {
      {"schema", "slideway.lyapunov/1"},
      {"model", shown.model},
      {"parameters", json_settings(shown.instance.parameters)},
      {"complete", found.complete},
      {"message", doubt_of(found)},
      {"exists_until", json_number(found.exists_until)},
      {"rtol", shown.options.run.rtol},
      {"transient", shown.options.transient},
      {"block", shown.options.block},
      {"exponents", exponents},
      {"kaplan_yorke_dimension",
       found.values.size() > 0 ? json_number(kaplan_yorke_dimension(found.values)) : Document(nullptr)},
      {"running", running}};
  out << document.dump(2, ' ', false, Document::error_handler_t::replace) << '\n';
}

void write_lyapunov_csv(const ShownExponents& shown, std::ostream& out) {
  const LyapunovExponents& found = shown.exponents;
  fmt::print(out, "t");
  for (Index i = 0; i < shown.instance.state.size(); ++i) fmt::print(out, ",exponent{}", i + 1);
  fmt::print(out, "\n");
  for (std::size_t k = 0; k < found.times.size(); ++k) {
    fmt::print(out, "{}", found.times[k]);
    for (const double value : found.running[k]) fmt::print(out, ",{}", value);
    fmt::print(out, "\n");
  }
}

}  // namespace slideway::apps
