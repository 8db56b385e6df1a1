#!/bin/sh
# Installs what slideway is built with on Debian 12, as far as it is missing, and nothing else.
#   sh cmake/setup.sh         for the library and the command
#   sh cmake/setup.sh python  for the Python package, its tests and its notebooks, too
#   sh cmake/setup.sh docs    for the manual and its tests, too
#   sh cmake/setup.sh mpi     for sweeps by MPI, too
#   sh cmake/setup.sh c       for the tests of the C interface, too
#   sh cmake/setup.sh octave  for the Octave package and its test, too
#   sh cmake/setup.sh recipes for the tools that read the recipes of other package managers
#   sh cmake/setup.sh packages  for Debian packages and their test, too
#   sh cmake/setup.sh wasm    for the page and the npm package, too; unpacks the sources of SUNDIALS and SuiteSparse in build/sources
#   sh cmake/setup.sh bare    for roots of Debian in which the packages are tried, too
#   sh cmake/setup.sh windows  for slideway.exe and slideway.dll, and for their tests by wine, too; unpacks the same sources
# Run as root or by a user with sudo, from any directory. With nothing missing it needs neither, nor the network.
set -eu

# Tools count as present wherever they come from; libraries are Debian packages.
missing=
need_tool() {  # command package
  command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}
need_package() {
  for package in "$@"; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || status=
    [ "$status" = installed ] || missing="$missing $package"
  done
}

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "cmake/setup.sh: this is not a Debian system. Install by hand: a C++20 compiler, CMake 3.20, Ninja," >&2
  echo "SUNDIALS 6.4 with KLU, Eigen 3.4, Boost 1.74, fmt, toml++, nlohmann-json, CLI11, doctest, gnuplot," >&2
  echo "Google Benchmark, pkg-config, minizip, pugixml; then: cmake -S . -B build && cmake --build build" >&2
  exit 1
fi

need_tool g++ g++
need_tool cmake cmake
need_tool make make
need_tool ninja ninja-build
need_tool pkg-config pkg-config
need_tool gnuplot gnuplot-nox
need_package libsundials-dev libsuitesparse-dev libeigen3-dev libboost-dev libfmt-dev libtomlplusplus-dev nlohmann-json3-dev \
  libcli11-dev doctest-dev libbenchmark-dev libminizip-dev libpugixml-dev
if [ "${1:-}" = python ]; then
  need_package python3-dev pybind11-dev python3-numpy python3-setuptools python3-wheel python3-pip python3-venv python3-scipy \
    python3-pandas python3-xarray python3-matplotlib python3-tqdm python3-pytest python3-hypothesis mypy \
    jupyter-nbconvert python3-ipykernel python3-mpi4py
fi
if [ "${1:-}" = docs ]; then
  need_tool doxygen doxygen
  need_package python3 python3-sphinx python3-myst-parser furo python3-breathe libjs-mathjax python3-jsonschema
fi

if [ "${1:-}" = mpi ]; then
  need_package libopenmpi-dev openmpi-bin
fi

if [ "${1:-}" = c ]; then
  need_tool clang clang
  need_tool tcc tcc
  need_tool valgrind valgrind
  need_tool abidiff abigail-tools
fi

if [ "${1:-}" = octave ]; then
  need_tool mkoctfile octave-dev
fi

if [ "${1:-}" = recipes ]; then
  need_tool yamllint yamllint
  need_tool ruby ruby
  need_tool nix-instantiate nix-bin
fi

if [ "${1:-}" = packages ]; then
  need_package libopenmpi-dev openmpi-bin
  need_tool advzip advancecomp
  need_package dpkg-dev lintian gzip python3-dev pybind11-dev python3-numpy
fi
if [ "${1:-}" = bare ]; then need_package mmdebstrap; fi

sources=
if [ "${1:-}" = wasm ]; then
  need_tool em++ emscripten
  need_tool node nodejs
  need_tool npm npm
  need_tool dpkg-source dpkg-dev
  sources=$(dirname "$0")/../build/sources
fi
if [ "${1:-}" = windows ]; then
  need_tool x86_64-w64-mingw32-g++-posix g++-mingw-w64-x86-64-posix
  need_tool dpkg-source dpkg-dev
  need_tool zip zip
  need_tool unzip unzip
  need_package wine64
  sources=$(dirname "$0")/../build/sources
fi

# SUNDIALS and SuiteSparse from Debian's source packages, in the versions of their libraries, and the mathematical functions of musl. apt
# asks servers that the machine's own list names, for sources; it needs no root for that.
unpack_sources() {
  [ -d "$sources/sundials/src" ] && [ -d "$sources/suitesparse/KLU" ] && [ -d "$sources/musl/src/math" ] && return 0
  rm -rf "$sources"
  mkdir -p "$sources/lists/partial"
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $codename" "Component: main" | head -n 1)
  echo "deb-src ${mirror:-http://deb.debian.org/debian/} $codename main" >"$sources/sources.list"
  (
    cd "$sources"
    apt_sources="-q -o Dir::Etc::SourceList=$PWD/sources.list -o Dir::Etc::SourceParts=- -o Dir::State::Lists=$PWD/lists -o APT::Sandbox::User="
    apt-get $apt_sources update
    for pair in sundials:libsundials-dev suitesparse:libsuitesparse-dev; do
      name=${pair%%:*}
      version=$(dpkg-query -W -f '${source:Version}' "${pair#*:}")
      apt-get $apt_sources source --download-only "$name=$version"
      dpkg-source --no-check -x "$name"_*.dsc "$name" >/dev/null
    done
    apt-get $apt_sources source --download-only musl
    dpkg-source --no-check -x musl_*.dsc musl >/dev/null
    rm -rf lists sources.list ./*.tar.* ./*.dsc
    # Of 250 MB a tenth is compiled.
    mkdir kept kept/musl kept/musl/src
    mv musl/COPYRIGHT musl/arch kept/musl
    mv musl/src/math musl/src/internal kept/musl/src
    rm -rf musl
    mv kept/musl musl
    mv suitesparse/SuiteSparse_config suitesparse/AMD suitesparse/COLAMD suitesparse/BTF suitesparse/KLU kept
    rm -rf suitesparse sundials/doc sundials/examples sundials/test sundials/debian
    mv kept suitesparse
  )
}

if [ -z "$missing" ]; then
  if [ -n "$sources" ]; then unpack_sources; fi
  exit 0
fi

if [ "$(id -u)" -eq 0 ]; then
  as_root=
elif command -v sudo >/dev/null 2>&1; then
  as_root=sudo
else
  echo "cmake/setup.sh: missing packages:$missing" >&2
  echo "Installing them takes root, and there is no sudo here. As root: apt-get install$missing" >&2
  exit 1
fi

echo "Installing:$missing"
# A machine that has just started may be installing its updates: apt-get waits up to ten minutes for dpkg's lock.
# Unquoted on purpose: $as_root may be empty, $missing is a list.
$as_root apt-get -o DPkg::Lock::Timeout=600 update
$as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install --yes --no-install-recommends $missing
if [ -n "$sources" ]; then unpack_sources; fi
