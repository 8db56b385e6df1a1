#!/bin/sh
# From a bare clone to a picture: installs what is missing, builds the command, runs the evaporator.
set -eu
cd "$(dirname "$0")/.."

sh cmake/setup.sh
cmake -S . -B build/try -G Ninja -DCMAKE_BUILD_TYPE=Release -DSLIDEWAY_BUILD_TESTS=OFF \
  -DSLIDEWAY_BUILD_BENCHMARKS=OFF -DSLIDEWAY_BUILD_PYTHON=OFF -DSLIDEWAY_UNITY_FILES=20
cmake --build build/try --target slideway_program

picture=$PWD/build/try/evaporator.svg
echo
echo "build/try/bin/slideway run evaporator --plot $picture"
build/try/bin/slideway run evaporator --plot "$picture"
if [ ! -s "$picture" ]; then
  echo "apps/try.sh: the run wrote no picture to $picture" >&2
  exit 1
fi
echo
echo "The picture is $picture"
