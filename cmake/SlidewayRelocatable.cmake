# For SLIDEWAY_RELOCATABLE: SUNDIALS, KLU, fmt and the library of C++ are linked in, so that the command and the C interface need
# nothing but a glibc from 2.34 on. Only these two are then installed.

if(NOT SLIDEWAY_RELOCATABLE)
  return()
endif()

list(TRANSFORM SLIDEWAY_SUNDIALS_TARGETS APPEND _static)
# The package of SUNDIALS names the shared objects of KLU also where its own are archives.
set(klu_archives "")
foreach(name klu btf amd colamd suitesparseconfig)
  find_library(SLIDEWAY_ARCHIVE_${name} NAMES lib${name}.a REQUIRED)
  mark_as_advanced(SLIDEWAY_ARCHIVE_${name})
  list(APPEND klu_archives "${SLIDEWAY_ARCHIVE_${name}}")
endforeach()
set_target_properties(SUNDIALS::sunlinsolklu_static PROPERTIES
  INTERFACE_LINK_LIBRARIES "SUNDIALS::sunmatrixsparse_static;${klu_archives}")

add_library(slideway_fmt STATIC "${PROJECT_SOURCE_DIR}/cmake/relocatable/fmt.cpp")
target_compile_features(slideway_fmt PUBLIC cxx_std_17)
add_library(fmt::fmt ALIAS slideway_fmt)
set_target_properties(slideway_fmt PROPERTIES POSITION_INDEPENDENT_CODE ON)
add_library(slideway_hypot OBJECT "${PROJECT_SOURCE_DIR}/cmake/relocatable/hypot.c")
set_target_properties(slideway_hypot PROPERTIES POSITION_INDEPENDENT_CODE ON)

# The function adds the objects and options that let an executable or shared object run on any system with glibc 2.34.
function(slideway_link_relocatable target)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:slideway_hypot>)
  set_target_properties(${target} PROPERTIES SKIP_BUILD_RPATH ON INSTALL_RPATH "" INSTALL_RPATH_USE_LINK_PATH OFF)
  target_link_options(${target} PRIVATE -static-libstdc++ -Wl,--wrap=hypot -Wl,--gc-sections -Wl,--exclude-libs,ALL -Wl,--build-id=none -s)
endfunction()
