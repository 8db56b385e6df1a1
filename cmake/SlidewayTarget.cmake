# What every target of this project has in common: the language, the warnings and the sanitizers.

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

# Globs are checked again at every build, so a new source file needs no change here.
function(slideway_glob variable)
  file(GLOB sources CONFIGURE_DEPENDS ${ARGN})
  set(${variable} "${sources}" PARENT_SCOPE)
endfunction()

function(slideway_glob_recursive variable)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${ARGN})
  set(${variable} "${sources}" PARENT_SCOPE)
endfunction()

function(slideway_configure_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Inlining makes g++ 12 see overlaps in `"a" + string` (GCC bug 105329) and uninitialized members in the
    # unwinding of aggregates with Eigen vectors, where there are none.
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-maybe-uninitialized)
  endif()
  if(SLIDEWAY_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(SLIDEWAY_SANITIZE)
    set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all)
    target_compile_options(${target} PRIVATE ${sanitizers} -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE ${sanitizers})
  endif()
endfunction()

# What nearly every file includes, parsed once. Every file still includes what it uses: builds without this option show
# what is missing.
function(slideway_precompile_headers target)
  if(SLIDEWAY_PRECOMPILE_HEADERS)
    target_precompile_headers(${target} PRIVATE
      <Eigen/Core> <Eigen/LU> <algorithm> <array> <cmath> <functional> <limits> <memory> <optional> <stdexcept> <string>
      <utility> <vector> ${ARGN})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # g++ 12 takes what comes from a precompiled header for the file's own code, and finds more of the above.
      target_compile_options(${target} PRIVATE -Wno-stringop-overflow -Wno-array-bounds -Wno-stringop-overread)
    endif()
  endif()
endfunction()
