#!/bin/sh
# Makes slideway-VERSION.tar.gz, which `pkg install` of Octave takes; it is compiled there, against an installed slideway.
#   package.sh FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
version=$(sed -n 's/^#define SLIDEWAY_VERSION_[A-Z]* //p' "$here/../include/slideway/core/version.hpp" | paste -s -d .)
mkdir -p "$1"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir "$stage/slideway-$version"
cp -r "$here/inst" "$here/src" "$here/INDEX" "$stage/slideway-$version"
cp "$here/../../LICENSE" "$stage/slideway-$version/COPYING"
sed "s/@VERSION@/$version/" "$here/DESCRIPTION.in" > "$stage/slideway-$version/DESCRIPTION"
tar --create --directory "$stage" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner "slideway-$version" | gzip -9 -n > "$1/slideway-$version.tar.gz"
echo "$1/slideway-$version.tar.gz"
