#!/bin/sh
# Packs what relocatable.sh has built. The same build gives the same bytes: names are sorted, and times, owners and modes are those of no machine.
#   pack.sh BUILD_DIR
set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
umask 022
LC_ALL=C TZ=UTC
export LC_ALL TZ
# Debian's time stamps of sources: that of the last commit, or none.
SOURCE_DATE_EPOCH=$(git -C "$source_dir" log -1 --format=%ct 2>/dev/null || echo 0)
export SOURCE_DATE_EPOCH

version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
name="slideway-$version-linux-$(uname -m)"
rm -rf "$build/stage"
cmake --install "$build" --prefix "$build/stage/$name" --component program
cmake --install "$build" --prefix "$build/stage/$name" --component c
mkdir -p "$build/stage/$name/include" "$build/stage/$name/share/doc/slideway"
ln -sf libslideway_c.so.1 "$build/stage/$name/lib/libslideway_c.so"
cp "$source_dir/lib/include/slideway.h" "$build/stage/$name/include"
cp "$source_dir/LICENSE" "$source_dir/README.md" "$source_dir/CHANGELOG.md" "$build/stage/$name/share/doc/slideway"
tar --create --directory "$build/stage" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
  "$name" | xz -9e --threads=1 > "$build/$name.tar.xz"
echo "$build/$name.tar.xz"
