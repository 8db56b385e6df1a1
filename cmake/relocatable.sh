#!/bin/sh
# Makes slideway-VERSION-linux-x86_64.tar.xz: the command, the C interface, the gallery and the manual page, which need nothing but a glibc
# from 2.34 on, wherever they are unpacked. The same source gives the same bytes.
#   relocatable.sh BUILD_DIR [COMPILED_IN]; what the release build COMPILED_IN has compiled is linked again
set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd)
build=$1
# Objects that are taken over do not tell what they depend on.
[ -z "${2:-}" ] || rm -rf "$build"
mkdir -p "$build"
build=$(cd "$build" && pwd)
if [ -n "${2:-}" ]; then
  SLIDEWAY_COMPILED_IN=$(cd "$2" && pwd)
  export SLIDEWAY_COMPILED_IN
  launcher="-DCMAKE_CXX_COMPILER_LAUNCHER=$source_dir/test/package/link_again.sh"
fi
# Debian's time stamps of sources: that of the last commit, or none.
SOURCE_DATE_EPOCH=$(git -C "$source_dir" log -1 --format=%ct 2>/dev/null || echo 0)
export SOURCE_DATE_EPOCH

cmake -S "$source_dir" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_LIBDIR=lib -DSLIDEWAY_RELOCATABLE=ON \
  -DSLIDEWAY_BUILD_TESTS=OFF -DSLIDEWAY_BUILD_BENCHMARKS=OFF -DSLIDEWAY_BUILD_PYTHON=OFF -DSLIDEWAY_BUILD_MPI=OFF \
  -DSLIDEWAY_PRECOMPILE_HEADERS=OFF ${launcher:+"$launcher"}
cmake --build "$build" --target slideway_program slideway_c slideway_fmu

sh "$source_dir/cmake/pack.sh" "$build"
