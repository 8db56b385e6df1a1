// How the steps of a run shrink into its end. Before a point t* where the solution or a derivative is infinite, no method
// knows a length but t* − t: its steps are in proportion to that. With sizes sorted by powers of two,
//     sₖ = the end of the latest step longer than 2⁻ᵏ·duration,   t* − sₖ ∝ 2⁻ᵏ
// It must not know what the steps are of, nor why they shrink.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

namespace slideway {

class StepSizes {
 public:
  explicit StepSizes(double duration);

  // A step of this size, which no event and no end of the run has cut, ended at t. O(1).
  void note(double t, double size);

  struct Shrinking {
    double since = 0;  // t at the end of the first of the steps
    double first = 0;  // its size, to within a factor of two
    double last = 0;   // the size of the last step
  };
  // shrink_into() returns nothing unless sₖ goes to `end` in this way, from a distance d to less than
  // resolution·d. Errors that move t* by that much hide on which side of it the end is.
  std::optional<Shrinking> shrink_into(double end, double resolution) const;

  // visit_fields() names the fields that outlive an instant, for checkpoints.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("last_size", last_size_);
    visit("last_level", last_level_);
    visit("latest", latest_);
  }

 private:
  // Down to the rounding of the duration, and a little further.
  static constexpr std::size_t kLevels = 64;

  double duration_;
  double last_size_ = 0;
  std::size_t last_level_ = 0;
  std::array<double, kLevels> latest_;  // ends of steps, by level; not-a-number where there were none
};

}  // namespace slideway
