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
  if(MINGW)
    # Templates of Eigen fill more sections than an object has without this option.
    target_compile_options(${target} PRIVATE -Wa,-mbig-obj)
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

# Three quarters of the time of a build is the parsing of headers, so up to SLIDEWAY_UNITY_FILES files of a folder are compiled
# at a time: those that follow each other by name. Names that a file has to itself must then be its own in the whole folder.
function(slideway_unite_sources target)
  if(NOT SLIDEWAY_UNITY_BUILD)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set(folders "")
  foreach(source IN LISTS sources)
    get_source_file_property(is_apart "${source}" SKIP_UNITY_BUILD_INCLUSION)
    if(NOT is_apart)
      get_filename_component(path "${source}" DIRECTORY)
      get_filename_component(folder "${path}" NAME)
      list(APPEND folders ${folder})
      list(APPEND sources_of_${folder} "${source}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    list(LENGTH sources_of_${folder} files)
    math(EXPR units "(${files} + ${SLIDEWAY_UNITY_FILES} - 1) / ${SLIDEWAY_UNITY_FILES}")
    set(k 0)
    foreach(source IN LISTS sources_of_${folder})
      math(EXPR unit "${k} * ${units} / ${files} + 1")
      math(EXPR k "${k} + 1")
      set_source_files_properties("${source}" PROPERTIES UNITY_GROUP ${folder}_${unit})
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# What nearly every file includes, parsed once. Every file still includes what it uses: builds without this option show
# what is missing.
function(slideway_precompile_headers target)
  if(SLIDEWAY_PRECOMPILE_HEADERS)
    target_precompile_headers(${target} PRIVATE
      <Eigen/Core> <Eigen/LU> <Eigen/SparseLU> <algorithm> <array> <cmath> <functional> <limits> <map> <memory> <optional>
      <set> <sstream> <stdexcept> <string> <unordered_map> <utility> <vector> ${ARGN})
    slideway_quieten_precompiled(${target})
  endif()
endfunction()

# A release compiles the target at -O<level>. g++ 12 takes the level of a precompiled header for all that includes the header,
# so targets of two levels have two precompiled headers.
function(slideway_optimise target level)
  target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:-O${level}>")
endfunction()

# The same headers as another target that is compiled with the same options.
function(slideway_reuse_headers target of)
  if(SLIDEWAY_PRECOMPILE_HEADERS)
    target_precompile_headers(${target} REUSE_FROM ${of})
    slideway_quieten_precompiled(${target})
  endif()
endfunction()

# g++ 12 takes what comes from a precompiled header for the file's own code, and finds more of the above.
function(slideway_quieten_precompiled target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-stringop-overflow -Wno-array-bounds -Wno-stringop-overread
      -Wno-aggressive-loop-optimizations)
  endif()
endfunction()
