#include "manifolds/grow_curve.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace slideway {

namespace {

constexpr int kFirstPoints = 9;  // of the piece
// A difference of parameters below this part of the piece is rounding: what is still apart is a gap.
constexpr double kLeastDifference = 1e-12;
// The end of where the map has values is looked for to this part of the piece.
constexpr double kLeastAtEnd = 1e-4;

struct Node {
  double parameter = 0;
  std::optional<SectionState> image = {};
};

class CurveGrower {
 public:
  CurveGrower(const CurveSeed& seed, SectionMap& map, const CurveGrowth& growth)
      : seed_(seed), map_(map), growth_(growth), first_run_(map.runs()) {}

  OrbitManifoldCurve execute() {
    for (int k = 0; k < kFirstPoints; ++k) {
      const double part = static_cast<double>(k) / (kFirstPoints - 1);
      const double parameter = seed_.first + part * (seed_.last - seed_.first);
      nodes_.push_back({parameter, seed_.point(parameter)});
    }
    length_ = growth_.begin_length;
    for (images_ = 0; images_ <= growth_.most_images; ++images_) {
      if (images_ > 0)
        for (Node& node : nodes_)
          if (node.image) node.image = map_(*node.image);
      refine();
      append();
      if (curve_.complete || !curve_.message.empty()) break;
      if (std::none_of(nodes_.begin(), nodes_.end(),
                       [](const Node& node) { return node.image.has_value(); })) {
        curve_.message = map_.failure();
        break;
      }
    }
    if (!curve_.complete && curve_.message.empty())
      curve_.message = "it is shorter than asked after " + std::to_string(growth_.most_images) + " returns";
    curve_.runs = map_.runs() - first_run_;
    return std::move(curve_);
  }

 private:
  bool may_run() const { return map_.runs() - first_run_ < growth_.most_runs; }

  Vector scaled(const Node& from, const Node& to) const {
    return (to.image->state - from.image->state).cwiseQuotient(growth_.sizes);
  }

  double least_difference(const Node& from, const Node& to) const {
    const double whole = seed_.last - seed_.first;
    return (from.image.has_value() == to.image.has_value() ? kLeastDifference : kLeastAtEnd) * whole;
  }

  // wanted() tells for each pair of neighbours whether a point between them is wanted.
  std::vector<bool> wanted() const {
    std::vector<bool> result(nodes_.size() - 1, false);
    double before = 0;
    for (std::size_t k = 0; k + 1 < nodes_.size(); ++k) {
      if (nodes_[k].image.has_value() != nodes_[k + 1].image.has_value()) {
        result[k] = true;
        before = 0;
        continue;
      }
      if (!nodes_[k].image) continue;
      const Vector chord = scaled(nodes_[k], nodes_[k + 1]);
      const double size = chord.norm();
      if (size > growth_.distance) result[k] = true;
      if (before > 0 && size > 0) {
        const Vector last = scaled(nodes_[k - 1], nodes_[k]);
        const double turn = std::acos(std::clamp(last.dot(chord) / (before * size), -1.0, 1.0));
        if (turn > growth_.angle && size > growth_.least) result[k] = true;
        if (turn > growth_.angle && before > growth_.least) result[k - 1] = true;
      }
      before = size;
    }
    for (std::size_t k = 0; k < result.size(); ++k) {
      const double apart = nodes_[k + 1].parameter - nodes_[k].parameter;
      if (apart <= least_difference(nodes_[k], nodes_[k + 1])) result[k] = false;
    }
    return result;
  }

  std::optional<SectionState> image_of(double parameter) {
    std::optional<SectionState> image = seed_.point(parameter);
    for (Index k = 0; k < images_ && image; ++k) image = map_(*image);
    return image;
  }

  // Leaves out the nodes beyond the length that is asked for: they need no points between.
  void cut() {
    double length = length_;
    for (std::size_t k = 1; k < nodes_.size(); ++k) {
      if (!nodes_[k].image || !nodes_[k - 1].image) continue;
      length += (nodes_[k].image->state - nodes_[k - 1].image->state).norm();
      if (length < growth_.length) continue;
      nodes_.resize(k + 1);
      return;
    }
  }

  void refine() {
    for (;;) {
      cut();
      const std::vector<bool> divided = wanted();
      if (std::none_of(divided.begin(), divided.end(), [](bool is_wanted) { return is_wanted; })) return;
      std::vector<Node> finer;
      for (std::size_t k = 0; k < nodes_.size(); ++k) {
        finer.push_back(nodes_[k]);
        if (k + 1 == nodes_.size() || !divided[k]) continue;
        if (!may_run()) {
          curve_.message =
              "its points are not as near as asked after " + std::to_string(growth_.most_runs) + " runs";
          return;
        }
        const double parameter = 0.5 * (nodes_[k].parameter + nodes_[k + 1].parameter);
        finer.push_back({parameter, image_of(parameter)});
      }
      nodes_ = std::move(finer);
    }
  }

  // Appends the image of the piece, up to the first point beyond the length that is asked for.
  void append() {
    std::vector<OrbitManifoldPoint>& points = curve_.points;
    bool is_gap = !points.empty() && !seed_.is_domain;
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      const Node& node = nodes_[k];
      if (!node.image) {
        is_gap = true;
        continue;
      }
      // The begin of an image of a fundamental domain is the end of the one before.
      if (k == 0 && seed_.is_domain && !points.empty()) continue;
      if (k > 0 && nodes_[k - 1].image &&
          node.parameter - nodes_[k - 1].parameter <= 2 * kLeastDifference * (seed_.last - seed_.first))
        is_gap = is_gap || scaled(nodes_[k - 1], node).norm() > growth_.distance;
      OrbitManifoldPoint point{.state = node.image->state,
                               .location = node.image->location,
                               .returns = images_,
                               .after_gap = is_gap};
      if (!points.empty() && !is_gap) length_ += (point.state - points.back().state).norm();
      is_gap = false;
      point.arclength = length_;
      points.push_back(std::move(point));
      curve_.complete = length_ >= growth_.length;
      if (curve_.complete) return;
    }
  }

  const CurveSeed& seed_;
  SectionMap& map_;
  const CurveGrowth& growth_;
  Index first_run_;
  std::vector<Node> nodes_ = {};
  OrbitManifoldCurve curve_ = {};
  double length_ = 0;
  Index images_ = 0;
};

}  // namespace

OrbitManifoldCurve grow_curve(const CurveSeed& seed, SectionMap& map, const CurveGrowth& growth) {
  return CurveGrower(seed, map, growth).execute();
}

}  // namespace slideway
