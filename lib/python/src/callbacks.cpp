#include "lib/python/src/callbacks.hpp"

#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "slideway/detail/model/corner_blend.hpp"

namespace slideway::python {

namespace py = pybind11;

namespace {

thread_local CallErrors* current = nullptr;

// PythonRaised ends a run after a Python function has raised. Its message becomes the message of the outcome.
class PythonRaised : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Hands states to Python as arrays. One array serves for all calls, unless the function has kept it.
class ArrayCache {
 public:
  py::handle fill(ConstVectorRef x) {
    if (!array_ || array_.ref_count() > 1 || array_.size() != x.size())
      array_ = py::array_t<double>(static_cast<py::ssize_t>(x.size()));
    std::copy(x.data(), x.data() + x.size(), static_cast<double*>(array_.mutable_data()));
    return array_;
  }

 private:
  py::array_t<double> array_{0};
};

// shared() and shared_cache() release their objects with the interpreter's lock held: the last owner may be a thread without it.
std::shared_ptr<py::object> shared(const py::object& object) {
  return {new py::object(object), [](py::object* kept) {
            const py::gil_scoped_acquire lock;
            delete kept;
          }};
}
std::shared_ptr<ArrayCache> shared_cache() {
  return {new ArrayCache(), [](ArrayCache* kept) {
            const py::gil_scoped_acquire lock;
            delete kept;
          }};
}

py::object call(const py::object& function, double t, py::handle x, py::handle signs = {}) {
  PyObject* const time = PyFloat_FromDouble(t);
  PyObject* const arguments[] = {time, x.ptr(), signs.ptr()};
  PyObject* const result = PyObject_Vectorcall(function.ptr(), arguments, signs ? 3 : 2, nullptr);
  Py_DECREF(time);
  if (result == nullptr) CallErrors::report();
  return py::reinterpret_steal<py::object>(result);
}

[[noreturn]] void wrong_size(const char* what, Index expected, Index got) {
  PyErr_SetString(PyExc_ValueError,
                  fmt::format("{} returned {} numbers; expected {}", what, got, expected).c_str());
  CallErrors::report();
}

// The numbers of a list, tuple or array.
void read(const py::object& result, const char* what, VectorRef values) {
  PyObject* const object = result.ptr();
  if (result.is_none()) {
    PyErr_SetString(PyExc_TypeError,
                    fmt::format("{} returned None; expected {} numbers", what, values.size()).c_str());
    CallErrors::report();
  }
  if (PyList_CheckExact(object) || PyTuple_CheckExact(object)) {
    const Index size = PySequence_Fast_GET_SIZE(object);
    if (size == values.size()) {
      PyObject** const items = PySequence_Fast_ITEMS(object);
      for (Index i = 0; i < size; ++i) {
        PyObject* const item = items[i];
        values[i] = PyFloat_Check(item) ? PyFloat_AS_DOUBLE(item) : PyFloat_AsDouble(item);
        if (values[i] == -1 && PyErr_Occurred()) {
          // An item may be an array of one number.
          PyErr_Clear();
          break;
        }
        if (i + 1 == size) return;
      }
      if (size == 0) return;
    }
  }
  const auto numbers = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(result);
  if (!numbers) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_TypeError, fmt::format("{} returned no numbers", what).c_str());
    CallErrors::report();
  }
  if (numbers.size() != values.size()) wrong_size(what, values.size(), numbers.size());
  std::copy(numbers.data(), numbers.data() + numbers.size(), values.data());
}

double read_number(const py::object& result) {
  const double value = PyFloat_AsDouble(result.ptr());
  if (value == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    Vector single(1);
    read(result, "an event function", single);
    return single[0];
  }
  return value;
}

}  // namespace

CallErrors::CallErrors() : outer_(current) { current = this; }
CallErrors::~CallErrors() { current = outer_; }

void CallErrors::report() {
  py::error_already_set raised;
  const std::string message = raised.what();
  if (current != nullptr) {
    const bool curable = raised.matches(PyExc_ArithmeticError) || raised.matches(PyExc_ValueError);
    PyException_SetTraceback(raised.value().ptr(), raised.trace() ? raised.trace().ptr() : Py_None);
    current->error_ = raised.value();
    current->final_ = !curable;
    throw PythonRaised(message);
  }
  throw raised;
}

void CallErrors::check() {
  if (current != nullptr && current->final_) throw PythonRaised("a Python function raised an exception");
}

System system_of(const PythonField& parts) {
  SystemDefinition definition;
  definition.name = "python";
  definition.states = parts.states;
  definition.surfaces = parts.surfaces;
  definition.state_names = parts.state_names;
  definition.surface_names = parts.surface_names;
  const auto field = shared(parts.field);
  const auto states = shared_cache();
  if (parts.surfaces == 0) {
    definition.field = [field, states](double t, ConstVectorRef x, ConstVectorRef, VectorRef dx) {
      CallErrors::check();
      read(call(*field, t, states->fill(x)), "the function", dx);
    };
  } else {
    const auto sides = shared_cache();
    definition.field = [field, states, sides](double t, ConstVectorRef x, ConstVectorRef lambda,
                                              VectorRef dx) {
      const auto at_corner = [&](ConstVectorRef signs, VectorRef& corner) {
        CallErrors::check();
        const py::object result = call(*field, t, states->fill(x), sides->fill(signs));
        read(result, "the function", corner);
      };
      blend_corners<double>(lambda, dx, "a Python function with surfaces", at_corner);
    };
    const auto guards = shared(parts.guards);
    definition.guards = [guards, states](double t, ConstVectorRef x, VectorRef h) {
      CallErrors::check();
      read(call(*guards, t, states->fill(x)), "the surfaces", h);
    };
  }
  if (parts.jacobian && !parts.jacobian.is_none()) {
    const auto jacobian = shared(parts.jacobian);
    definition.field_dx = [jacobian, states](double t, ConstVectorRef x, ConstVectorRef,
                                             MatrixRef derivative) {
      CallErrors::check();
      const py::object result = call(*jacobian, t, states->fill(x));
      Matrix transposed(derivative.cols(), derivative.rows());
      read(result, "the Jacobian", Eigen::Map<Vector>(transposed.data(), transposed.size()));
      derivative = transposed.transpose();
    };
  }
  if (parts.pattern) definition.field_dx_pattern = pattern_from_rows(parts.states, *parts.pattern);
  definition.discrete = parts.discrete;
  return System(std::move(definition));
}

Event event_of(const std::string& name, const py::object& when, Direction direction, Action action) {
  GuardFunctions functions;
  functions.value = [function = shared(when), states = shared_cache()](double t, ConstVectorRef x) {
    CallErrors::check();
    return read_number(call(*function, t, states->fill(x)));
  };
  return {.name = name, .when = Guard(std::move(functions)), .direction = direction, .action = action};
}

ResetFunction reset_of(Index state, const py::object& value) {
  return [state, function = shared(value), states = shared_cache()](double t, ConstVectorRef before,
                                                                    VectorRef after) {
    CallErrors::check();
    after[state] = read_number(call(*function, t, states->fill(before)));
  };
}

}  // namespace slideway::python
