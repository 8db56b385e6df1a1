// Parameters and initial values from measurements: the least squares
//
//     Σ ((yᵢ(tₖ; p) − dᵢₖ)/σᵢ)²  →  min
//
// by Levenberg and Marquardt's method with the exact derivatives of the solution through all of its events (simulate/sensitivity.hpp).
// y are states or what is observed.
//
// It must not know file formats.
#pragma once

#include <string>
#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/model/model.hpp"
#include "slideway/simulate/options.hpp"

namespace slideway {

struct Measurements {
  std::vector<std::string> names = {};  // states, or what is observed: "F", "E = 0.5*v^2"
  std::vector<double> times = {};       // not before the start of the model, increasing
  Matrix values = {};                   // names × times; NaN where nothing was measured
  Vector deviations = {};               // σ of each name, > 0; empty: unknown, and the same for all
};

struct FitOptions {
  Options run = {.rtol = 1e-8};  // its sensitivities, recording, callbacks and output times are not used
  int max_runs = 200;            // ≥ 1, each with its derivatives
  double tolerance = 1e-8;       // of the parameters and of the sum of squares, relative
};

struct Fit {
  bool converged = false;
  std::string message = {};             // why it did not, or what is in doubt
  std::vector<std::string> names = {};  // of the parameters, q
  Vector values = {};                   // q
  Vector errors = {};                   // q, standard errors; NaN where the measurements do not tell
  Matrix covariance = {};               // q × q
  double sum_of_squares = 0;            // of the residuals over their σ
  double deviation = 0;                 // √(sum of squares / (measurements − q)): 1 where σ were right
  Matrix residuals = {};                // names × times: y − d
  Index measurements = 0;               // that are numbers
  int runs = 0;
};

// `settings` fix the other parameters, and are where these begin. Throws std::invalid_argument for names without meaning, for measurements
// that do not fit, and for fewer of them than parameters.
Fit fit(const Model& model, const Settings& settings, const std::vector<std::string>& parameters,
        const Measurements& measurements, const FitOptions& options = {});

}  // namespace slideway
