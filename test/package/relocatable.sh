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

tar -C "$work/somewhere else" -xf "$archive"
root=$(echo "$work/somewhere else"/slideway-*)
object="$root/lib/libslideway_c.so.1"
for file in "$root/bin/slideway" "$object"; do
  needed=$(objdump -p "$file" | awk '$1 == "NEEDED" { print $2 }' | grep -v -E '^(libc|libm|libgcc_s|ld-linux-x86-64)\.so' || true)
  [ -z "$needed" ] || fail "$file needs $needed"
  newest=$(objdump -T "$file" | grep -o 'GLIBC_[0-9.]*' | sort -V | tail -n 1)
  [ "$(printf '%s\n' "$newest" GLIBC_2.34 | sort -V | tail -n 1)" = GLIBC_2.34 ] || fail "$file asks for $newest"
  objdump -p "$file" | grep -E 'RPATH|RUNPATH' && fail "$file looks for libraries in places of its own"
  for folder in "$source_dir" "$work"; do
    grep -q -a -F "$folder" "$file" && fail "$file names the folder $folder, in which it was built"
  done
done
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
[ "$(stat -c %s "$wheel")" -le 6000000 ] || fail "the wheel has more than 6 MB"
$python3 -m zipfile -e "$wheel" "$work/site"
cd "$work"
PYTHONPATH="$work/site" $python3 -c "
import slideway
assert slideway._core.__file__.endswith('_core.py'), slideway._core.__file__
result = slideway.solve_ivp(lambda t, y: [y[1], -y[0] - 0.4 * (1 if y[1] > 0 else -1)], (0, 20), [2.0, 0.0], rtol=1e-8)
assert [event.kind for event in result.events] == ['crossing', 'sliding_entry'], result.events
assert slideway.load('gallery/chua').run().success
assert '</html>' in result.report()
try:
    slideway.load('evaporator')
except NotImplementedError as error:
    assert 'compiled module' in str(error)
"
if $python3 -c 'import pytest, scipy' 2>/dev/null; then
  cp -r "$source_dir/lib/python/tests" "$work/tests"
  (cd "$work/tests" && PYTHONPATH="$work/site" $python3 -m pytest -q -p no:cacheprovider -W ignore test_scipy_ivp.py) || fail "scipy's tests do not pass"
fi
