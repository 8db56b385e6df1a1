// One run that was made for Python, and what of it Python sees as arrays.
//
// It must not know how models are made.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "slideway/audit/audit.hpp"
#include "slideway/model/model.hpp"
#include "slideway/simulate/options.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway::python {

// A model with its parameters and initial values fixed.
struct Problem {
  std::shared_ptr<const Model> model = {};
  ModelInstance instance;
  Settings settings = {};     // those that the instance was made with
  bool calls_python = false;  // the lock of the interpreter is then held during a run
};

// Ends the runs that it was given to, from any thread.
struct Cancellation {
  std::atomic<bool> requested = false;
};
// Asks it, or nobody where there is none; keeps it alive.
std::function<bool()> stop_question(std::shared_ptr<const Cancellation> cancellation);

// A run, with what it belongs to.
struct MadeRun {
  std::shared_ptr<const Problem> problem = {};
  Options options = {};
  double end = 0;  // as it was asked for
  Run where = {};
  Solution solution = {};
  AuditLevel audit_level = AuditLevel::quick;  // of the audit that is to be made
  AuditResult audit = {};
  std::vector<std::shared_ptr<MadeRun>> branches =
      {};                // of Ambiguity::branches, in the order of the continuations
  bool complete = true;  // of these: whether all were followed
  bool cancelled = false;
  bool collapsed = false;    // ended as its steps became too short, of a function with unknown jumps
  bool counted_out = false;  // ended by the last event of `stop_after`
  pybind11::object error = pybind11::none();  // what Python raised
};

// Binds MadeRun, Cancellation and `run`.
void bind_runs(pybind11::module_& module);
// Binds Model, Problem and what makes them.
void bind_models(pybind11::module_& module);

// A copy of the options with what `given` says: rtol, atol, method and so on. Throws std::invalid_argument.
Options options_from(const pybind11::dict& given, const ModelDefaults& defaults);

// The array that owns these numbers, without a copy.
pybind11::array_t<double> array_of(Vector values);
// rows × columns, in the order of Fortran.
pybind11::array_t<double> array_of(Matrix values);

}  // namespace slideway::python
