// A user's own preconditioner for the linear solver gmres: something cheap that nearly solves
//
//     (I − γJ) z = r,     J = ∂f/∂x of the mode at (t, x),  γ > 0 about the step size,
//
// such as the tridiagonal part of a model in one dimension or an incomplete factorisation. It need not be exact: the result is
// the same, only the number of iterations differs (Statistics::krylov_iterations).
//
//     struct Tridiagonal : slideway::Preconditioner {
//       void setup(const slideway::LinearisationPoint& point) override { … factors of I − point.gamma·J … }
//       void solve(slideway::ConstVectorRef r, slideway::VectorRef z) override { … }
//     };
//     options.method = slideway::Method::bdf;
//     options.linear_solver = slideway::LinearSolver::gmres;
//     options.preconditioner = [] { return std::make_unique<Tridiagonal>(); };
//
// Where it throws, or its result is not finite, the run ends with status user_function_failed and says so.
// It must not know integrators.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "slideway/core/types.hpp"
#include "slideway/filippov/mode.hpp"

namespace slideway {

// LinearisationPoint is the point at which the field is linearised. The references are valid during the call only.
struct LinearisationPoint {
  double t;
  ConstVectorRef x;
  const Mode& mode;             // the surfaces, then the contacts ('0' where closed)
  const std::string& location;  // "" where there are none
  double gamma;
};

class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  // setup() is called before the first solve(), and whenever the point or γ has changed much.
  virtual void setup(const LinearisationPoint& point) = 0;
  // z ≈ (I − γJ)⁻¹ r; n entries each.
  virtual void solve(ConstVectorRef r, VectorRef z) = 0;
};

// Every run, and every location in it, has one of its own: it may keep factors, and runs may go on side by side.
using MakePreconditioner = std::function<std::unique_ptr<Preconditioner>()>;

}  // namespace slideway
