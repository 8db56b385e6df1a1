#include "slideway/manifolds/manifold_arc.hpp"

namespace slideway {

const char* to_string(ManifoldKind kind) { return kind == ManifoldKind::stable ? "stable" : "unstable"; }

const char* to_string(ManifoldPiece piece) {
  switch (piece) {
    case ManifoldPiece::branch: return "branch";
    case ManifoldPiece::fan: return "fan";
    case ManifoldPiece::divided: return "divided";
  }
  return "";
}

const char* to_string(ManifoldEnd end) {
  switch (end) {
    case ManifoldEnd::length: return "length";
    case ManifoldEnd::rest: return "rest";
    case ManifoldEnd::time: return "time";
    case ManifoldEnd::ambiguous: return "ambiguous";
    case ManifoldEnd::stop: return "stop";
    case ManifoldEnd::failure: return "failure";
  }
  return "";
}

}  // namespace slideway
