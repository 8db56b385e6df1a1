#include "apps/fit_documents.hpp"

#include <cmath>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "apps/json_values.hpp"

namespace slideway::apps {

void print_fit(const ShownFit& shown, const std::vector<std::string>& written, const Screen& screen,
               std::ostream& out) {
  const Fit& fit = shown.fit;
  fmt::print(out, "{}   {}   {} with derivatives\n\n", shown.model,
             counted(static_cast<long long>(fit.measurements), "measurement"), counted(fit.runs, "run"));
  Table table({{"parameter"}, {"value", Align::right, true}, {"standard error", Align::right, true}});
  for (std::size_t k = 0; k < fit.names.size(); ++k) {
    const auto place = static_cast<Index>(k);
    const bool has_error = fit.errors.size() > place && std::isfinite(fit.errors[place]);
    table.add({fit.names[k], fmt::format("{:.10g}", fit.values[place]),
               has_error ? fmt::format("{:.2g}", fit.errors[place]) : "not told"});
  }
  table.print(out, screen.width, screen.colours);
  fmt::print(out, "\nsum          {:.6g} of squares; deviation {:.6g}\n", fit.sum_of_squares, fit.deviation);
  if (!fit.message.empty())
    fmt::print(out, "{}{}\n", fit.converged ? "DOUBT        " : "no minimum   ", fit.message);
  std::string settings;
  for (std::size_t k = 0; k < fit.names.size(); ++k)
    settings += fmt::format(" --set {}={:.10g}", fit.names[k], fit.values[static_cast<Index>(k)]);
  fmt::print(out, "to run it   {}\n", settings);
  for (const std::string& file : written) fmt::print(out, "written      {}\n", file);
}

void write_fit_json(const ShownFit& shown, std::ostream& out) {
  const Fit& fit = shown.fit;
  Document parameters = Document::array(), covariance = Document::array();
  for (std::size_t k = 0; k < fit.names.size(); ++k) {
    const auto place = static_cast<Index>(k);
    parameters.push_back(
        {{"name", fit.names[k]},
         {"value", json_number(fit.values[place])},
         {"error", fit.errors.size() > place ? json_number(fit.errors[place]) : Document(nullptr)}});
  }
  for (Index i = 0; i < fit.covariance.rows(); ++i) {
    Document row = Document::array();
    for (Index j = 0; j < fit.covariance.cols(); ++j) row.push_back(json_number(fit.covariance(i, j)));
    covariance.push_back(row);
  }
  const Document document = {{"schema", "slideway.fit/1"},
                             {"model", shown.model},
                             {"converged", fit.converged},
                             {"message", fit.message},
                             {"parameters", parameters},
                             {"covariance", covariance},
                             {"sum_of_squares", json_number(fit.sum_of_squares)},
                             {"deviation", json_number(fit.deviation)},
                             {"measurements", fit.measurements},
                             {"runs", fit.runs}};
  out << document.dump(2, ' ', false, Document::error_handler_t::replace) << '\n';
}

void write_fit_csv(const ShownFit& shown, std::ostream& out) {
  const Measurements& measured = shown.measurements;
  fmt::print(out, "t");
  for (const std::string& name : shown.columns)
    fmt::print(out, ",{},model_{},difference_{}", name, name, name);
  fmt::print(out, "\n");
  for (std::size_t k = 0; k < measured.times.size() && shown.fit.residuals.size() > 0; ++k) {
    fmt::print(out, "{}", measured.times[k]);
    for (Index i = 0; i < measured.values.rows(); ++i) {
      const double value = measured.values(i, static_cast<Index>(k));
      const double difference = shown.fit.residuals(i, static_cast<Index>(k));
      if (std::isnan(value)) {
        fmt::print(out, ",,,");
      } else {
        fmt::print(out, ",{},{},{}", value, value + difference, difference);
      }
    }
    fmt::print(out, "\n");
  }
}

}  // namespace slideway::apps
