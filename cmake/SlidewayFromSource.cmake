# Libraries that slideway needs, for systems that Debian has no packages for, WebAssembly and Windows: SUNDIALS and KLU are compiled from
# Debian's source packages, and header-only libraries come from Debian's packages. `sh cmake/setup.sh wasm`, or `windows`, unpacks the
# sources. Indices have 32 bits: KLU's `int` functions are used, since its others take `long`, which has 32 bits on both systems, too.

set(SLIDEWAY_SOURCES "${PROJECT_SOURCE_DIR}/build/sources" CACHE PATH "The folder with the sources of sundials and suitesparse")
if(NOT EXISTS "${SLIDEWAY_SOURCES}/sundials/src" OR NOT EXISTS "${SLIDEWAY_SOURCES}/suitesparse/KLU")
  if(EMSCRIPTEN)
    set(slideway_setup wasm)
  else()
    set(slideway_setup windows)
  endif()
  message(FATAL_ERROR "There are no sources of sundials and suitesparse in ${SLIDEWAY_SOURCES}. On Debian, `sh cmake/setup.sh ${slideway_setup}` unpacks them.")
endif()

if(EMSCRIPTEN)
  # Emscripten's own loader looks for acorn in the folder of Debian's node, where another node does not look.
  set_property(GLOBAL PROPERTY RULE_LAUNCH_LINK "${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs")
endif()

# The folder /usr/include holds the C library of this machine, too, so the libraries of headers are shown by links.
set(slideway_include "${PROJECT_BINARY_DIR}/include")
file(MAKE_DIRECTORY "${slideway_include}/sundials")
set(slideway_header_folders boost fmt nlohmann toml++ eigen3/Eigen eigen3/unsupported)
if(SLIDEWAY_BUILD_APPS)
  list(APPEND slideway_header_folders CLI)
endif()
foreach(folder IN LISTS slideway_header_folders)
  get_filename_component(name "${folder}" NAME)
  file(CREATE_LINK "/usr/include/${folder}" "${slideway_include}/${name}" SYMBOLIC)
endforeach()

# Debian's configuration of SUNDIALS, with indices of 32 bits and without MPI.
file(READ "/usr/include/sundials/sundials_config.h" slideway_sundials_config)
string(REPLACE "SUNDIALS_INT64_T" "SUNDIALS_INT32_T" slideway_sundials_config "${slideway_sundials_config}")
string(REPLACE "INDEX_TYPE int64_t" "INDEX_TYPE int32_t" slideway_sundials_config "${slideway_sundials_config}")
string(REPLACE "SUNDIALS_MPI_ENABLED 1" "SUNDIALS_MPI_ENABLED 0" slideway_sundials_config "${slideway_sundials_config}")
file(CONFIGURE OUTPUT "${slideway_include}/sundials/sundials_config.h" CONTENT "${slideway_sundials_config}" @ONLY)
configure_file("/usr/include/sundials/sundials_export.h" "${slideway_include}/sundials/sundials_export.h" COPYONLY)

# Mingw-w64 has the sine and the cosine of the processor, which lose digits from the first multiple of π on: 19 units of the last place at
# π/2, a million near 10⁶. Those of musl stay below one. They stand before the library of C, as what slideway_sundials links.
if(WIN32)
  if(NOT EXISTS "${SLIDEWAY_SOURCES}/musl/src/math")
    message(FATAL_ERROR "There are no sources of musl in ${SLIDEWAY_SOURCES}. On Debian, `sh cmake/setup.sh windows` unpacks them.")
  endif()
  set(math_sources sin cos tan sincos __sin __cos __tan __rem_pio2 __rem_pio2_large acosh asinh atanh expm1 log1p)
  list(TRANSFORM math_sources PREPEND "${SLIDEWAY_SOURCES}/musl/src/math/")
  list(TRANSFORM math_sources APPEND ".c")
  add_library(slideway_math STATIC ${math_sources} "${PROJECT_SOURCE_DIR}/cmake/relocatable/sincosl.c")
  file(WRITE "${PROJECT_BINARY_DIR}/include-math/endian.h" "#define __LITTLE_ENDIAN 1234\n#define __BIG_ENDIAN 4321\n#define __BYTE_ORDER __LITTLE_ENDIAN\n")
  target_include_directories(slideway_math PRIVATE "${PROJECT_BINARY_DIR}/include-math" "${SLIDEWAY_SOURCES}/musl/src/internal"
    "${SLIDEWAY_SOURCES}/musl/arch/generic")
  target_compile_definitions(slideway_math PRIVATE hidden=)
  target_compile_options(slideway_math PRIVATE -w -fno-builtin)
endif()

set(suitesparse "${SLIDEWAY_SOURCES}/suitesparse")
set(klu_parts "${suitesparse}/SuiteSparse_config" "${suitesparse}/AMD/Include" "${suitesparse}/COLAMD/Include" "${suitesparse}/BTF/Include"
  "${suitesparse}/KLU/Include")
file(GLOB klu_sources "${suitesparse}/SuiteSparse_config/SuiteSparse_config.c" "${suitesparse}/AMD/Source/amd_*.c"
  "${suitesparse}/COLAMD/Source/colamd*.c" "${suitesparse}/BTF/Source/btf_*.c" "${suitesparse}/KLU/Source/klu*.c")
add_library(slideway_klu STATIC ${klu_sources})
target_include_directories(slideway_klu PUBLIC ${klu_parts})
target_compile_options(slideway_klu PRIVATE -w)
# The same functions for complex numbers.
set(klu_complex_sources klu klu_kernel klu_dump klu_factor klu_refactor klu_solve klu_tsolve klu_scale klu_sort klu_diagnostics klu_extract
  klu_free_numeric)
list(TRANSFORM klu_complex_sources PREPEND "${suitesparse}/KLU/Source/")
list(TRANSFORM klu_complex_sources APPEND ".c")
add_library(slideway_klu_complex STATIC ${klu_complex_sources})
target_include_directories(slideway_klu_complex PRIVATE ${klu_parts})
target_compile_definitions(slideway_klu_complex PRIVATE COMPLEX)
target_compile_options(slideway_klu_complex PRIVATE -w)
target_link_libraries(slideway_klu_complex PUBLIC slideway_klu)

set(sundials "${SLIDEWAY_SOURCES}/sundials")
file(GLOB sundials_sources "${sundials}/src/cvode/cvode*.c" "${sundials}/src/kinsol/*.c" "${sundials}/src/nvector/serial/*.c"
  "${sundials}/src/sunmatrix/band/*.c" "${sundials}/src/sunmatrix/dense/*.c" "${sundials}/src/sunmatrix/sparse/*.c"
  "${sundials}/src/sunlinsol/band/*.c" "${sundials}/src/sunlinsol/dense/*.c" "${sundials}/src/sunlinsol/spgmr/*.c"
  "${sundials}/src/sunlinsol/klu/*.c" "${sundials}/src/sunnonlinsol/newton/*.c" "${sundials}/src/sunnonlinsol/fixedpoint/*.c"
  "${sundials}/src/sundials/sundials_*.c")
list(FILTER sundials_sources EXCLUDE REGEX "fsun|/fmod|fnvector|_cuda|_hip|_sycl|xbraid|_mpi|hypamg")
add_library(slideway_sundials STATIC ${sundials_sources})
target_include_directories(slideway_sundials
  PUBLIC "${slideway_include}" "${sundials}/include"
  PRIVATE "${sundials}/src/sundials" "${sundials}/src/cvode" ${klu_parts})
target_compile_options(slideway_sundials PRIVATE -w)
target_link_libraries(slideway_sundials PUBLIC slideway_klu_complex)
if(WIN32)
  target_link_libraries(slideway_sundials PUBLIC slideway_math)
endif()
set(SLIDEWAY_SUNDIALS_TARGETS slideway_sundials)
set(slideway_sundials_with_mpi FALSE)

set(slideway_header_libraries Eigen3::Eigen Boost::headers nlohmann_json::nlohmann_json tomlplusplus::tomlplusplus fmt::fmt)
if(SLIDEWAY_BUILD_APPS)
  list(APPEND slideway_header_libraries CLI11::CLI11)
endif()
foreach(target IN LISTS slideway_header_libraries)
  add_library(${target} INTERFACE IMPORTED)
  target_include_directories(${target} INTERFACE "${slideway_include}")
endforeach()
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
