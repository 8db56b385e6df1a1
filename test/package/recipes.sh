#!/bin/sh
# Fills the recipes for other package managers in, and reads each by the tool for its language, where that is here.
#   recipes.sh SOURCE_DIR WORK_DIR
set -eu
source_dir=$(cd "$1" && pwd) work=$2
fail() { echo "recipes.sh: $*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1 || { echo "recipes.sh: there is no $1: $2 is not read by it; \`sh cmake/setup.sh recipes\` installs it"; return 1; }; }

rm -rf "$work"
mkdir -p "$work"
echo "an archive" > "$work/slideway.tar.gz"
sh "$source_dir/cmake/recipes/fill.sh" https://example.org/slideway.tar.gz "$work/slideway.tar.gz" "$work" > "$work/files"
[ "$(wc -l < "$work/files")" -eq 7 ] || fail "some recipe is missing: $(cat "$work/files")"
xargs grep -n '@[A-Z0-9]*@' < "$work/files" && fail "a recipe is not filled in"
xargs grep -n "$source_dir" < "$work/files" && fail "a recipe names a folder of this machine"

/usr/bin/python3 - "$work" <<'P' || fail "a recipe is no JSON or Python"
import ast, json, pathlib, sys
work = pathlib.Path(sys.argv[1])
json.loads((work / "vcpkg/vcpkg.json").read_text())
ast.parse((work / "spack/package.py").read_text())
P
# Conda's templates are YAML once they are rendered; what is in them stands for itself.
sed -e '/^{%/{N;d}' -e 's/{{ *\([a-z]*\)[^}]*}}/\1/g' "$work/conda-forge/meta.yaml" > "$work/rendered.yaml"
if /usr/bin/python3 -c 'import yaml' 2>/dev/null; then
  for file in "$work/rendered.yaml" "$work/github/release.yml"; do
    /usr/bin/python3 -c 'import sys, yaml; yaml.safe_load(open(sys.argv[1]))' "$file" || fail "$file is no YAML"
  done
fi
if have yamllint "the workflow"; then
  yamllint -d '{extends: default, rules: {line-length: disable, document-start: disable}}' "$work/rendered.yaml" "$work/github/release.yml" || fail "yamllint finds faults"
fi
if command -v actionlint >/dev/null 2>&1; then actionlint "$work/github/release.yml" || fail "actionlint finds faults"; fi # Debian has none
if have ruby "the formula"; then ruby -c "$work/homebrew/slideway.rb" > /dev/null || fail "the formula is no Ruby"; fi
if have nix-instantiate "the derivation"; then
  HOME=$work NIX_STORE_DIR=$work/store NIX_STATE_DIR=$work/state nix-instantiate --parse "$work/nix/default.nix" > /dev/null || fail "the derivation is no Nix"
fi
# A script of CMake that defines what vcpkg would have.
cat > "$work/port.cmake" <<'C'
foreach(command vcpkg_download_distfile vcpkg_extract_source_archive vcpkg_cmake_configure vcpkg_cmake_install vcpkg_cmake_config_fixup
    vcpkg_fixup_pkgconfig vcpkg_copy_tools vcpkg_install_copyright)
  cmake_language(EVAL CODE "macro(${command})\nendmacro()")
endforeach()
set(CURRENT_PACKAGES_DIR "${CMAKE_CURRENT_LIST_DIR}/port")
include("${CMAKE_CURRENT_LIST_DIR}/vcpkg/portfile.cmake")
C
cmake -P "$work/port.cmake" || fail "the port is no CMake"
# Options that are set exist.
xargs grep -oh "SLIDEWAY_[A-Z_]*" < "$work/files" | sort -u > "$work/options"
while read -r option; do
  grep -rq "option($option " "$source_dir/CMakeLists.txt" "$source_dir/cmake" "$source_dir/lib/CMakeLists.txt" || fail "there is no option $option"
done < "$work/options"
