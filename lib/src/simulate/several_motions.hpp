// Several motions that are possible at one point: what an outcome `ambiguous` is made of. There are at least two, and they differ.
//
// Two motions differ in their mode, or in the relays of the surfaces that slide: in a continuum of motions each has its λ. Several λ
// of one velocity are one motion; who lists motions has compared their velocities.
//
// It must not know how motions are found.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "filippov/sliding_roots.hpp"
#include "slideway/filippov/mode.hpp"

namespace slideway {

struct PossibleMotion {
  Mode mode = {};
  Vector lambda = {};  // of the surfaces
};

class SeveralMotions {
 public:
  // Nothing where fewer than two of the motions differ. Motions that do not differ from an earlier one are left out.
  static std::optional<SeveralMotions> of(std::vector<PossibleMotion> motions) {
    SeveralMotions several;
    for (PossibleMotion& motion : motions) {
      const auto is_same = [&](const PossibleMotion& other) {
        return motion.mode == other.mode &&
               (motion.lambda - other.lambda).lpNorm<Eigen::Infinity>() <= kSameRoot;
      };
      if (std::none_of(several.motions_.begin(), several.motions_.end(), is_same))
        several.motions_.push_back(std::move(motion));
    }
    if (several.motions_.size() < 2) return std::nullopt;
    return several;
  }

  const std::vector<PossibleMotion>& motions() const { return motions_; }
  std::vector<Mode> modes() const {
    std::vector<Mode> modes;
    for (const PossibleMotion& motion : motions_) modes.push_back(motion.mode);
    return modes;
  }
  // one_mode() tells whether only relays tell the motions apart.
  bool one_mode() const {
    return std::all_of(motions_.begin(), motions_.end(),
                       [&](const PossibleMotion& motion) { return motion.mode == motions_.front().mode; });
  }

 private:
  SeveralMotions() = default;
  std::vector<PossibleMotion> motions_ = {};
};

}  // namespace slideway
