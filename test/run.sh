#!/bin/sh
# Installs what is missing, builds and runs the tests; from a bare clone, in any directory.
#   sh test/run.sh         every test, optimised
#   sh test/run.sh unit    the unit tests only
#   sh test/run.sh web     the tests of the page and the npm package only, compared with the native command
#   sh test/run.sh windows the package for Windows: the command's tests and programs in C, by wine
#   sh test/run.sh bare    whether each package goes from nothing to a picture within a minute, in a root of Debian of its own; as root
#   sh test/run.sh clang   whether clang compiles the library and the command
#   sh test/run.sh asan    the unit tests under AddressSanitizer and UndefinedBehaviorSanitizer
set -eu
cd "$(dirname "$0")/.."

jobs=$(nproc)

set_up() {
  for what; do sh cmake/setup.sh "$what"; done
}

# The library is compiled a second time, by emscripten.
web() {
  sh cmake/setup.sh wasm
  cmake --preset wasm
  cmake --build --preset wasm
  ctest --preset wasm --no-tests=error
}

case "${1:-all}" in
  unit)
    sh cmake/setup.sh
    cmake --preset release
    cmake --build --preset release --target unit_tests
    ctest --preset release --parallel "$jobs" --label-regex '^unit$' --no-tests=error
    ;;
  all)
    set_up python docs mpi c octave packages
    cmake --preset release
    cmake --build --preset release
    ctest --preset release --parallel "$jobs" --no-tests=error
    if command -v em++ >/dev/null 2>&1; then
      web
    else
      echo "test/run.sh: there is no emscripten, so the page and the npm package are not tested; \`sh test/run.sh web\` installs it" >&2
    fi
    ;;
  web)
    sh cmake/setup.sh
    cmake --preset release
    cmake --build --preset release --target slideway_program
    web
    ;;
  windows)
    sh cmake/setup.sh
    sh cmake/setup.sh windows
    cmake --preset release
    cmake --build --preset release --target test_cli
    sh test/windows/windows.sh "$PWD" "$PWD/build/release" "$PWD/build/windows" "$PWD/build/windows-tests"
    ;;
  bare)
    set_up python docs c octave packages bare
    cmake --preset release
    cmake --build --preset release
    ctest --preset release --tests-regex '^package/(debian|relocatable)$' --no-tests=error
    made="$PWD/build/release/test/package"
    sh test/package/bare.sh "$PWD" "$(echo "$made"/relocatable/once/slideway-*.tar.xz)" "$made/debian/build/packages" "$PWD/build/bare"
    ;;
  asan)
    sh cmake/setup.sh
    cmake --preset asan
    cmake --build --preset asan --target unit_tests
    ctest --preset asan --parallel "$jobs" --label-regex '^unit$' --no-tests=error
    ;;
  clang)
    sh cmake/setup.sh c
    cmake --preset clang
    cmake --build --preset clang
    ;;
  *)
    echo "usage: sh test/run.sh [unit|web|windows|bare|asan|clang]" >&2
    exit 2
    ;;
esac
