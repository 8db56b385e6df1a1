// The text, the JSON document and the picture of the command `slideway basins`.
//
// It must not know how basins were found.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "apps/layout.hpp"
#include "slideway/basins/basins.hpp"
#include "slideway/io/figure.hpp"
#include "slideway/model/model.hpp"

namespace slideway::apps {

struct ShownBasins {
  std::string model = {};
  const ModelInstance& instance;
  const BasinDesign& design;
  const Basins& basins;
  double rtol = 0;
};

void print_basins(const ShownBasins& shown, const std::vector<std::string>& written, const Screen& screen,
                  std::ostream& out);
// Writes the JSON document, whose schema is "slideway.basins/1".
void write_basins_json(const ShownBasins& shown, std::ostream& out);
// A colour for each end; points of attractors that lie in the plane are marked.
Figure basins_figure(const ShownBasins& shown);

}  // namespace slideway::apps
