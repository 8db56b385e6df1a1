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
slideway_package(c libslideway-c1 libs
  "${about}\nThis package has the shared object of the C interface.")
if(TARGET slideway_mpi_program)
  slideway_package(mpi slideway-mpi science
    "${about}\nThis package has what makes sweeps on many computers by MPI.")
endif()
foreach(key PROGRAM LIBRARY C PYTHON MPI)
  set(CPACK_DEBIAN_${key}_PACKAGE_SHLIBDEPS ON)
endforeach()
# Policy asks for a trigger; the scripts that CPack writes all the same are in lintian-overrides.
function(slideway_shared_library_package component name soversion package)
  string(TOUPPER "${component}" key)
  file(MAKE_DIRECTORY "${packaging}/${component}")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/packaging/shlibs.in" "${packaging}/${component}/shlibs" @ONLY)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/packaging/lintian-overrides.in" "${packaging}/${component}/lintian-overrides" @ONLY)
  set(CPACK_DEBIAN_${key}_PACKAGE_CONTROL_EXTRA
    "${packaging}/${component}/shlibs" "${PROJECT_SOURCE_DIR}/cmake/packaging/triggers" PARENT_SCOPE)
  install(FILES "${packaging}/${component}/lintian-overrides" DESTINATION "${CMAKE_INSTALL_DATADIR}/lintian/overrides"
    RENAME ${package} COMPONENT ${component})
endfunction()
slideway_shared_library_package(library libslideway ${PROJECT_VERSION_MAJOR} libslideway${PROJECT_VERSION_MAJOR})
slideway_shared_library_package(c libslideway_c 1 libslideway-c1)
set(the_library "libslideway${PROJECT_VERSION_MAJOR} (= ${version})")
# It is linked to the library of the same build.
set(CPACK_DEBIAN_C_PACKAGE_DEPENDS "${the_library}")
# Pictures are drawn by gnuplot.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "${the_library}, gnuplot-nox | gnuplot")
# mpirun is what starts it; the gallery and the manual page are those of the command.
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "${the_library}, slideway (= ${version}), openmpi-bin")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${the_library}, libslideway-c1 (= ${version}), libeigen3-dev (>= 3.4)")
if(SLIDEWAY_BUILD_PYTHON)
  slideway_package(python python3-slideway python
    "${about}\nThis package has the module for Python 3.")
  # The module is made for one version of Python's binary interface.
  string(REPLACE "." ";" python_version_parts "${slideway_python_version}")
  list(GET python_version_parts 0 python_major)
  list(GET python_version_parts 1 python_minor)
  math(EXPR python_next_minor "${python_minor} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "${the_library}, python3 (>= ${slideway_python_version}~), python3 (<< ${python_major}.${python_next_minor}), python3-numpy")
  # The gallery is there.
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS slideway)
endif()

if(slideway_docs_found)
  slideway_package(doc slideway-doc doc
    "${about}\nThis package has the manual, as pages for a browser.")
  set(CPACK_DEBIAN_DOC_PACKAGE_ARCHITECTURE all)
  set(CPACK_DEBIAN_DOC_PACKAGE_DEPENDS "libjs-mathjax, libjs-sphinxdoc")
  set(manual "${CMAKE_INSTALL_DATADIR}/doc/slideway-doc/html")
  install(DIRECTORY "${SLIDEWAY_DOCS_DIR}/html/" DESTINATION "${manual}" COMPONENT doc
    PATTERN mathjax EXCLUDE
    REGEX "/_static/[^/]*\\.js$" EXCLUDE)
  # Made for these pages; the other scripts are Debian's own.
  install(FILES "${SLIDEWAY_DOCS_DIR}/html/_static/documentation_options.js" DESTINATION "${manual}/_static" COMPONENT doc)
  set(links "${packaging}/links")
  file(REMOVE_RECURSE "${links}")
  file(MAKE_DIRECTORY "${links}")
  set(scripts "../../../../javascript")  # seen from share/doc/slideway-doc/html/_static
  file(CREATE_LINK "${scripts}/mathjax" "${links}/mathjax" SYMBOLIC)
  foreach(script _sphinx_javascript_frameworks_compat doctools jquery language_data searchtools sphinx_highlight underscore)
    file(CREATE_LINK "${scripts}/sphinxdoc/1.0/${script}.js" "${links}/${script}.js" SYMBOLIC)
  endforeach()
  install(DIRECTORY "${links}/" DESTINATION "${manual}/_static" COMPONENT doc)
  install(FILES "${PROJECT_SOURCE_DIR}/cmake/packaging/doc-base" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc-base"
    RENAME slideway-doc.slideway COMPONENT doc)
  # The pages are part of the build that is packed.
  add_custom_target(slideway_docs_to_pack ALL)
  add_dependencies(slideway_docs_to_pack slideway_docs)
else()
  file(WRITE "${packaging}/without_doc.cmake"
    "message(NOTICE \"There is no package slideway-doc: the manual needs ${slideway_docs_missing}. `sh cmake/setup.sh docs` installs what is missing; then configure again.\")\n")
  set(CPACK_PROJECT_CONFIG_FILE "${packaging}/without_doc.cmake")
endif()

include(CPack)
