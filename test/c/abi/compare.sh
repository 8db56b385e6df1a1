#!/bin/sh
# The object keeps to the binary interface of the baseline: nothing that was there has gone or is another one.
#   compare.sh CC NM OBJECT HEADER WORK_DIR
set -eu
cc=$1 nm=$2 object=$3 work=$5
header=$(cd "$(dirname "$4")" && pwd)/$(basename "$4")
here=$(cd "$(dirname "$0")" && pwd)
fail() { echo "compare.sh: $*" >&2; exit 1; }
rm -rf "$work"
mkdir -p "$work"

"$cc" -std=c11 -pedantic-errors -Wall -Wextra -Werror "-I$here" "-I$(dirname "$header")" "$here/both.c" -o "$work/both" "$object" \
  "-Wl,-rpath,$(dirname "$object")" || fail "a function, a type or a word is another one than in slideway_1.h"
"$work/both" || fail "sw_abi() is another number than SW_ABI"

"$nm" --dynamic --defined-only --format=posix "$object" | awk '{ sub(/@.*/, "", $1); print $1 }' | LC_ALL=C sort -u > "$work/there"
gone=$(LC_ALL=C comm -23 "$here/functions_1.txt" "$work/there")
[ -z "$gone" ] || fail "these functions have gone: $gone"

command -v abidiff >/dev/null 2>&1 || { echo "compare.sh: there is no abidiff: types are compared by the compiler alone; \`sh cmake/setup.sh c\` installs it"; exit 0; }
sh "$here/stubs.sh" "$header" > "$work/stubs.c"
"$cc" -std=c99 -g -w -fPIC -shared -Wl,-soname,libslideway_c.so.1 "$work/stubs.c" -o "$work/stubs.so"
# What is added is no harm.
abidiff --no-added-syms "$here/slideway_1.abi" "$work/stubs.so" || fail "abidiff finds another interface in the header"
# The object has no types with it: its symbols are compared.
abidiff --no-added-syms "$here/slideway_1.abi" "$object" || fail "abidiff finds another interface in the object"
