// SurfacePull leads states back onto what a motion slides along, which an integrator outside leaves by its errors:
//     x' = f − k B (G B)⁻¹ h     along surfaces, so that h' = −k h;     h_S the guards, G = ∂h_S/∂x, B = ∂f/∂λ_S
//     x' = f − k (x − P x)       with closed contacts and where λ has no effect across a surface;     P the projection of the library
// Both are the field itself where h = 0. B is the direction in which motions of both sides come onto the surface, so that derivatives of the
// solution by a state beside the surface are those of the motion from there, too, up to exp(−k t).
//
// The rate k is that of the model: a bound of the rates of its field in the mode that slides. A direction across the surface then shrinks
// faster than any along it, as it does in the model, where it is gone at once, and no integrator takes shorter steps for it.
// It must not know events.
#pragma once

#include <functional>
#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/detail/model/evaluator.hpp"

namespace slideway::fmu {

class SurfacePull {
 public:
  // Moves x onto the surfaces and contacts of the mode.
  using Project = std::function<void(VectorRef x)>;
  // The point of a motion along surfaces.
  struct Point {
    double t = 0;
    const Vector& x;
    const std::vector<Index>& sliding;  // the surfaces that slide
    const Vector& lambda;               // of all surfaces of the system
    const Vector& field;                // f at this point
    bool has_closed = false;            // a contact is closed
  };

  explicit SurfacePull(const System& system) : evaluator_(system) {}

  // Tells whether the guards of the surfaces that slide depend on each other here: λ of each is not unique then. `sizes` are those of states.
  bool has_dependent_guards(const Point& at, const Vector& sizes);
  // Adds the pull at the rate k to dx.
  void add(const Point& at, const Project& project, double k, VectorRef dx);
  // Adds the derivative of the pull along a direction of states and parameters, at a point of the surfaces.
  void add_along(const Point& at, const Project& project, double k, const Vector& direction,
                 VectorRef dx_dot);

 private:
  bool find_guards(const Point& at);
  // Writes ∂f/∂λ of the k-th surface that slides to its column of effect_.
  void find_effect(const Point& at, Index k);
  // Writes B (G B)⁻¹ times `across` to change_; false where λ has no effect across a surface.
  bool find_change(const Point& at, const Vector& across);

  Evaluator evaluator_;
  Vector guards_, h_, change_, moved_, lambda_, along_;
  Matrix effect_, normal_effect_;
};

// A bound of the rates |μ| of x' = J x, from the matrix |J|. Units of states do not change it. Zero where J has values that are no numbers.
double bound_of_rates(const Matrix& jacobian);

}  // namespace slideway::fmu
