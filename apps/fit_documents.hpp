// The table and the documents that the command `slideway fit` writes.
//
// It must not know how parameters are found.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "apps/layout.hpp"
#include "slideway/fit/fit.hpp"

namespace slideway::apps {

// Refers to the measurements, the names of their columns and the fit, which must outlive it.
struct ShownFit {
  std::string model = {};
  const Measurements& measurements;
  const std::vector<std::string>& columns;
  const Fit& fit;
};

void print_fit(const ShownFit& shown, const std::vector<std::string>& written, const Screen& screen,
               std::ostream& out);
// Writes the JSON document, whose schema is "slideway.fit/1".
void write_fit_json(const ShownFit& shown, std::ostream& out);
// A row for each time: of every column what was measured, what the model has, and the difference.
void write_fit_csv(const ShownFit& shown, std::ostream& out);

}  // namespace slideway::apps
