#include "slideway/io/comparison_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "report/gnuplot_script.hpp"
#include "report/plot_curves.hpp"
#include "report/plot_lettering.hpp"
#include "report/plot_style.hpp"

namespace slideway {

namespace {

struct Look {
  const char* colour;
  const char* dash;
  double width;
};

constexpr std::array<Look, 8> looks = {{{"#D55E00", "solid", 3.2},
                                        {"#0072B2", "solid", 1.4},
                                        {"#009E73", "(12,4)", 1.8},
                                        {"#CC79A7", "(3,3)", 1.6},
                                        {"#56B4E9", "(8,3,2,3)", 1.6},
                                        {"#E69F00", "solid", 1.2},
                                        {"#000000", "(6,5)", 1.5},
                                        {"#777777", "(2,4)", 1.5}}};

struct Bounds {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void include(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  Bounds padded() const {
    const double size = std::max(std::abs(low), std::abs(high));
    const bool varies = high - low > least_resolved_part * size;
    const double margin = varies ? 0.06 * (high - low) : std::max(0.1 * size, 1e-12);
    return high >= low ? Bounds{low - margin, high + margin} : Bounds{-1, 1};
  }
  std::string text() const { return fmt::format("[{:.10g}:{:.10g}]", low, high); }
};

class ComparisonScript : public GnuplotScript {
 public:
  ComparisonScript(const ComparisonPicture& picture, PictureFormat format)
      : picture_(picture), words_(format, {}) {
    const bool portrait = !picture.across_name.empty();
    const int width = portrait ? 1080 : 860;
    constexpr int height = 560;
    header_ = (legend_rows(width) > 1 ? 100.0 : 78.0) / height;
    text_ = picture_settings(format, width, height);
    data();
    append("set multiplot\nunset key\n");
    page(width, height);
    const double right = portrait ? 0.52 : 0.97;
    const double left = 78.0 / width;
    const double top = 1 - header_;
    const double middle = 0.5 * (top + 58.0 / height);
    panel({left, right, middle + 40.0 / height, top}, false);
    panel({left, right, 58.0 / height, middle - 12.0 / height}, true);
    if (portrait) portrait_panel({0.62, 0.985, 58.0 / height, top});
    append("unset multiplot\n");
  }

 private:
  bool in_zoom(double t) const { return t >= picture_.zoom_from && t <= picture_.zoom_to; }

  void data() {
    for (std::size_t k = 0; k < picture_.curves.size(); ++k) {
      const ComparedCurve& curve = picture_.curves[k];
      append("$curve{} << EOD\n", k);
      for (std::size_t i = 0; i < picture_.times.size(); ++i) {
        if (!std::isfinite(curve.guard[i])) continue;
        append("{:.9g} {:.6g}", picture_.times[i], curve.guard[i]);
        if (!curve.across.empty()) append(" {:.8g} {:.8g}", curve.across[i], curve.up[i]);
        append("\n");
      }
      append("EOD\n");
    }
  }

  void page(int width, int height) {
    append("set label {} at screen {:.4f},{:.4f} left\n", words_.bold(picture_.title), 78.0 / width,
           1 - 20.0 / height);
    double x = legend_left;
    double y = 1 - 46.0 / height;
    for (std::size_t k = 0; k < picture_.curves.size(); ++k) {
      if (x > legend_left && x + entry_width(k) > width) {
        x = legend_left;
        y -= 22.0 / height;
      }
      const Look& look = look_of(k);
      append(
          "set arrow from screen {:.4f},{:.4f} to screen {:.4f},{:.4f} nohead linecolor rgb '{}' linewidth "
          "{} "
          "dashtype {}\n",
          x / width, y, (x + 26) / width, y, look.colour, look.width, look.dash);
      append("set label {} at screen {:.4f},{:.4f} left\n", words_.verbatim(picture_.curves[k].name),
             (x + 32) / width, y);
      x += entry_width(k);
    }
  }

  static constexpr double legend_left = 78;
  double entry_width(std::size_t curve) const {
    return 32 + 7.5 * static_cast<double>(picture_.curves[curve].name.size()) + 20;
  }
  int legend_rows(int width) const {
    int rows = 1;
    double x = legend_left;
    for (std::size_t k = 0; k < picture_.curves.size(); ++k) {
      if (x > legend_left && x + entry_width(k) > width) {
        x = legend_left;
        ++rows;
      }
      x += entry_width(k);
    }
    return rows;
  }

  static const Look& look_of(std::size_t curve) { return looks[curve % looks.size()]; }

  static std::string style(std::size_t curve) {
    const Look& look = look_of(curve);
    return fmt::format("with lines linecolor rgb '{}' linewidth {} dashtype {}", look.colour, look.width,
                       look.dash);
  }

  // The surface itself, then the curves; the one to compare with lies under the thinner others.
  void curves(const std::string& columns, const std::string& surface) {
    append("plot {}", surface);
    for (std::size_t k = 0; k < picture_.curves.size(); ++k)
      append("{}$curve{} using {} {}", k == 0 && surface.empty() ? "" : ", \\\n  ", k, columns, style(k));
    append("\nunset label\nunset arrow\nunset object\n");
  }

  Bounds guard_bounds(bool zoom) const {
    Bounds bounds;
    // A method that runs away must not set the scale: the first curve does, and the chattering of the others about it.
    for (std::size_t k = 0; k < picture_.curves.size(); ++k) {
      for (std::size_t i = 0; i < picture_.times.size(); ++i) {
        if (zoom && !in_zoom(picture_.times[i])) continue;
        if (!zoom && k > 0) break;
        bounds.include(picture_.curves[k].guard[i]);
      }
    }
    bounds.include(0);
    return bounds.padded();
  }

  void panel(const Frame& frame, bool zoom) {
    place(frame);
    Bounds time;
    if (zoom) {
      time = {picture_.zoom_from, picture_.zoom_to};
    } else {
      for (const double t : picture_.times) time.include(t);
    }
    Bounds guard = guard_bounds(zoom);
    if (zoom) guard = near_surface(guard);
    append("set xrange {}\nset yrange {}\nset ylabel {} offset 0.5,0\n", time.text(), guard.text(),
           words_.verbatim(picture_.guard_name));
    append("{}\n", zoom ? "set xlabel 't' offset 0,0.3" : "unset xlabel");
    if (!zoom)
      append(
          "set object rectangle from first {:.9g},graph 0 to first {:.9g},graph 1 behind fillstyle solid 1 "
          "noborder "
          "fillcolor rgb '{}'\n",
          picture_.zoom_from, picture_.zoom_to, band_colour);
    curves("1:2",
           fmt::format("0 with lines linecolor rgb '{}' linewidth 1 dashtype (7,5) notitle", surface_colour));
  }

  // The arrival may be steep: what matters is as high as what the curves do once the first of them is there.
  Bounds near_surface(const Bounds& all) const {
    Bounds near;
    const double from = picture_.zoom_from + 0.3 * (picture_.zoom_to - picture_.zoom_from);
    for (const ComparedCurve& curve : picture_.curves) {
      for (std::size_t i = 0; i < picture_.times.size(); ++i) {
        if (picture_.times[i] >= from && in_zoom(picture_.times[i])) near.include(curve.guard[i]);
      }
    }
    near.include(0);
    if (!(near.high > near.low)) return all;
    const double margin = 0.35 * (near.high - near.low);
    return {std::max(all.low, near.low - margin), std::min(all.high, near.high + margin)};
  }

  void portrait_panel(const Frame& frame) {
    place(frame);
    Bounds across, up;
    for (const ComparedCurve& curve : picture_.curves) {
      for (std::size_t i = 0; i < picture_.times.size(); ++i) {
        const double from = picture_.zoom_from + 0.1 * (picture_.zoom_to - picture_.zoom_from);
        if (picture_.times[i] < from || !in_zoom(picture_.times[i]) || !std::isfinite(curve.guard[i]))
          continue;
        across.include(curve.across[i]);
        up.include(curve.up[i]);
      }
    }
    append("set xrange {}\nset yrange {}\nset xlabel {} offset 0,0.3\nset ylabel {} offset 0.5,0\n",
           across.padded().text(), up.padded().text(), words_.verbatim(picture_.across_name),
           words_.verbatim(picture_.up_name));
    append("set xtics autofreq\nset format x '%.4g'\nset label {} at graph 0.02,1.03 left\n",
           words_.verbatim(fmt::format("t = {:.4g} … {:.4g}", picture_.zoom_from, picture_.zoom_to)));
    curves(fmt::format("($1>={:.9g}&&$1<={:.9g}?$3:NaN):4", picture_.zoom_from, picture_.zoom_to), "");
  }

  const ComparisonPicture& picture_;
  Lettering words_;
  double header_ = 0;
};

}  // namespace

std::string comparison_plot_script(const ComparisonPicture& picture, PictureFormat format) {
  return ComparisonScript(picture, format).text();
}

void write_comparison_plot(const ComparisonPicture& picture, const std::string& path) {
  write_picture(comparison_plot_script(picture, picture_format(path)), path);
}

}  // namespace slideway
