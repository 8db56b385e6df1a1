# Debian packages by CPack, of the build that the preset `packages` configures: `cpack` in build/packages makes them.
#
# The preset sets the prefix /usr, links the shared library and leaves run paths out, as Debian's policy asks.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME slideway)
set(CPACK_PACKAGE_VENDOR "The slideway authors")
set(CPACK_PACKAGE_CONTACT "The slideway authors <maintainers@users.noreply.a-seed-db3dc0b5.example>")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# A revision below that of a package of Debian itself.
set(CPACK_DEBIAN_PACKAGE_RELEASE 0upstream1)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "solver of differential equations that jump")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/lib")

set(version "${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")
find_program(SLIDEWAY_GZIP gzip REQUIRED)
mark_as_advanced(SLIDEWAY_GZIP)
set(packaging "${PROJECT_BINARY_DIR}/packaging")
configure_file("${PROJECT_SOURCE_DIR}/cmake/packaging/changelog.in" "${packaging}/changelog.Debian" @ONLY)
execute_process(COMMAND "${SLIDEWAY_GZIP}" -9 -n -k -f "${packaging}/changelog.Debian" COMMAND_ERROR_IS_FATAL ANY)

# A package's component is what the install rules call it. The text is the long description.
function(slideway_package component name section text)
  string(TOUPPER "${component}" key)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_COMPONENT_${key}_DESCRIPTION "${text}" PARENT_SCOPE)
  install(FILES "${PROJECT_SOURCE_DIR}/cmake/packaging/copyright" "${packaging}/changelog.Debian.gz"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${name}" COMPONENT ${component})
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
endfunction()

set(about "slideway integrates ordinary differential equations whose right-hand side\njumps, along sliding modes, through corners, impacts and accumulations.")
set(CPACK_COMPONENTS_ALL "")
slideway_package(program slideway science
  "${about}\nThis package has the command and a gallery of models.")
slideway_package(library libslideway${PROJECT_VERSION_MAJOR} libs
  "${about}\nThis package has the shared library.")
slideway_package(dev libslideway-dev libdevel
  "${about}\nThis package has what programs are compiled with.")
foreach(key PROGRAM LIBRARY PYTHON)
  set(CPACK_DEBIAN_${key}_PACKAGE_SHLIBDEPS ON)
endforeach()
# Policy asks for a trigger; the scripts that CPack writes all the same are in lintian-overrides.
configure_file("${PROJECT_SOURCE_DIR}/cmake/packaging/shlibs.in" "${packaging}/shlibs" @ONLY)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${packaging}/shlibs" "${PROJECT_SOURCE_DIR}/cmake/packaging/triggers")
install(FILES "${PROJECT_SOURCE_DIR}/cmake/packaging/lintian-overrides" DESTINATION "${CMAKE_INSTALL_DATADIR}/lintian/overrides"
  RENAME libslideway${PROJECT_VERSION_MAJOR} COMPONENT library)
set(the_library "libslideway${PROJECT_VERSION_MAJOR} (= ${version})")
# Pictures are drawn by gnuplot.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "${the_library}, gnuplot-nox | gnuplot")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${the_library}, libeigen3-dev (>= 3.4)")
if(SLIDEWAY_BUILD_PYTHON)
  slideway_package(python python3-slideway python
    "${about}\nThis package has the module for Python 3.")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "${the_library}, python3 (>= ${slideway_python_version}~), python3 (<< 3.12), python3-numpy")
endif()

include(CPack)
