// Where curves of bifurcations are looked for: the borders between cells that come to different attractors, each until a curve passes there.
//
// It must not know how a curve is followed.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "diagram/curve_candidate.hpp"

namespace slideway {

class CurveSearch {
 public:
  // The ends of all cells must be known.
  CurveSearch(const DiagramProblem& problem, const Diagram& diagram);

  // next() returns at most `most` borders to look at, one for each pair of kinds: a curve that is found may explain the others of its pair.
  std::vector<CurveCandidate> next(Index most);
  // Takes what was found there, in the order of next().
  void learn(const std::vector<std::vector<DiagramCurve>>& found);

  const std::vector<DiagramCurve>& curves() const { return curves_; }
  Index borders() const { return static_cast<Index>(borders_.size()); }
  Index explained() const;

 private:
  // One way to look at a border: from the attractor of a cell to the other cell.
  struct Look {
    bool of_equilibria = false;
    bool is_backward = false;
    Index from = 0;
    Index to = 0;
  };
  using Key = std::pair<int, int>;  // of the two kinds
  struct Border {
    Key key = {};
    double across = 0, up = 0;  // of its middle, in cells
    std::vector<Look> looks = {};
    std::size_t next = 0;
    bool is_explained = false;
    bool is_open() const { return !is_explained && next < looks.size(); }
  };

  void add_border(Index from, Index to, bool is_backward, bool goes_on);
  const Border* densest(const std::vector<const Border*>& borders) const;
  bool is_near(const DiagramCurve& curve, double across, double up, double distance) const;
  bool is_known(const DiagramCurve& curve) const;
  CurveCandidate candidate_of(const Look& look) const;
  const DiagramEnd& end_of(Index cell, bool is_backward) const;

  const DiagramProblem& problem_;
  const Diagram& diagram_;
  std::vector<Border> borders_ = {};
  std::vector<std::size_t> asked_ = {};  // the borders of next()
  std::vector<DiagramCurve> curves_ = {};
};

// Where two different curves cross, by their chords.
std::vector<DiagramMeeting> meetings_of(const std::vector<DiagramCurve>& curves, const DiagramDesign& design);

}  // namespace slideway
