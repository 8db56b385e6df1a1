#include "slideway/io/comparison_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "report/plot_curves.hpp"
#include "report/plot_style.hpp"

namespace slideway {

namespace {

struct Look {
  const char* colour;
  double width;
  std::vector<int> dash;
};

// The look of a method, the same in all panels; the first one lies under the thinner others.
const Look& look_of(std::size_t curve) {
  static const std::array<Look, 8> looks = {{{"#D55E00", 3.2, {}},
                                             {"#0072B2", 1.4, {}},
                                             {"#009E73", 1.8, {12, 4}},
                                             {"#CC79A7", 1.6, {3, 3}},
                                             {"#56B4E9", 1.6, {8, 3, 2, 3}},
                                             {"#E69F00", 1.2, {}},
                                             {"#000000", 1.5, {6, 5}},
                                             {"#777777", 1.5, {2, 4}}}};
  return looks[curve % looks.size()];
}

struct Bounds {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void include(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  std::pair<double, double> with_margin() const {
    if (!(high >= low)) return {-1, 1};
    const Range range = padded({low, high});
    return {range.low, range.high};
  }
};

class Comparison {
 public:
  explicit Comparison(const ComparisonPicture& picture) : picture_(picture) {}

  Figure figure() const {
    Figure figure{.title = picture_.title, .panel_size = {860, 250}};
    figure.panels = {over_time(false), over_time(true)};
    if (!picture_.across_name.empty()) {
      figure.panel_size.first = 540;
      figure.panels.push_back(portrait());
    }
    return figure;
  }

 private:
  bool in_zoom(double t) const { return t >= picture_.zoom_from && t <= picture_.zoom_to; }

  FigureCurve curve(std::size_t k) const {
    const Look& look = look_of(k);
    return {.name = picture_.curves[k].name, .colour = look.colour, .width = look.width, .dash = look.dash};
  }

  Bounds guard_bounds(bool is_zoom) const {
    Bounds bounds;
    // A method that runs away must not set the scale: the first curve does, and the chattering of the others about it.
    for (std::size_t k = 0; k < picture_.curves.size(); ++k) {
      for (std::size_t i = 0; i < picture_.times.size(); ++i) {
        if (is_zoom && !in_zoom(picture_.times[i])) continue;
        if (!is_zoom && k > 0) break;
        bounds.include(picture_.curves[k].guard[i]);
      }
    }
    bounds.include(0);
    return bounds;
  }

  // The arrival may be steep: what matters is as high as what the curves do once the first of them is there.
  std::pair<double, double> near_surface() const {
    const std::pair<double, double> all = guard_bounds(true).with_margin();
    Bounds near;
    const double from = picture_.zoom_from + 0.3 * (picture_.zoom_to - picture_.zoom_from);
    for (const ComparedCurve& compared : picture_.curves) {
      for (std::size_t i = 0; i < picture_.times.size(); ++i) {
        if (picture_.times[i] >= from && in_zoom(picture_.times[i])) near.include(compared.guard[i]);
      }
    }
    near.include(0);
    if (!(near.high > near.low)) return all;
    const double margin = 0.35 * (near.high - near.low);
    return {std::max(all.first, near.low - margin), std::min(all.second, near.high + margin)};
  }

  FigurePanel over_time(bool is_zoom) const {
    FigurePanel panel{.row = is_zoom ? 1 : 0};
    Bounds time;
    for (const double t : picture_.times) time.include(t);
    panel.x = {
        .label = "t",
        .range = is_zoom ? std::pair{picture_.zoom_from, picture_.zoom_to} : std::pair{time.low, time.high}};
    panel.y = {.label = picture_.guard_name,
               .range = is_zoom ? near_surface() : guard_bounds(false).with_margin()};
    if (!is_zoom) panel.bands.push_back({picture_.zoom_from, picture_.zoom_to, band_colour});
    panel.curves.push_back(
        {.points = {{time.low, 0}, {time.high, 0}}, .colour = surface_colour, .width = 1, .dash = {7, 5}});
    for (std::size_t k = 0; k < picture_.curves.size(); ++k) {
      FigureCurve drawn = curve(k);
      for (std::size_t i = 0; i < picture_.times.size(); ++i)
        drawn.points.push_back({picture_.times[i], picture_.curves[k].guard[i]});
      panel.curves.push_back(std::move(drawn));
    }
    return panel;
  }

  FigurePanel portrait() const {
    FigurePanel panel{.column = 1, .rows = 2};
    panel.x.label = picture_.across_name;
    panel.y.label = picture_.up_name;
    panel.note = fmt::format("t = {:.4g} … {:.4g}", picture_.zoom_from, picture_.zoom_to);
    Bounds across, up;
    const double from = picture_.zoom_from + 0.1 * (picture_.zoom_to - picture_.zoom_from);
    for (std::size_t k = 0; k < picture_.curves.size(); ++k) {
      const ComparedCurve& compared = picture_.curves[k];
      FigureCurve drawn = curve(k);
      for (std::size_t i = 0; i < picture_.times.size(); ++i) {
        if (!in_zoom(picture_.times[i]) || !std::isfinite(compared.guard[i])) continue;
        drawn.points.push_back({compared.across[i], compared.up[i]});
        if (picture_.times[i] < from) continue;
        across.include(compared.across[i]);
        up.include(compared.up[i]);
      }
      panel.curves.push_back(std::move(drawn));
    }
    panel.x.range = across.with_margin();
    panel.y.range = up.with_margin();
    return panel;
  }

  const ComparisonPicture& picture_;
};

}  // namespace

Figure comparison_figure(const ComparisonPicture& picture) { return Comparison(picture).figure(); }

}  // namespace slideway
