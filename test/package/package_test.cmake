# Installs slideway, moves the installation, and uses it as a stranger would: the command from another directory, the
# manual's example as a CMake project with find_package, and the same example by pkg-config.
#
#   cmake -D TYPE=STATIC_LIBRARY|SHARED_LIBRARY -D BUILD_DIR=… -D BUILD_TYPE=<type of the library in BUILD_DIR>
#         -D SOURCE_DIR=… -D WORK_DIR=… -D VERSION=… -D COMPILER=… -D GENERATOR=…
#         -D UNITY_BUILD=<whether that of BUILD_DIR is one> -P package_test.cmake
cmake_minimum_required(VERSION 3.20)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    string(REPLACE ";" " " command "${ARGN}")
    message(NOTICE "${output}")
    message(FATAL_ERROR "ended with ${status}: ${command}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# The program between a page's ```cpp fences, with the blocks that go on from it at the end of its main function.
function(extract_example page file)
  file(READ "${page}" text)
  # Brackets and semicolons would be taken for list syntax.
  string(REPLACE "[" "<left bracket>" text "${text}")
  string(REPLACE "]" "<right bracket>" text "${text}")
  string(REPLACE ";" "<semicolon>" text "${text}")
  set(program "")
  set(continuation "")
  while(TRUE)
    string(FIND "${text}" "```cpp\n" start)
    if(start EQUAL -1)
      break()
    endif()
    math(EXPR start "${start} + 7")
    string(SUBSTRING "${text}" ${start} -1 text)
    string(FIND "${text}" "\n```" end)
    string(SUBSTRING "${text}" 0 ${end} code)
    string(SUBSTRING "${text}" ${end} -1 text)
    if(NOT code MATCHES "int main\\(")
      string(APPEND continuation "\n${code}\n")
    elseif(program STREQUAL "")
      set(program "${code}")
    else()
      message(FATAL_ERROR "${page} has more than one ```cpp block with a main function; this test expects one")
    endif()
  endwhile()
  if(NOT program MATCHES "\n}$")
    message(FATAL_ERROR "${page} has no ```cpp block that ends with the brace of a main function")
  endif()
  string(REGEX REPLACE "}$" "" program "${program}")
  string(APPEND program "${continuation}}\n")
  string(REPLACE "<left bracket>" "[" program "${program}")
  string(REPLACE "<right bracket>" "]" program "${program}")
  string(REPLACE "<semicolon>" ";" program "${program}")
  file(WRITE "${file}" "${program}")
endfunction()

# The library that a program loads must be the one below the prefix, not the one in a build directory.
function(check_shared_library program prefix)
  if(TYPE STREQUAL "SHARED_LIBRARY")
    file(GET_RUNTIME_DEPENDENCIES EXECUTABLES "${program}" RESOLVED_DEPENDENCIES_VAR libraries
      UNRESOLVED_DEPENDENCIES_VAR unresolved)
    list(FILTER libraries INCLUDE REGEX "libslideway")
    foreach(library IN LISTS libraries)
      file(REAL_PATH "${library}" library)
      string(FIND "${library}" "${prefix}/" position)
      if(NOT position EQUAL 0)
        message(FATAL_ERROR "${program} loads ${library}, which is not below ${prefix}")
      endif()
    endforeach()
    if(NOT libraries)
      message(FATAL_ERROR "${program} does not find libslideway; unresolved: ${unresolved}")
    endif()
  endif()
endfunction()

# The other type is linked here, of the same objects: those of the library are independent of their position in either.
if(NOT TYPE STREQUAL BUILD_TYPE)
  set(shared OFF)
  if(TYPE STREQUAL "SHARED_LIBRARY")
    set(shared ON)
  endif()
  set(ENV{SLIDEWAY_COMPILED_IN} "${BUILD_DIR}")
  set(BUILD_DIR "${WORK_DIR}/build")
  file(REMOVE_RECURSE "${BUILD_DIR}")
  run("${CMAKE_COMMAND}" -S "${SOURCE_DIR}" -B "${BUILD_DIR}" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
    "-DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CURRENT_LIST_DIR}/link_again.sh" -DCMAKE_BUILD_TYPE=Release
    -DBUILD_SHARED_LIBS=${shared} -DSLIDEWAY_BUILD_TESTS=OFF -DSLIDEWAY_BUILD_BENCHMARKS=OFF
    -DSLIDEWAY_BUILD_PYTHON=OFF
    -DSLIDEWAY_PRECOMPILE_HEADERS=OFF "-DSLIDEWAY_UNITY_BUILD=${UNITY_BUILD}")
  run("${CMAKE_COMMAND}" --build "${BUILD_DIR}")
endif()

# The prefix has a blank in its name, and is moved after the installation.
file(REMOVE_RECURSE "${WORK_DIR}/staging" "${WORK_DIR}/moved" "${WORK_DIR}/consumer")
run("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${WORK_DIR}/staging/a prefix")
file(RENAME "${WORK_DIR}/staging" "${WORK_DIR}/moved")
file(REAL_PATH "${WORK_DIR}/moved/a prefix" prefix)

run("${CMAKE_COMMAND}" -E chdir / "${prefix}/bin/slideway" models)
if(NOT output MATCHES "evaporator")
  message(FATAL_ERROR "`slideway models` does not list the evaporator:\n${output}")
endif()
check_shared_library("${prefix}/bin/slideway" "${prefix}")

file(GLOB_RECURSE pc_file "${prefix}/*/slideway.pc")
get_filename_component(pc_dir "${pc_file}" DIRECTORY)
get_filename_component(lib_dir "${pc_dir}" DIRECTORY)
find_program(PKG_CONFIG pkg-config REQUIRED)

set(example "${WORK_DIR}/example.cpp")
extract_example("${SOURCE_DIR}/lib/docs/library.md" "${example}")
set(consumer_dir "${WORK_DIR}/consumer")
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/consumer" -B "${consumer_dir}" -G "${GENERATOR}"
  "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_PREFIX_PATH=${prefix}" -DCMAKE_BUILD_TYPE=Release
  "-DEXAMPLE=${example}" -DEXPECTED_VERSION=${VERSION} -DEXPECTED_TYPE=${TYPE})
run("${CMAKE_COMMAND}" --build "${consumer_dir}")
check_shared_library("${consumer_dir}/consumer" "${prefix}")
run("${consumer_dir}/consumer")
string(STRIP "${output}" printed)
if(printed STREQUAL "")
  message(FATAL_ERROR "the manual's example printed nothing")
endif()
message(STATUS "the manual's example, linked with a ${TYPE}, prints:\n${output}")

set(ENV{PKG_CONFIG_PATH} "${pc_dir}")
run("${PKG_CONFIG}" --modversion slideway)
string(STRIP "${output}" version)
if(NOT version STREQUAL VERSION)
  message(FATAL_ERROR "slideway.pc says version ${version}, expected ${VERSION}")
endif()
run("${PKG_CONFIG}" --cflags --libs slideway)
separate_arguments(flags UNIX_COMMAND "${output}")
set(program "${consumer_dir}/by_pkg_config")
run("${COMPILER}" -std=c++20 -O1 "${example}" -o "${program}" ${flags} "-Wl,-rpath,${lib_dir}")
run("${program}")
string(STRIP "${output}" printed_by_pkg_config)
if(NOT printed_by_pkg_config STREQUAL printed)
  message(FATAL_ERROR "by find_package the manual's example prints\n${printed}\nby pkg-config\n${printed_by_pkg_config}")
endif()
