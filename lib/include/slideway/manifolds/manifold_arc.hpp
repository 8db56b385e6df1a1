// A piece of a one-dimensional manifold, as points along it by arclength.
//
// It must not know what the manifold belongs to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/filippov/mode.hpp"

namespace slideway {

enum class ManifoldKind { stable, unstable };

// "stable", "unstable".
const char* to_string(ManifoldKind kind);

// How a piece lies to the others.
enum class ManifoldPiece {
  branch,   // begins at the point itself
  fan,      // one of the solutions that leave a repelling surface, or its reversal, anywhere
  divided,  // one of the continuations where a branch ends as not unique
};

// "branch", "fan", "divided".
const char* to_string(ManifoldPiece piece);

struct ManifoldPoint {
  double time = 0;       // since the begin of the piece, below 0 on stable ones
  double arclength = 0;  // from the point along the piece, without jumps, in the units of the states
  Vector state = {};     // n
  Mode mode = {};        // of the surfaces; empty without any
  std::string location = {};
  bool after_jump = false;  // an impact or a reset leads here from the point before, or back
};

// What happens on a piece; `name` is that of the surfaces or of the event.
struct ManifoldEvent {
  std::string kind = {};  // as in the events of a run, forwards or backwards
  std::string name = {};
  double time = 0;
  double arclength = 0;
  Vector state = {};  // before it, in the order in which the piece is followed
};

enum class ManifoldEnd {
  length,     // it is as long as asked
  rest,       // it comes to an equilibrium
  time,       // the time that may pass is over
  ambiguous,  // what follows is not unique
  stop,       // a stop of the model
  failure,    // the run could not go on; nothing comes from there, backwards
};

// "length", "rest", "time", "ambiguous", "stop", "failure".
const char* to_string(ManifoldEnd end);

struct ManifoldArc {
  ManifoldKind kind = ManifoldKind::unstable;
  ManifoldPiece piece = ManifoldPiece::branch;
  std::optional<std::size_t> parent =
      {};                 // the piece that a fan or a division begins on, among the arcs of the point
  Vector direction = {};  // in which it begins, n; empty but for branches
  std::vector<ManifoldPoint> points = {};  // at least one
  std::vector<ManifoldEvent> events = {};
  ManifoldEnd end = ManifoldEnd::length;
  std::string message = {};  // why it ends before its length; "" where it does not
};

}  // namespace slideway
