# Finds what the Python package is built with, and whether to build it.
#
# Another python3 may come first in PATH, and have neither numpy nor headers: Debian's own is asked by its name.

set(SLIDEWAY_PYTHON "/usr/bin/python3" CACHE FILEPATH "The Python that the package is built for")

set(slideway_python_found FALSE)
# The package file of pybind11 looks for a Python of its own, and its headers are all that is needed.
find_path(SLIDEWAY_PYBIND11_INCLUDE_DIR pybind11/pybind11.h)
mark_as_advanced(SLIDEWAY_PYBIND11_INCLUDE_DIR)
if(EXISTS "${SLIDEWAY_PYTHON}")
  execute_process(
    COMMAND "${SLIDEWAY_PYTHON}" -c "import numpy, sysconfig
print(sysconfig.get_path('include'), sysconfig.get_config_var('EXT_SUFFIX'), sysconfig.get_config_var('py_version_short'), sep=';')"
    RESULT_VARIABLE slideway_python_status OUTPUT_VARIABLE slideway_python_facts ERROR_QUIET
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(slideway_python_status EQUAL 0)
    list(GET slideway_python_facts 0 slideway_python_include)
    list(GET slideway_python_facts 1 slideway_python_suffix)
    list(GET slideway_python_facts 2 slideway_python_version)
    if(SLIDEWAY_PYBIND11_INCLUDE_DIR AND EXISTS "${slideway_python_include}/Python.h")
      set(slideway_python_found TRUE)
    endif()
  endif()
endif()

# The runtime of the sanitizers would have to be loaded before the interpreter.
if(slideway_python_found AND is_top_level AND NOT SLIDEWAY_SANITIZE AND NOT SLIDEWAY_FUZZ)
  set(slideway_python_default ON)
else()
  set(slideway_python_default OFF)
endif()
option(SLIDEWAY_BUILD_PYTHON "Build the Python package `slideway`" ${slideway_python_default})
if(SLIDEWAY_BUILD_PYTHON AND NOT slideway_python_found)
  message(FATAL_ERROR
    "The Python package needs pybind11, and ${SLIDEWAY_PYTHON} with its headers and numpy. On Debian, `sh cmake/setup.sh python` installs them.")
endif()

set(SLIDEWAY_PYTHON_INSTALL_DIR "lib/python${slideway_python_version}/dist-packages" CACHE STRING
  "Where the Python package is installed, below the prefix")
