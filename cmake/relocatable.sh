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
cmake --build "$build" --target slideway_program slideway_c

version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
name="slideway-$version-linux-$(uname -m)"
rm -rf "$build/stage"
cmake --install "$build" --prefix "$build/stage/$name" --component program
cmake --install "$build" --prefix "$build/stage/$name" --component c
mkdir -p "$build/stage/$name/include" "$build/stage/$name/share/doc/slideway"
ln -sf libslideway_c.so.1 "$build/stage/$name/lib/libslideway_c.so"
cp "$source_dir/lib/include/slideway.h" "$build/stage/$name/include"
cp "$source_dir/LICENSE" "$source_dir/README.md" "$source_dir/CHANGELOG.md" "$build/stage/$name/share/doc/slideway"
tar --create --directory "$build/stage" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=go-w \
  "$name" | xz -9e --threads=1 > "$build/$name.tar.xz"
echo "$build/$name.tar.xz"
