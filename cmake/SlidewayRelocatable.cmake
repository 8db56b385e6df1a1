# For SLIDEWAY_RELOCATABLE: SUNDIALS, KLU, fmt and the library of C++ are linked in, so that the command and the C interface need
# nothing but a glibc from 2.34 on. Only these two are then installed.

if(WIN32)
  # An executable or DLL with the libraries of the compiler inside, so that it needs the DLLs of Windows alone. Its main stack is as
  # large as on Linux. A time stamp would make each build another one.
  function(slideway_link_relocatable target)
    target_link_options(${target} PRIVATE -static -Wl,--gc-sections -Wl,--no-insert-timestamp -Wl,--stack,8388608 -s)
  endfunction()
  return()
endif()
if(NOT EMSCRIPTEN)
  include(SlidewayArchives)
endif()
if(NOT SLIDEWAY_RELOCATABLE)
  return()
endif()

if(SLIDEWAY_ARCHIVES_MISSING)
  message(FATAL_ERROR "A relocatable build needs archives that are not there: ${SLIDEWAY_ARCHIVES_MISSING}.")
endif()
set(SLIDEWAY_SUNDIALS_TARGETS ${SLIDEWAY_ARCHIVES})
add_library(fmt::fmt ALIAS slideway_fmt)
add_library(slideway_hypot OBJECT "${PROJECT_SOURCE_DIR}/cmake/relocatable/hypot.c")
set_target_properties(slideway_hypot PROPERTIES POSITION_INDEPENDENT_CODE ON)

# The function adds the objects and options that let an executable or shared object run on any system with glibc 2.34.
function(slideway_link_relocatable target)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:slideway_hypot>)
  set_target_properties(${target} PROPERTIES SKIP_BUILD_RPATH ON INSTALL_RPATH "" INSTALL_RPATH_USE_LINK_PATH OFF)
  target_link_options(${target} PRIVATE -static-libstdc++ -Wl,--wrap=hypot -Wl,--gc-sections -Wl,--exclude-libs,ALL -Wl,--build-id=none -s)
endfunction()
