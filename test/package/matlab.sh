#!/bin/sh
# The functions for Octave keep to what MATLAB has, too: the C file to its documented interface, the others to its language.
#   matlab.sh SOURCE_DIR CC
set -eu
source_dir=$1
fail() { echo "matlab.sh: $*" >&2; exit 1; }

"$2" -std=c99 -fsyntax-only -Wall -Wextra -pedantic -Werror "-I$source_dir/test/package/matlab" "-I$source_dir/lib/include" \
  "$source_dir/lib/octave/src/slideway_mex.c" || fail "slideway_mex.c is not made of MATLAB's documented functions"

# Tests after the function are comments in MATLAB. Words, operators, comments and texts of Octave alone are errors there.
octave_alone='\b(end(function|if|for|while|switch)|until|unwind_protect|printf|puts)\b|!|#|"|\+=|-=|\+\+|= *[a-z]+ *= '
for file in "$source_dir"/lib/octave/inst/*.m "$source_dir"/lib/octave/inst/private/*.m "$source_dir"/lib/octave/src/*.m; do
  found=$(sed '/^%/d' "$file" | grep -nE "$octave_alone" | head -n 1)
  [ -z "$found" ] || fail "$file has what MATLAB does not read: $found"
  name=$(basename "$file" .m)
  grep -qE "^function (.*= )?$name \(" "$file" || fail "$file has no function $name"
done
