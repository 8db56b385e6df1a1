#!/bin/sh
# Compiles and runs the C program between the ```c fences of a page, and looks for a line of its output.
#   example.sh PAGE COMPILER INCLUDE LIBRARY WORK_DIR LINE
set -eu
rm -rf "$5" && mkdir -p "$5" && cd "$5"
awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$1" > example.c
"$2" -std=c99 -Wall -Wextra -pedantic -Werror -I"$3" example.c -o example "$4" -lm "-Wl,-rpath,$(dirname "$4")"
./example > output
cat output
grep -q "$6" output || { echo "example.sh: the example of $1 prints no line with '$6'" >&2; exit 1; }
