// PlotScript: the phase portrait, of two states in the plane or of three in space.

#include <cmath>

#include "report/plot_script.hpp"
#include "report/plot_style.hpp"

namespace slideway {

// "2:3", the columns of the states of the portrait.
std::string PlotScript::portrait_columns() const {
  std::string text;
  for (const Index state : portrait_) text += fmt::format("{}{}", text.empty() ? "" : ":", column(state));
  return text;
}

std::vector<std::string> PlotScript::portrait_parts() const {
  const std::string columns = portrait_columns();
  std::vector<std::string> parts;
  for (const std::string& name : portrait_surfaces_) {
    parts.push_back(
        portrait_.size() == 2
            ? fmt::format("${} using 1:2 {}", name, surface_style())
            : fmt::format("${} using 1:2:3 with lines linecolor rgb '#999999' linewidth 0.6", name));
  }
  if (draws_jumps_) parts.push_back(fmt::format("$jumps using {} {}", columns, jump_style()));
  parts.push_back(
      fmt::format("$whole using {} with lines linecolor rgb '{}' linewidth 2", columns, curve_colour));
  if (!curves_.sliding.empty()) {
    parts.push_back(
        fmt::format("$sliding using {} with lines linecolor rgb '{}' linewidth 4", columns, sliding_colour));
  }
  for (const Marked& marked : used_groups_)
    parts.push_back(fmt::format("$events{} using {} {}", marked.group, columns, marker_style(marked.group)));
  if (!is_whole_) return parts;
  for (const auto& [name, type] : {std::pair{"start", 7}, std::pair{"end", 5}}) {
    parts.push_back(fmt::format("${} using {} with points pointtype {} pointsize {} linecolor rgb '{}'", name,
                                columns, type, type == 7 ? 0.8 : 0.7, curve_colour));
  }
  return parts;
}

// A solution that stops where it is not unique goes on in others.
std::vector<const Snapshot*> PlotScript::ends() const {
  std::vector<const Snapshot*> result;
  const auto add = [&](const Solution& solution) {
    if (solution.outcome.status != Status::ambiguous) result.push_back(&solution.final);
  };
  add(solution_);
  for (const Solution* further : report_.further) add(*further);
  if (result.empty()) result.push_back(&solution_.final);
  return result;
}

// portrait_ends() draws nothing for a part of a run, neither end of which lies on the curve.
void PlotScript::portrait_ends() {
  if (!is_whole_) return;
  const auto points = [&](const char* name, const std::vector<const Snapshot*>& snapshots) {
    append("${} << EOD\n", name);
    for (const Snapshot* const at : snapshots) {
      append_row(at->t, keep(kept_, *at, report_.observation));
    }
    append("EOD\n");
  };
  points("start", {&solution_.initial});
  points("end", ends());
}

void PlotScript::plane_portrait(const Frame& frame) {
  portrait_ends();
  place(frame);
  append("{}{}", axis(portrait_[0]).commands('x'), axis(portrait_[1]).commands('y'));
  if (const std::string numbers = axis(portrait_[1]).number_format(words_); !numbers.empty())
    append("set format y {}\n", numbers);
  append("set xlabel {} offset 0,0.3\nset ylabel {} offset {},0\nset format x {}\n", name(portrait_[0]),
         name(portrait_[1]), words_.label_offset(), words_.number_format());
  arrows();
  surface_time();
  append_plot(portrait_parts());
}

void PlotScript::space_portrait(const Frame& frame) {
  portrait_ends();
  // gnuplot does not scale a drawing in space between fixed margins.
  append("set lmargin -1\nset rmargin -1\nset bmargin -1\nset tmargin -1\n");
  append("set origin {:.4f},{:.4f}\nset size {:.4f},{:.4f}\n", frame.left, frame.bottom,
         frame.right - frame.left, frame.top - frame.bottom);
  append("{}{}{}", axis(portrait_[0]).commands('x'), axis(portrait_[1]).commands('y'),
         axis(portrait_[2]).commands('z'));
  append("set xlabel {} offset 0,-0.5\nset ylabel {} offset 0,-0.5\nset zlabel {} offset -1,0 rotate by 90\n",
         name(portrait_[0]), name(portrait_[1]), name(portrait_[2]));
  append(
      "set format x {}\nset xyplane relative 0\nset view 62,35,0.95,1.2\nset border 4095 linewidth "
      "0.4\n",
      words_.number_format());
  append("set tics offset 0,0\nset grid xtics ytics ztics linecolor rgb '#DDDDDD' linewidth 0.5\n");
  surface_time();
  append("splot {}\n", fmt::join(portrait_parts(), ", \\\n  "));
}

void PlotScript::surface_time() {
  if (!surfaces_move_) return;
  append("set label {} at graph 0.98,0.04 right\n",
         words_.verbatim(fmt::format("surface at t = {:.4g}", curves_.time.high)));
}

// Arrow heads on the way tell the direction of time.
void PlotScript::arrows() {
  const auto across = static_cast<Index>(place_of(portrait_[0]));
  const auto up = static_cast<Index>(place_of(portrait_[1]));
  // Lengths below are those of linear axes.
  if (axis(portrait_[0]).is_logarithmic || axis(portrait_[1]).is_logarithmic) return;
  const double width = axis(portrait_[0]).range.width();
  const double height = axis(portrait_[1]).range.width();
  const auto distance = [&](const Sample& a, const Sample& b) {
    return std::hypot((b.state(across) - a.state(across)) / width, (b.state(up) - a.state(up)) / height);
  };
  double length = 0;
  for (const auto& piece : curves_.whole) {
    for (std::size_t i = 1; i < piece.size(); ++i) length += distance(piece[i - 1], piece[i]);
  }
  // A long run passes the same places again: arrows belong to its beginning.
  const double spacing = std::min(0.35 * length, 0.9);
  double next = 0.45 * spacing;
  double travelled = 0;
  int drawn = 0;
  for (const auto& piece : curves_.whole) {
    for (std::size_t i = 1; i < piece.size() && drawn < 3; ++i) {
      const double step = distance(piece[i - 1], piece[i]);
      travelled += step;
      if (travelled < next || step == 0) continue;
      // Only the trajectory of a tree's root is known by time.
      const double t = piece[i - 1].t;
      const bool sliding = t <= solution_.trajectory.end() && solution_.trajectory.mode(t).codimension() > 0;
      append(
          "set arrow from {:.9g},{:.9g} to {:.9g},{:.9g} head filled size screen 0.014,17,90 fixed front "
          "linecolor rgb '{}' linewidth 1\n",
          piece[i - 1].state(across), piece[i - 1].state(up), piece[i].state(across), piece[i].state(up),
          sliding ? sliding_colour : curve_colour);
      next = travelled + spacing;
      ++drawn;
    }
  }
}

}  // namespace slideway
