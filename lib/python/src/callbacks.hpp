// Python functions as the callbacks of a system: fields, guards, Jacobians and events.
//
// They are called with the interpreter's lock held by the run. An exception that a function raises is kept with its traceback, and the run
// ends; the caller of the run raises it again.
// It must not know how a run is made, nor results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "slideway/model/model.hpp"

namespace slideway::python {

// The first exception of the Python functions that one run calls. A thread runs one model at a time.
class CallErrors {
 public:
  // While it lives it is the one that callbacks of this thread report to.
  CallErrors();
  ~CallErrors();
  CallErrors(const CallErrors&) = delete;
  CallErrors& operator=(const CallErrors&) = delete;

  // Takes the exception that Python has raised, and throws one that ends the step. Smaller steps are tried only after an
  // ArithmeticError or a ValueError: a field may have no value somewhere.
  [[noreturn]] static void report();
  // Throws where an exception that no smaller step cures has been reported.
  static void check();

  // The exception object, or None.
  pybind11::object error() const { return error_; }
  void keep(pybind11::object error) { error_ = std::move(error); }

 private:
  pybind11::object error_ = pybind11::none();
  bool final_ = false;
  CallErrors* outer_ = nullptr;
};

// PythonField holds the Python functions of a system. `field(t, y)` returns n numbers; with surfaces it is field(t, y, signs) with signs of ±1, and
// guards(t, y) returns m numbers. `jacobian(t, y)` returns n × n numbers, and belongs to fields without surfaces.
struct PythonField {
  Index states = 0;
  Index surfaces = 0;
  pybind11::object field = {};
  pybind11::object guards = {};
  pybind11::object jacobian = {};
  std::vector<std::string> state_names = {};
  std::vector<std::string> surface_names = {};
  // The columns of each row of the Jacobian that can differ from zero; none for all.
  std::optional<std::vector<std::vector<Index>>> pattern = {};
  // The number of discrete states, which are the last of `states`; their derivatives are 0.
  Index discrete = 0;
};

System system_of(const PythonField& parts);

// One event of a Python function g(t, y).
Event event_of(const std::string& name, const pybind11::object& when, Direction direction, Action action);

// Sets one state to what a Python function (t, y) returns.
ResetFunction reset_of(Index state, const pybind11::object& value);

}  // namespace slideway::python
