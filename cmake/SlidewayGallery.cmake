# The gallery is found from the file that looks for it, so that an installation can be moved, or where this says.
set(SLIDEWAY_GALLERY_INSTALL_DIR "${CMAKE_INSTALL_DATADIR}/slideway/models" CACHE STRING
  "Where the gallery of model files is installed, below the prefix or absolute")
cmake_path(ABSOLUTE_PATH SLIDEWAY_GALLERY_INSTALL_DIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" NORMALIZE OUTPUT_VARIABLE slideway_gallery_dir)

# Tells apps/gallery.cpp, which a directory compiles, where the gallery is when seen from the installed folder `from`.
function(slideway_tell_gallery from)
  set(from_here "${slideway_gallery_dir}")
  if(NOT IS_ABSOLUTE "${SLIDEWAY_GALLERY_INSTALL_DIR}" AND NOT IS_ABSOLUTE "${from}")
    file(RELATIVE_PATH from_here "/prefix/${from}" "/prefix/${SLIDEWAY_GALLERY_INSTALL_DIR}")
  endif()
  set_source_files_properties("${PROJECT_SOURCE_DIR}/apps/gallery.cpp" PROPERTIES COMPILE_DEFINITIONS
    "SLIDEWAY_GALLERY_FROM_HERE=\"${from_here}\";SLIDEWAY_GALLERY_DIR=\"${slideway_gallery_dir}\"")
endfunction()
