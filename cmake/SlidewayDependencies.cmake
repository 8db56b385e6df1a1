# Finds what slideway is built on and says how to get it when it is missing.

if(is_top_level)
  set(advice "On Debian, `sh cmake/setup.sh` installs everything slideway is built with.")
else()
  set(advice "")
endif()

macro(slideway_require package)
  find_package(${package} ${ARGN} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "slideway needs ${package} ${ARGN}, which was not found. ${advice}")
  endif()
endmacro()

if(EMSCRIPTEN OR WIN32)
  include(SlidewayFromSource)
  return()
endif()

# Debian's SUNDIALS refuses any request for a version but its own, so the version is compared here.
slideway_require(SUNDIALS)
if(SUNDIALS_VERSION VERSION_LESS 6.4)
  message(FATAL_ERROR "slideway needs SUNDIALS 6.4 or newer, found ${SUNDIALS_VERSION} in ${SUNDIALS_DIR}.")
endif()
set(SLIDEWAY_SUNDIALS_TARGETS
  SUNDIALS::cvode SUNDIALS::kinsol SUNDIALS::nvecserial SUNDIALS::sunmatrixdense SUNDIALS::sunmatrixband SUNDIALS::sunmatrixsparse
  SUNDIALS::sunlinsoldense SUNDIALS::sunlinsolband SUNDIALS::sunlinsolklu SUNDIALS::sunlinsolspgmr)
foreach(target ${SLIDEWAY_SUNDIALS_TARGETS})
  if(NOT TARGET ${target})
    message(FATAL_ERROR
      "slideway needs SUNDIALS with KLU; the one in ${SUNDIALS_DIR} has no ${target}. ${advice}")
  endif()
endforeach()
if(TARGET SUNDIALS::core)  # since 7.0
  list(APPEND SLIDEWAY_SUNDIALS_TARGETS SUNDIALS::core)
endif()

# SUNDIALS 7 shows MPI in its interface if it was built with it.
set(slideway_sundials_with_mpi FALSE)
if(TARGET SUNDIALS::core AND TARGET MPI::MPI_C)
  set(slideway_sundials_with_mpi TRUE)
endif()

slideway_require(Eigen3 3.4)
slideway_require(Boost 1.74 CONFIG)
if(NOT SLIDEWAY_RELOCATABLE)  # which has its own
  slideway_require(fmt)
endif()
slideway_require(nlohmann_json)
slideway_require(tomlplusplus)

if(SLIDEWAY_BUILD_APPS)
  slideway_require(CLI11)
endif()
if(SLIDEWAY_BUILD_TESTS)
  slideway_require(doctest)
endif()
if(SLIDEWAY_BUILD_BENCHMARKS)
  find_package(benchmark QUIET)
endif()

if(SLIDEWAY_BUILD_MPI)
  find_package(MPI COMPONENTS C QUIET)
  if(NOT MPI_C_FOUND)
    message(STATUS "There is no MPI, so slideway-mpi is not built; `sh cmake/setup.sh mpi` installs Open MPI")
  endif()
endif()
