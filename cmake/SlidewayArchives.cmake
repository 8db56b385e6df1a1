# Finds SUNDIALS, KLU and fmt as archives, for objects that are carried to other machines: SLIDEWAY_ARCHIVES are the targets to link, and
# SLIDEWAY_ARCHIVES_MISSING names what is not there.
set(SLIDEWAY_ARCHIVES ${SLIDEWAY_SUNDIALS_TARGETS})
list(TRANSFORM SLIDEWAY_ARCHIVES APPEND _static)
set(SLIDEWAY_ARCHIVES_MISSING "")
foreach(target IN LISTS SLIDEWAY_ARCHIVES)
  if(NOT TARGET ${target})
    list(APPEND SLIDEWAY_ARCHIVES_MISSING ${target})
  endif()
endforeach()
# The package of SUNDIALS names the shared objects of KLU also where its own are archives.
set(klu_archives "")
foreach(name klu btf amd colamd suitesparseconfig)
  find_library(SLIDEWAY_ARCHIVE_${name} NAMES lib${name}.a)
  mark_as_advanced(SLIDEWAY_ARCHIVE_${name})
  if(SLIDEWAY_ARCHIVE_${name})
    list(APPEND klu_archives "${SLIDEWAY_ARCHIVE_${name}}")
  else()
    list(APPEND SLIDEWAY_ARCHIVES_MISSING lib${name}.a)
  endif()
endforeach()
if(SLIDEWAY_ARCHIVES_MISSING)
  return()
endif()
set_target_properties(SUNDIALS::sunlinsolklu_static PROPERTIES
  INTERFACE_LINK_LIBRARIES "SUNDIALS::sunmatrixsparse_static;${klu_archives}")

# Debian has fmt as headers and as a shared object.
add_library(slideway_fmt STATIC EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/cmake/relocatable/fmt.cpp")
target_compile_features(slideway_fmt PUBLIC cxx_std_17)
set_target_properties(slideway_fmt PROPERTIES POSITION_INDEPENDENT_CODE ON)
