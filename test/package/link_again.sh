#!/bin/sh
# A compiler launcher: instead of compiling, takes the object that the build in $SLIDEWAY_COMPILED_IN made of the same
# source. What has none there is compiled, and so are gallery.cpp and export.cpp, which are told where this build installs the gallery and
# the binary of exported FMUs.
set -eu
object=
previous=
for argument in "$@"; do
  [ "$previous" != -o ] || object=$argument
  previous=$argument
done
case $object in */gallery.cpp.o | */slideway_commands.dir/export.cpp.o) exec "$@" ;; esac
if [ -n "$object" ] && [ -f "$SLIDEWAY_COMPILED_IN/$object" ]; then
  exec cp "$SLIDEWAY_COMPILED_IN/$object" "$object"
fi
exec "$@"
