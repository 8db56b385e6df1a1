// The extension module slideway._core: what the package in lib/python/slideway is made on.

#include <pybind11/pybind11.h>

#include "lib/python/src/analyses.hpp"
#include "lib/python/src/live.hpp"
#include "lib/python/src/run.hpp"
#include "slideway/core/version.hpp"
#include "slideway/io/model_file.hpp"
#include "slideway/simulate/options.hpp"

PYBIND11_MODULE(_core, module) {
  namespace py = pybind11;
  module.attr("version") = slideway::version();
  py::register_exception<slideway::ModelFileError>(module, "ModelError", PyExc_ValueError);
  slideway::python::bind_models(module);
  slideway::python::bind_runs(module);
  slideway::python::bind_analyses(module);
  slideway::python::bind_planes(module);
  slideway::python::bind_live_runs(module);
}
