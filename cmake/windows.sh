#!/bin/sh
# Makes slideway-VERSION-windows-x86_64.zip by Debian's mingw-w64: the command, the DLL of the C interface with its header and what linkers
# need, and the gallery. It needs the DLLs of Windows alone, wherever it is unpacked. The same source gives the same bytes.
#   windows.sh [BUILD_DIR]; build/windows, if it is left out. `sh cmake/setup.sh windows` installs what this needs
set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd)
cd "$source_dir"
build=${1:-build/windows}
# Debian's time stamps of sources: that of the last commit, or none.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 0)
export SOURCE_DATE_EPOCH
cmake --preset windows -B "$build"
cmake --build "$build" --target slideway_program slideway_validate_program slideway_c
sh cmake/pack_windows.sh "$build"
