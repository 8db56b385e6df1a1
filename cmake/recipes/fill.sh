#!/bin/sh
# Fills the recipes in with a release: its version, the address of its source archive, and the archive's sums.
#   fill.sh URL ARCHIVE FOLDER
set -eu
[ $# -eq 3 ] || { echo "fill.sh: expected URL ARCHIVE FOLDER, got $# arguments" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
url=$1 archive=$2 folder=$3
[ -r "$archive" ] || { echo "fill.sh: there is no archive '$archive'; \`git archive\` makes one" >&2; exit 1; }
version=$(sed -n 's/^#define SLIDEWAY_VERSION_[A-Z]* //p' "$here/../../lib/include/slideway/core/version.hpp" | paste -s -d .)
sha256=$(sha256sum "$archive" | cut -d ' ' -f 1)
sha512=$(sha512sum "$archive" | cut -d ' ' -f 1)
for template in "$here"/*/*.in; do
  name=${template#"$here"/}
  target="$folder/${name%.in}"
  mkdir -p "$(dirname "$target")"
  sed -e "s|@VERSION@|$version|g" -e "s|@URL@|$url|g" -e "s|@SHA256@|$sha256|g" -e "s|@SHA512@|$sha512|g" "$template" > "$target"
  echo "$target"
done
