#!/bin/sh
# Packs what windows.sh has built. The same build gives the same bytes: names are sorted, and times and modes are those of no machine.
#   pack_windows.sh BUILD_DIR
set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
umask 022
LC_ALL=C TZ=UTC
export LC_ALL TZ
SOURCE_DATE_EPOCH=$(git -C "$source_dir" log -1 --format=%ct 2>/dev/null || echo 0)

version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
name="slideway-$version-windows-x86_64"
folder="$build/stage/$name"
rm -rf "$build/stage"
cmake --install "$build" --prefix "$folder" --component program
cmake --install "$build" --prefix "$folder" --component c
mkdir -p "$folder/include" "$folder/lib" "$folder/share/doc/slideway"
cp "$source_dir/lib/include/slideway.h" "$folder/include"
cp "$source_dir/LICENSE" "$source_dir/README.md" "$source_dir/CHANGELOG.md" "$folder/share/doc/slideway"
# What a linker needs, that of Visual Studio, too: the names that the DLL exports.
{
  echo "LIBRARY slideway.dll"
  echo "EXPORTS"
  grep -o '^SW_API .*' "$folder/include/slideway.h" | grep -o 'sw_[a-z_]*(' | tr -d '(' | sort -u
} > "$folder/lib/slideway.def"
x86_64-w64-mingw32-dlltool --deterministic-libraries --input-def "$folder/lib/slideway.def" --output-lib "$folder/lib/slideway.lib"
find "$folder" -type d -exec chmod 755 {} +
find "$folder" -type f -exec chmod 644 {} +
find "$folder" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
rm -f "$build/$name.zip"
(cd "$build/stage" && find "$name" | sort | zip -X -9 -q -@ "$build/$name.zip")
echo "$build/$name.zip"
