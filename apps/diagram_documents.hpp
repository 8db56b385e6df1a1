// The text, the documents and the picture of the command `slideway diagram`.
//
// It must not know how a diagram was found.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "apps/layout.hpp"
#include "slideway/diagram/diagram.hpp"
#include "slideway/io/figure.hpp"
#include "slideway/model/model.hpp"

namespace slideway::apps {

struct ShownDiagram {
  std::string model = {};
  const ModelInstance& instance;
  const DiagramDesign& design;
  const Diagram& diagram;
  double rtol = 0;
};

void print_diagram(const ShownDiagram& shown, const std::vector<std::string>& written, const Screen& screen,
                   std::ostream& out);
// Writes the JSON document, whose schema is "slideway.diagram/1".
void write_diagram_json(const ShownDiagram& shown, std::ostream& out);
// Writes a row for each point of the curves, and for each of their special points.
void write_diagram_curves(const ShownDiagram& shown, std::ostream& out);
// A colour for each kind of attractor, two in a cell where both directions differ; the curves lie over them.
Figure diagram_figure(const ShownDiagram& shown);

}  // namespace slideway::apps
