# Compiles a program in C99 and runs it in a folder of its own.
#   cmake -D COMPILER=… -D RUNNER=<valgrind, or empty> -D SOURCE=… -D INCLUDE=… -D LIBRARY=<the shared object> -D MODELS=<the gallery>
#         -D WORK_DIR=… -P compile_and_run.cmake
cmake_minimum_required(VERSION 3.20)

file(REMOVE_RECURSE "${WORK_DIR}")
file(MAKE_DIRECTORY "${WORK_DIR}")
get_filename_component(folder "${LIBRARY}" DIRECTORY)
execute_process(
  COMMAND "${COMPILER}" -std=c99 -Wall -Wextra -pedantic -Werror -g "-I${INCLUDE}" "${SOURCE}" -o "${WORK_DIR}/program" "${LIBRARY}" -lm -pthread
    "-Wl,-rpath,${folder}"
  RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${COMPILER} does not compile ${SOURCE}")
endif()
set(runner "")
if(RUNNER)
  set(runner "${RUNNER}" "--suppressions=${CMAKE_CURRENT_LIST_DIR}/fmus.supp" --quiet --leak-check=full --errors-for-leak-kinds=definite,indirect,possible --error-exitcode=99)
endif()
execute_process(COMMAND ${runner} "${WORK_DIR}/program" "${MODELS}" WORKING_DIRECTORY "${WORK_DIR}" RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${SOURCE}, compiled by ${COMPILER}, ends with ${status}")
endif()
