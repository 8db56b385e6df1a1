#include "diagram/curve_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace slideway {

namespace {

constexpr double kExplained = 1;      // of a cell: a curve so near to the middle of a border explains it
constexpr double kSameCurve = 0.3;    // of a cell: between two curves that are one
constexpr double kSharedCurve = 0.8;  // of the points of a curve that lies on another one
constexpr double kNeighbourhood = 2;  // of cells: borders in which the same look finds nothing, either

}  // namespace

CurveSearch::CurveSearch(const DiagramProblem& problem, const Diagram& diagram)
    : problem_(problem), diagram_(diagram) {
  const Index across = problem.design().across.cells, up = problem.design().up.cells;
  for (Index j = 0; j < up; ++j) {
    for (Index i = 0; i < across; ++i) {
      const Index cell = j * across + i;
      for (const bool is_backward : {false, true}) {
        // Continuation goes along rows, so an attractor is lost on the way to the next cell there.
        if (i + 1 < across)
          add_border(is_backward ? cell + 1 : cell, is_backward ? cell : cell + 1, is_backward, true);
        if (j + 1 < up) add_border(cell, cell + across, is_backward, false);
      }
    }
  }
}

const DiagramEnd& CurveSearch::end_of(Index cell, bool is_backward) const {
  return (is_backward ? diagram_.backward : diagram_.forward)[static_cast<std::size_t>(cell)];
}

void CurveSearch::add_border(Index from, Index to, bool is_backward, bool goes_on) {
  const int one = end_of(from, is_backward).kind, other = end_of(to, is_backward).kind;
  const bool one_coexists = diagram_.coexisting[static_cast<std::size_t>(from)] != 0,
             other_coexists = diagram_.coexisting[static_cast<std::size_t>(to)] != 0;
  if (one < 0 || other < 0 || (one == other && one_coexists == other_coexists)) return;
  const Index across = problem_.design().across.cells;
  Border border{.key = std::minmax(one, other),
                .across = 0.5 * static_cast<double>(from % across + to % across),
                .up = 0.5 * static_cast<double>(from / across + to / across)};
  const auto kind_of = [&](int number) -> const DiagramKind& {
    return diagram_.kinds[static_cast<std::size_t>(number)];
  };
  const auto is_point = [&](int number) {
    return kind_of(number).is_attractor && kind_of(number).kind == AttractorKind::point;
  };
  if (problem_.is_autonomous() && (is_point(one) || is_point(other)))
    border.looks.push_back({.of_equilibria = true, .is_backward = is_backward, .from = from, .to = to});
  const auto look_along = [&](Index begin, Index end, bool direction) {
    const BasinAttractor& attractor = end_of(begin, direction).attractor;
    const DiagramKind& kind = kind_of(end_of(begin, direction).kind);
    if (!kind.is_attractor || kind.kind != AttractorKind::orbit || attractor.points.empty()) return;
    if (!problem_.is_autonomous() &&
        (attractor.rounds < 1 || attractor.rounds > problem_.options().most_rounds))
      return;
    if (problem_.is_autonomous() && !(attractor.period > 0)) return;
    border.looks.push_back({.is_backward = direction, .from = begin, .to = end});
  };
  if (one == other) {
    // One of two attractors of one kind vanishes on the way out of the cell that has both.
    look_along(one_coexists ? from : to, one_coexists ? to : from, is_backward);
    look_along(one_coexists ? from : to, one_coexists ? to : from, !is_backward);
  } else {
    look_along(from, to, is_backward);
    if (!goes_on || border.looks.empty()) look_along(to, from, is_backward);
  }
  borders_.push_back(std::move(border));
}

CurveCandidate CurveSearch::candidate_of(const Look& look) const {
  const Index across = problem_.design().across.cells;
  const BasinAttractor& attractor = end_of(look.from, look.is_backward).attractor;
  CurveCandidate candidate{.of_equilibria = look.of_equilibria,
                           .from_across = look.from % across,
                           .from_up = look.from / across,
                           .to_across = look.to % across,
                           .to_up = look.to / across,
                           .location = attractor.location,
                           .period = attractor.period,
                           .rounds = attractor.rounds};
  if (!attractor.points.empty()) candidate.state = attractor.points[0];
  return candidate;
}

// The border with most others of its kinds around it: along a curve they lie in a row.
const CurveSearch::Border* CurveSearch::densest(const std::vector<const Border*>& borders) const {
  std::map<std::pair<long, long>, Index> counts;
  const auto bin_of = [](const Border& border) {
    return std::pair(std::lround(std::floor(border.across)), std::lround(std::floor(border.up)));
  };
  for (const Border* const border : borders) ++counts[bin_of(*border)];
  const Border* best = nullptr;
  Index most = 0;
  for (const Border* const border : borders) {
    const auto [i, j] = bin_of(*border);
    Index count = 0;
    for (long k = -1; k <= 1; ++k)
      for (long l = -1; l <= 1; ++l)
        if (const auto found = counts.find({i + k, j + l}); found != counts.end()) count += found->second;
    if (count <= most) continue;
    most = count;
    best = border;
  }
  return best;
}

std::vector<CurveCandidate> CurveSearch::next(Index most) {
  std::map<Key, std::vector<const Border*>> open;
  for (const Border& border : borders_)
    if (border.is_open()) open[border.key].push_back(&border);
  std::vector<std::vector<const Border*>> groups;
  for (auto& [key, group] : open) groups.push_back(std::move(group));
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  asked_.clear();
  std::vector<CurveCandidate> candidates;
  for (const auto& group : groups) {
    if (std::ssize(candidates) >= most) break;
    const Border* const border = densest(group);
    candidates.push_back(candidate_of(border->looks[border->next]));
    asked_.push_back(static_cast<std::size_t>(border - borders_.data()));
  }
  return candidates;
}

bool CurveSearch::is_near(const DiagramCurve& curve, double across, double up, double distance) const {
  const DiagramAxis &x = problem_.design().across, &y = problem_.design().up;
  const auto place = [&](const DiagramCurvePoint& point) {
    return std::pair((point.first - x.low) / x.width() - 0.5, (point.second - y.low) / y.width() - 0.5);
  };
  for (std::size_t k = 0; k < curve.points.size(); ++k) {
    const auto [x0, y0] = place(curve.points[k]);
    const auto [x1, y1] = place(curve.points[std::min(k + 1, curve.points.size() - 1)]);
    const double dx = x1 - x0, dy = y1 - y0, length = dx * dx + dy * dy;
    const double part = length > 0 ? std::clamp(((across - x0) * dx + (up - y0) * dy) / length, 0.0, 1.0) : 0;
    if (std::hypot(across - x0 - part * dx, up - y0 - part * dy) <= distance) return true;
  }
  return false;
}

bool CurveSearch::is_known(const DiagramCurve& curve) const {
  const DiagramAxis &x = problem_.design().across, &y = problem_.design().up;
  for (const DiagramCurve& known : curves_) {
    if (known.kind != curve.kind || known.of_equilibria != curve.of_equilibria) continue;
    const auto shared = std::count_if(curve.points.begin(), curve.points.end(), [&](const auto& point) {
      return is_near(known, (point.first - x.low) / x.width() - 0.5, (point.second - y.low) / y.width() - 0.5,
                     kSameCurve);
    });
    if (static_cast<double>(shared) >= kSharedCurve * static_cast<double>(curve.points.size())) return true;
  }
  return false;
}

void CurveSearch::learn(const std::vector<std::vector<DiagramCurve>>& found) {
  for (std::size_t k = 0; k < found.size(); ++k) {
    for (const DiagramCurve& curve : found[k]) {
      if (is_known(curve)) continue;
      curves_.push_back(curve);
      for (Border& border : borders_)
        if (!border.is_explained) border.is_explained = is_near(curve, border.across, border.up, kExplained);
    }
  }
  for (const std::size_t asked : asked_) {
    const Border& here = borders_[asked];
    if (here.is_explained) continue;
    const std::size_t tried = here.next;
    const double across = here.across, up = here.up;
    const Key key = here.key;
    for (Border& border : borders_)
      if (border.key == key && border.next == tried &&
          std::hypot(border.across - across, border.up - up) <= kNeighbourhood)
        ++border.next;
  }
  asked_.clear();
}

Index CurveSearch::explained() const {
  return std::count_if(borders_.begin(), borders_.end(),
                       [](const Border& border) { return border.is_explained; });
}

std::vector<DiagramMeeting> meetings_of(const std::vector<DiagramCurve>& curves,
                                        const DiagramDesign& design) {
  std::vector<DiagramMeeting> meetings;
  const auto is_told = [&](const DiagramMeeting& meeting) {
    return std::any_of(meetings.begin(), meetings.end(), [&](const DiagramMeeting& known) {
      return known.one == meeting.one && known.other == meeting.other &&
             std::abs(known.first - meeting.first) <= kSameCurve * design.across.width() &&
             std::abs(known.second - meeting.second) <= kSameCurve * design.up.width();
    });
  };
  for (std::size_t one = 0; one < curves.size(); ++one) {
    for (std::size_t other = one + 1; other < curves.size(); ++other) {
      const auto &p = curves[one].points, &q = curves[other].points;
      for (std::size_t k = 0; k + 1 < p.size(); ++k) {
        for (std::size_t l = 0; l + 1 < q.size(); ++l) {
          const double ax = p[k + 1].first - p[k].first, ay = p[k + 1].second - p[k].second;
          const double bx = q[l + 1].first - q[l].first, by = q[l + 1].second - q[l].second;
          const double cx = q[l].first - p[k].first, cy = q[l].second - p[k].second;
          const double determinant = ax * by - ay * bx;
          if (determinant == 0) continue;
          const double s = (cx * by - cy * bx) / determinant, t = (cx * ay - cy * ax) / determinant;
          if (!(s >= 0 && s <= 1 && t >= 0 && t <= 1)) continue;
          const DiagramMeeting meeting{.one = static_cast<Index>(one),
                                       .other = static_cast<Index>(other),
                                       .first = p[k].first + s * ax,
                                       .second = p[k].second + s * ay};
          if (!is_told(meeting)) meetings.push_back(meeting);
        }
      }
    }
  }
  return meetings;
}

}  // namespace slideway
