#!/bin/sh
# Writes C that defines every function of a header of the C interface, so that abidw and abidiff can tell their types from its object.
#   stubs.sh HEADER
# A baseline is made of it by `cc -std=c99 -g -w -fPIC -shared -Wl,-soname,libslideway_c.so.1 stubs.c -o stubs.so` and
# `abidw --no-corpus-path --no-comp-dir-path --no-show-locs stubs.so`.
set -eu
echo "#define SLIDEWAY_BUILDING_C"
echo "#include \"$1\""
# A declaration ends at the first semicolon; its parameters have no parentheses of their own.
awk '/^SW_API /{ inside = 1; text = "" }
     inside { text = text " " $0 }
     inside && /;/ { sub(/;.*/, "", text); sub(/SW_API /, "", text); print text (text ~ /^ *void sw_/ ? " {}" : " { return 0; }"); inside = 0 }' "$1"
