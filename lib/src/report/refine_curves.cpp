#include "report/refine_curves.hpp"

#include <cmath>

namespace slideway {

namespace {

// The smallest error of a curve, as a part of its range: half a pixel of a panel of 500.
constexpr double smallest_miss = 1e-3;
// A step is halved so often at most; a corner in a curve would be halved for ever.
constexpr int most_halvings = 5;

class Refiner {
 public:
  Refiner(const RunCurves& curves, const Solution& solution, const std::vector<Index>& kept,
          Observation* observation, std::size_t most)
      : curves_(curves), solution_(solution), kept_(kept), observation_(observation), left_(most) {}

  std::vector<Sample> refined(const std::vector<Sample>& piece) {
    std::vector<Sample> result;
    for (std::size_t i = 0; i < piece.size(); ++i) {
      if (i > 0) between(piece[i - 1], piece[i], most_halvings, result);
      result.push_back(piece[i]);
    }
    return result;
  }

 private:
  // Appends samples between two, without these.
  void between(const Sample& before, const Sample& after, int halvings, std::vector<Sample>& result) {
    if (halvings == 0 || left_ == 0) return;
    const double t = 0.5 * (before.t + after.t);
    if (!(t > before.t && t < after.t)) return;
    const Trajectory& trajectory = solution_.trajectory;
    const Sample middle{
        t, keep(kept_, {t, trajectory.mode(t), trajectory(t), trajectory.location(t)}, observation_)};
    if (!misses(before, middle, after)) return;
    --left_;
    between(before, middle, halvings - 1, result);
    result.push_back(middle);
    between(middle, after, halvings - 1, result);
  }

  bool misses(const Sample& before, const Sample& middle, const Sample& after) const {
    for (Index j = 0; j < middle.state.size(); ++j) {
      const double miss = std::abs(middle.state(j) - 0.5 * (before.state(j) + after.state(j)));
      if (miss > smallest_miss * curves_.states[static_cast<std::size_t>(j)].width()) return true;
    }
    return false;
  }

  const RunCurves& curves_;
  const Solution& solution_;
  const std::vector<Index>& kept_;
  Observation* observation_;
  std::size_t left_;
};

}  // namespace

void refine_curves(RunCurves& curves, const Solution& solution, const std::vector<Index>& kept,
                   Observation* observation, std::size_t most) {
  std::size_t samples = 0;
  for (const auto& piece : curves.whole) samples += piece.size();
  if (samples >= most) return;
  Refiner refiner(curves, solution, kept, observation, most - samples);
  for (auto& piece : curves.whole) piece = refiner.refined(piece);
}

}  // namespace slideway
