# The target `slideway_docs` builds the manual in <build>/docs/html, with what Debian has: `sh cmake/setup.sh docs`.
#
# Nothing is fetched: scripts, fonts and formulas come from packages. The target is no part of the default build.

set(SLIDEWAY_DOCS_PYTHON "/usr/bin/python3" CACHE FILEPATH "The Python that has Sphinx, MyST, furo and Breathe")
set(SLIDEWAY_PAGE_DIR "${PROJECT_SOURCE_DIR}/build/wasm/web/page" CACHE PATH "The page that runs models, which becomes part of the manual where it was built")
find_program(SLIDEWAY_DOXYGEN doxygen)
mark_as_advanced(SLIDEWAY_DOCS_PYTHON SLIDEWAY_DOXYGEN)

set(slideway_docs_missing "")
set(slideway_docs_found FALSE)
if(NOT SLIDEWAY_DOXYGEN)
  list(APPEND slideway_docs_missing "doxygen")
endif()
if(NOT EXISTS "/usr/share/javascript/mathjax/MathJax.js")
  list(APPEND slideway_docs_missing "libjs-mathjax")
endif()
foreach(module sphinx myst_parser furo breathe)
  # By its place: to import all of them takes seconds.
  execute_process(COMMAND "${SLIDEWAY_DOCS_PYTHON}" -c "import importlib.util as u, sys; sys.exit(u.find_spec('${module}') is None)"
    RESULT_VARIABLE slideway_docs_status OUTPUT_QUIET ERROR_QUIET)
  if(NOT slideway_docs_status EQUAL 0)
    list(APPEND slideway_docs_missing "Python's ${module}")
  endif()
endforeach()

if(slideway_docs_missing)
  string(REPLACE ";" ", " slideway_docs_missing "${slideway_docs_missing}")
  add_custom_target(slideway_docs
    COMMAND "${CMAKE_COMMAND}" -E echo "The manual needs ${slideway_docs_missing}. On Debian, `sh cmake/setup.sh docs` installs what is missing. Then run cmake again."
    COMMAND "${CMAKE_COMMAND}" -E false
    VERBATIM)
  return()
endif()

set(slideway_docs_found TRUE)
set(SLIDEWAY_DOCS_DIR "${PROJECT_BINARY_DIR}/docs")
set(SLIDEWAY_DOXYGEN_INPUT
  "${PROJECT_SOURCE_DIR}/lib/include/slideway/model ${PROJECT_SOURCE_DIR}/lib/include/slideway/simulate ${PROJECT_SOURCE_DIR}/lib/include/slideway/sweep ${PROJECT_SOURCE_DIR}/lib/include/slideway/orbit ${PROJECT_SOURCE_DIR}/lib/include/slideway/fit ${PROJECT_SOURCE_DIR}/lib/include/slideway/basins ${PROJECT_SOURCE_DIR}/lib/include/slideway/diagram ${PROJECT_SOURCE_DIR}/lib/include/slideway/manifolds")
configure_file("${PROJECT_SOURCE_DIR}/lib/docs/tools/Doxyfile.in" "${SLIDEWAY_DOCS_DIR}/Doxyfile" @ONLY)

add_custom_target(slideway_docs
  COMMAND "${SLIDEWAY_DOCS_PYTHON}" -B "${PROJECT_SOURCE_DIR}/lib/docs/tools/make_pages.py" "$<TARGET_FILE:slideway_program>"
    "${PROJECT_SOURCE_DIR}" "${SLIDEWAY_DOCS_DIR}/source"
    "${SLIDEWAY_PAGE_DIR}"
  COMMAND "${SLIDEWAY_DOXYGEN}" "${SLIDEWAY_DOCS_DIR}/Doxyfile"
  COMMAND "${CMAKE_COMMAND}" -E env "SLIDEWAY_VERSION=${PROJECT_VERSION}" "SLIDEWAY_DOXYGEN_XML=${SLIDEWAY_DOCS_DIR}/doxygen/xml"
    "${SLIDEWAY_DOCS_PYTHON}" -m sphinx -W --keep-going -q -j auto -b html -d "${SLIDEWAY_DOCS_DIR}/doctrees"
    "${SLIDEWAY_DOCS_DIR}/source" "${SLIDEWAY_DOCS_DIR}/html"
  COMMAND "${CMAKE_COMMAND}" -E echo "The manual is ${SLIDEWAY_DOCS_DIR}/html/index.html"
  DEPENDS slideway_program
  COMMENT "Building the manual"
  VERBATIM)
