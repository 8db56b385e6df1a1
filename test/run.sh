#!/bin/sh
# Installs what is missing, builds and runs the tests; from a bare clone, in any directory.
#   sh test/run.sh         everything: optimised, then under AddressSanitizer and UndefinedBehaviorSanitizer
#   sh test/run.sh unit    the unit tests only
set -eu
cd "$(dirname "$0")/.."

jobs=$(nproc)

case "${1:-all}" in
  unit)
    sh cmake/setup.sh
    cmake --preset release
    cmake --build --preset release --target unit_tests
    ctest --preset release --parallel "$jobs" --label-regex '^unit$' --no-tests=error
    ;;
  all)
    sh cmake/setup.sh
    for preset in release asan; do
      echo "== $preset"
      cmake --preset $preset
      cmake --build --preset $preset
      ctest --preset $preset --parallel "$jobs" --no-tests=error
    done
    ;;
  *)
    echo "usage: sh test/run.sh [unit]" >&2
    exit 2
    ;;
esac
