#!/bin/sh
# Makes the Debian packages, has lintian look at them, unpacks them below a folder, and uses them from there.
#   packages.sh SOURCE_DIR BUILD_DIR WORK_DIR UNITY_BUILD PYTHON; what BUILD_DIR has compiled is linked again
set -eu
source_dir=$1 work=$3
export SLIDEWAY_COMPILED_IN="$2"
fail() { echo "packages.sh: $*" >&2; exit 1; }

rm -rf "$work"
mkdir -p "$work/root" "$work/elsewhere"
cd "$source_dir"
cmake --preset packages -B "$work/build" -DCMAKE_CXX_COMPILER_LAUNCHER="$source_dir/test/package/link_again.sh" \
  -DSLIDEWAY_PRECOMPILE_HEADERS=OFF -DSLIDEWAY_UNITY_BUILD="$4" -DSLIDEWAY_BUILD_PYTHON="$5"
cmake --build "$work/build"
(cd "$work/build" && cpack) > "$work/cpack.log" 2>&1 || { cat "$work/cpack.log"; fail "cpack fails"; }
cat "$work/cpack.log"

packages="slideway libslideway0 libslideway-c1 libslideway-dev"
[ "$5" = OFF ] || packages="$packages python3-slideway"
# What needs MPI is packed where there is MPI.
if command -v mpirun >/dev/null 2>&1; then packages="$packages slideway-mpi"; fi
# The manual is packed, or cpack says why not.
grep -q 'There is no package slideway-doc: the manual needs ' "$work/cpack.log" || packages="$packages slideway-doc"
for package in $packages; do
  file=$(echo "$work/build/packages/${package}"_*.deb)
  [ -f "$file" ] || fail "there is no package $package"
  dpkg-deb -x "$file" "$work/root"
done
dpkg-deb -f "$work/build/packages/"slideway_*.deb Depends | grep -q 'libslideway0 (=' || fail "the command does not ask for its library"
lintian --no-cfg --allow-root --fail-on error,warning "$work/build/packages/"*.deb || fail "lintian finds faults"

cd "$work/elsewhere"
root="$work/root/usr"
LD_LIBRARY_PATH=$(dirname "$(find "$root/lib" -name libslideway.so.0)")
export LD_LIBRARY_PATH
[ -e "$root/share/slideway/models/chua.toml" ] || fail "the gallery is not installed"
"$root/bin/slideway" models | grep -q '^gallery/chua ' || fail "the gallery is not listed"
"$root/bin/slideway" run gallery/chua --quiet
"$root/bin/slideway" run evaporator --quiet --plot evaporator.svg
[ -s evaporator.svg ] || fail "there is no picture"
"$root/bin/slideway" export evaporator --quiet
"$root/bin/slideway" run evaporator.fmu --quiet
case $packages in
  *slideway-mpi*)
    dpkg-deb -f "$work/build/packages/"slideway-mpi_*.deb Depends | grep -q 'libopenmpi' || fail "slideway-mpi does not ask for MPI"
    for package in slideway libslideway0; do
      if dpkg-deb -f "$work/build/packages/${package}"_*.deb Depends | grep -q mpi; then fail "$package asks for MPI"; fi
    done
    "$root/bin/slideway" sweep gallery/chua --vary alpha=8:9:4 --t-end 5 --csv alone.csv
    mpirun -n 2 --oversubscribe --allow-run-as-root "$root/bin/slideway" sweep gallery/chua --vary alpha=8:9:4 --t-end 5 --csv together.csv
    cmp alone.csv together.csv || fail "two ranks write another table"
    ;;
esac
case $packages in
  *slideway-doc*)
    manual="$root/share/doc/slideway-doc/html"
    [ -s "$manual/index.html" ] || fail "the manual is not installed"
    grep -q "^Index: /usr/share/doc/slideway-doc/html/index.html" "$root/share/doc-base/slideway-doc.slideway" ||
      fail "the manual is not registered"
    # Scripts are those of Debian, at the end of links that lead out of the package.
    for link in "$manual/_static/mathjax" "$manual/_static/"*.js; do
      [ "$link" != "$manual/_static/documentation_options.js" ] || continue
      [ -L "$link" ] || fail "$link is no link"
      target=$(readlink "$link")
      [ -e "/usr/share/javascript/${target#../../../../javascript/}" ] || fail "$link leads nowhere"
    done
    for script in $(grep -o 'src="_static/[^/"?]*' "$manual/index.html" | sed 's/src="//' | sort -u); do
      [ -e "$manual/$script" ] || [ -L "$manual/$script" ] || fail "the manual lacks $script"
    done
    ;;
esac
if [ "$5" != OFF ]; then
  dpkg-deb -f "$work/build/packages/"python3-slideway_*.deb Depends |
    grep -q "python3 (<< $(/usr/bin/python3 -c 'import sys; print(f"{sys.version_info[0]}.{sys.version_info[1] + 1}")'))" ||
    fail "the module does not ask for the Python it was made for"
  (cd / && PYTHONPATH="$root/lib/python3/dist-packages" /usr/bin/python3 -B -c "
import slideway
assert slideway.load('gallery/chua').name == 'chua'
assert 'gallery/chua' in slideway.catalogue.fields['Control and electronics']")
  PYTHONPATH="$root/lib/python3/dist-packages" /usr/bin/python3 -c "
import slideway
assert slideway.__file__.startswith('$root'), slideway.__file__
print(slideway.solve_ivp(lambda t, y: [-y[0]], (0, 1), [1.0]).y[0, -1])"
fi
cat > program.cpp <<'P'
#include <iostream>
#include <slideway.hpp>
struct Relay {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const { dx[0] = -lambda[0]; }
};
int main() {
  auto system = slideway::from_functor(Relay{}, {.states = 1, .surfaces = 1});
  slideway::Simulator simulator(system, {.rtol = 1e-8, .atol = 1e-10});
  auto solution = simulator.run({.start = 0, .end = 2, .state = Eigen::VectorXd::Ones(1)});
  return solution.events.empty() ? 1 : 0;
}
P
printf '%s\n' 'cmake_minimum_required(VERSION 3.20)' 'project(consumer CXX)' 'find_package(slideway REQUIRED)' \
  'add_executable(consumer program.cpp)' 'target_link_libraries(consumer slideway::slideway)' > CMakeLists.txt
cmake -S . -B build -DCMAKE_PREFIX_PATH="$root"
cmake --build build
build/consumer
