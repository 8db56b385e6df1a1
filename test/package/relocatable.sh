#!/bin/sh
# Makes the relocatable archive and the wheel for every CPython, and uses them where nothing else is.
#   relocatable.sh SOURCE_DIR BUILD_DIR WORK_DIR; what BUILD_DIR has compiled is linked again
set -eu
source_dir=$1 build=$2 work=$3
fail() { echo "relocatable.sh: $*" >&2; exit 1; }

rm -rf "$work"
mkdir -p "$work/once" "$work/somewhere else" "$work/wheel" "$work/site"
sh "$source_dir/cmake/relocatable.sh" "$work/once" "$build" > "$work/log" 2>&1 || { cat "$work/log"; fail "the archive is not made"; }
archive=$(tail -n 1 "$work/log")
# The same build packs the same bytes at another time, in another place and under another mask.
mv "$archive" "$work/first.tar.xz"
(cd / && umask 077 && find "$work/once" -type f -exec touch {} + && TZ=Asia/Tokyo sh "$source_dir/cmake/pack.sh" "$work/once" > /dev/null)
cmp "$archive" "$work/first.tar.xz" || fail "the same build packs another archive"
# Another one, which links anew, does so, too.
if [ "${SLIDEWAY_TWICE:-}" ]; then
  sh "$source_dir/cmake/relocatable.sh" "$work/twice" "$build" > "$work/log" 2>&1
  cmp "$archive" "$(tail -n 1 "$work/log")" || fail "the second archive is another one"
fi

began=$(date +%s%N)
told() { echo "relocatable.sh: from $1 to the evaporator's picture: $((($(date +%s%N) - began) / 1000000)) ms"; }
tar -C "$work/somewhere else" -xf "$archive"
root=$(echo "$work/somewhere else"/slideway-*)
if command -v gnuplot >/dev/null 2>&1; then
  env -i PATH=/usr/bin:/bin "$root/bin/slideway" run evaporator --quiet --plot "$work/evaporator.svg"
  [ -s "$work/evaporator.svg" ] || fail "there is no picture"
  told "the archive"
fi
object="$root/lib/libslideway_c.so.1"
for file in "$root/bin/slideway" "$object" "$root/lib/slideway/libslideway_fmu.so"; do
  needed=$(objdump -p "$file" | awk '$1 == "NEEDED" { print $2 }' | grep -v -E '^(libc|libm|libgcc_s|ld-linux-x86-64)\.so' || true)
  [ -z "$needed" ] || fail "$file needs $needed"
  newest=$(objdump -T "$file" | grep -o 'GLIBC_[0-9.]*' | sort -V | tail -n 1)
  [ "$(printf '%s\n' "$newest" GLIBC_2.34 | sort -V | tail -n 1)" = GLIBC_2.34 ] || fail "$file asks for $newest"
  objdump -p "$file" | grep -E 'RPATH|RUNPATH' && fail "$file looks for libraries in places of its own"
  for folder in "$source_dir" "$work"; do
    grep -q -a -F "$folder" "$file" && fail "$file names the folder $folder, in which it was built"
  done
done
# It writes and reads FMUs.
(cd "$work" && env -i "$root/bin/slideway" export evaporator --quiet && env -i "$root/bin/slideway" run evaporator.fmu --quiet &&
  env -i "$root/bin/slideway" run evaporator.fmu --communication-step 10 --quiet) || fail "an FMU is not written, or does not run"
sh "$source_dir/test/c/names.sh" nm "$object" "$root/include/slideway.h"

# A bare root holds the C library alone, without /proc, by which the command finds its gallery.
bare="$work/bare"
mkdir -p "$bare/tmp"
cp -r "$root" "$bare/slideway"
for library in $(ldd "$root/bin/slideway" | grep -o '/[^ ]*'); do
  mkdir -p "$bare$(dirname "$library")"
  cp -L "$library" "$bare$library"
done
if chroot "$bare" /slideway/bin/slideway --version > "$work/version" 2>&1; then
  chroot "$bare" /slideway/bin/slideway run /slideway/share/slideway/models/chua.toml --quiet || fail "the command does not run in a bare root"
  chroot "$bare" /slideway/bin/slideway run evaporator --quiet --report /tmp/page.html && [ -s "$bare/tmp/page.html" ] || fail "there is no page"
else
  echo "relocatable.sh: no root was made (that takes a superuser): the command is run as it is"
  env -i "$root/bin/slideway" run gallery/chua --quiet || fail "the command does not run"
fi
sh "$source_dir/test/c/example.sh" "$source_dir/README.md" cc "$root/include" "$object" "$work/example" sliding_entry

python3=/usr/bin/python3
$python3 -c 'import numpy' 2>/dev/null || { echo "relocatable.sh: there is no numpy: the wheel is not tried"; exit 0; }
wheel=$($python3 "$source_dir/lib/python/door/wheel.py" "$object" "$work/wheel")
[ "$(stat -c %s "$wheel")" -le 6000000 ] || fail "the wheel has more than 6 MB; without advzip it has: \`sh cmake/setup.sh packages\` installs it"
$python3 -m zipfile -e "$wheel" "$work/site"
cd "$work"
if $python3 -c 'import ensurepip, matplotlib' 2>/dev/null; then
  began=$(date +%s%N)
  $python3 -m venv --system-site-packages "$work/venv"
  env -i HOME="$work" "$work/venv/bin/pip" install --quiet --no-index --no-deps "$wheel"
  env -i HOME="$work" MPLBACKEND=agg "$work/venv/bin/python" -c "
import slideway
slideway.load('evaporator').run().plot().savefig('evaporator-of-wheel.svg')"
  [ -s evaporator-of-wheel.svg ] || fail "there is no picture by the wheel"
  told "the wheel, its environment included,"
fi
PYTHONPATH="$work/site" $python3 -c "
import slideway
assert slideway._core.__file__.endswith('_core.py'), slideway._core.__file__
result = slideway.solve_ivp(lambda t, y: [y[1], -y[0] - 0.4 * (1 if y[1] > 0 else -1)], (0, 20), [2.0, 0.0], rtol=1e-8)
assert [event.kind for event in result.events] == ['crossing', 'sliding_entry'], result.events
assert slideway.load('gallery/chua').run().success
assert '</html>' in result.report()
assert slideway.load('evaporator').run().success
assert slideway.load('evaporator').run(on_ambiguity='branches').success
"
# Every CPython from 3.8 on that is here reads the package and calls the shared object; what has numpy and scipy runs the tests.
cp -r "$source_dir/lib/python/tests" "$work/tests"
cat > "$work/try.py" <<'P'
import ctypes, pathlib, sys
package = pathlib.Path(sys.argv[1])
for path in package.glob("*.py"):
    compile(path.read_text(encoding="utf-8"), str(path), "exec")
library, model, run = ctypes.CDLL(str(package / "libslideway_c.so.1")), ctypes.c_void_p(), ctypes.c_void_p()
library.sw_solve.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
assert library.sw_find_model(b"evaporator", ctypes.byref(model)) == 0
assert library.sw_solve(model, ctypes.byref(run)) == 0
P
for python in $python3 $(ls "$HOME"/.pyenv/versions/*/bin/python 2>/dev/null); do
  $python -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null || continue
  $python "$work/try.py" "$work/site/slideway" || fail "$python does not read the wheel"
  tests="no numpy: no tests"
  if $python -c 'import numpy, pytest, scipy' 2>/dev/null; then
    (cd "$work/tests" && PYTHONPATH="$work/site" $python -m pytest -q -p no:cacheprovider -W ignore test_scipy_ivp.py test_live.py) ||
      fail "the tests of scipy and of live runs do not pass with $python"
    tests="the tests pass"
  fi
  echo "relocatable.sh: $($python -V 2>&1): $tests"
done
