# Installs the library with its headers, the CMake package `slideway` and slideway.pc. All of it finds its way
# relative to itself, so the prefix can be chosen at install time and moved afterwards.

include(CMakePackageConfigHelpers)

set(slideway_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/slideway")
get_target_property(slideway_type slideway TYPE)
file(RELATIVE_PATH slideway_pc_to_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
if(SLIDEWAY_RELOCATABLE)
  return()
endif()

install(TARGETS slideway EXPORT slidewayTargets
  LIBRARY COMPONENT library NAMELINK_COMPONENT dev
  ARCHIVE COMPONENT dev)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/lib/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev
  FILES_MATCHING PATTERN "*.hpp")
install(EXPORT slidewayTargets NAMESPACE slideway:: DESTINATION "${slideway_package_dir}" COMPONENT dev)

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/slidewayConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/slidewayConfig.cmake" INSTALL_DESTINATION "${slideway_package_dir}")
# Before 1.0 a minor version may break its users.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/slidewayConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/slidewayConfig.cmake" "${PROJECT_BINARY_DIR}/slidewayConfigVersion.cmake"
  DESTINATION "${slideway_package_dir}" COMPONENT dev)

# pkg-config knows nothing of targets: a static library must name all that it needs.
set(slideway_pc_requires "eigen3 >= 3.4")
set(slideway_pc_libs "")
if(slideway_type STREQUAL "STATIC_LIBRARY")
  string(APPEND slideway_pc_requires ", fmt, tomlplusplus")
  find_library(SLIDEWAY_SUNDIALS_CVODE sundials_cvode HINTS "${SUNDIALS_DIR}/../.." REQUIRED)
  mark_as_advanced(SLIDEWAY_SUNDIALS_CVODE)
  get_filename_component(sundials_libdir "${SLIDEWAY_SUNDIALS_CVODE}" DIRECTORY)
  string(REPLACE "SUNDIALS::" "-lsundials_" slideway_pc_libs "${SLIDEWAY_SUNDIALS_TARGETS}")
  # SUNDIALS::sunlinsolklu brings KLU along, which the library calls by itself as well.
  set(slideway_pc_libs "-L${sundials_libdir}" ${slideway_pc_libs} -lklu)
  if(slideway_sundials_with_mpi)
    list(APPEND slideway_pc_libs ${MPI_C_LIBRARIES})
  endif()
  string(REPLACE ";" " " slideway_pc_libs "${slideway_pc_libs}")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/slideway.pc.in" "${PROJECT_BINARY_DIR}/slideway.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/slideway.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)
