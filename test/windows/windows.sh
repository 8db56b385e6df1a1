#!/bin/sh
# Makes the package for Windows, looks at what it asks of the system, and runs it by wine: the command with the command's own tests, and
# programs in C with the DLL.
#   windows.sh SOURCE_DIR NATIVE_BUILD_DIR BUILD_DIR WORK_DIR
set -eu
source_dir=$1 native=$2 build=$3 work=$4
here="$source_dir/test/windows"
fail() { echo "windows.sh: $*" >&2; exit 1; }

rm -rf "$work"
mkdir -p "$work/exchange" "$work/bin" "$work/Ein Ordner für slideway"
sh "$source_dir/cmake/windows.sh" "$build" > "$work/log" 2>&1 || { tail -n 40 "$work/log"; fail "the package is not made"; }
package=$(tail -n 1 "$work/log")
# The same build packs the same bytes at another time, in another place and under another mask.
cp "$package" "$work/first.zip"
(cd / && umask 077 && TZ=Asia/Tokyo sh "$source_dir/cmake/pack_windows.sh" "$build" > /dev/null)
cmp "$package" "$work/first.zip" || fail "the same build packs another package"
# Linked anew, the programs are the same as well.
(cd "$build" && rm -f bin/slideway.exe bin/slideway.dll && cmake --build . --target slideway_program slideway_c > "$work/log" 2>&1)
sh "$source_dir/cmake/pack_windows.sh" "$build" > /dev/null
cmp "$package" "$work/first.zip" || fail "what is linked anew is another package"

unzip -q "$package" -d "$work/Ein Ordner für slideway"
root=$(echo "$work/Ein Ordner für slideway"/slideway-*)
library="$root/bin/slideway.dll"
for file in "$root/bin/slideway.exe" "$library"; do
  needed=$(x86_64-w64-mingw32-objdump -p "$file" | awk '/DLL Name:/ { print tolower($3) }' |
    grep -v -E '^(kernel32|msvcrt|shell32|advapi32|user32)\.dll$' || true)
  [ -z "$needed" ] || fail "$file needs $needed"
  for folder in "$source_dir" "$work"; do
    if grep -q -a -F "$folder" "$file"; then fail "$file names the folder $folder, in which it was built"; fi
  done
done
x86_64-w64-mingw32-objdump -p "$library" | awk '/^\[Ordinal\/Name Pointer\]/ { inside = 1; next } inside && NF == 0 { exit } inside { print $NF }' |
  sort -u > "$work/exported"
sed -n '/^EXPORTS/,$p' "$root/lib/slideway.def" | tail -n +2 | diff - "$work/exported" || fail "the DLL exports other names than slideway.h declares"

# Wine has a home of its own, and its server stays between the programs.
wine=/usr/lib/wine/wine64
[ -x "$wine" ] || wine=$(command -v wine64) || fail "there is no wine64; \`sh cmake/setup.sh windows\` installs it"
WINEPREFIX="$work/wine" WINEDEBUG=-all WINEDLLOVERRIDES="mscoree=;mshtml=" WINEPATH="Z:$(echo "$work/bin" | tr / '\\')"
SLIDEWAY_EXCHANGE="$work/exchange" SLIDEWAY_GNUPLOT="$here/gnuplot.sh"
export WINEPREFIX WINEDEBUG WINEDLLOVERRIDES WINEPATH SLIDEWAY_EXCHANGE SLIDEWAY_GNUPLOT
"$wine" wineboot --init > /dev/null 2>&1 || fail "wine does not begin"
server=$(ls /usr/lib/wine/wineserver64 /usr/lib/wine/wineserver 2>/dev/null | head -n 1)
"$server" -p600 2>/dev/null || true
trap '"$server" -k 2>/dev/null || true' EXIT
printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$wine" "$root/bin/slideway.exe" > "$work/slideway"
chmod +x "$work/slideway"

began=$(date +%s%N)
told() { echo "windows.sh: $1: $((($(date +%s%N) - began) / 1000000)) ms"; }
cd "$work"
"$work/slideway" run evaporator --quiet --report page.html || fail "the command does not run"
grep -q '</html>' page.html || fail "there is no page"
told "a page of the evaporator"
"$work/slideway" run gallery/chua --quiet || fail "the gallery is not found"
# Names of files are Unicode, in arguments, in model files and in messages.
printf 'name = "Öl"\n[states]\nx = 1\n[time]\nend = 1\n[derivatives]\nx = "-x"\n' > "$work/Моделӓ größe.toml"
"$work/slideway" run "Моделӓ größe.toml" --quiet --csv "τροχιά.csv" || fail "names that are not ASCII are not understood"
[ -s "$work/τροχιά.csv" ] || fail "the table has another name"
"$work/slideway" run "Kälte.toml" 2> "$work/told" && fail "a file that is not there is run"
grep -q "Kälte.toml" "$work/told" || { cat "$work/told"; fail "the message has another name"; }
# Without gnuplot there is a message and status 1.
status=0
"$work/slideway" run evaporator --quiet --plot none.svg 2> "$work/told" || status=$?
[ "$status" -eq 1 ] && grep -q 'gnuplot cannot be run' "$work/told" || { cat "$work/told"; fail "what is said of gnuplot is not that it is missing"; }
gcc=x86_64-w64-mingw32-gcc-posix
"$gcc" -std=c99 -O1 "$here/gnuplot.c" -o "$work/bin/gnuplot.exe" -static || fail "gnuplot.exe is not compiled"
if command -v gnuplot > /dev/null 2>&1; then
  began=$(date +%s%N)
  "$work/slideway" run evaporator --quiet --plot evaporator.svg || fail "the picture is not drawn"
  grep -q '</svg>' evaporator.svg || fail "there is no picture"
  told "a picture of the evaporator"
fi

# Programs in C, with the import library of the package; the tests of the C interface and the examples of the pages.
for name in models callbacks searches live physics findings; do
  mkdir -p "$work/c/$name"
  cp "$library" "$work/c/$name"
  (
    cd "$work/c/$name"
    "$gcc" -std=c99 -Wall -Wextra -pedantic -Werror -D__USE_MINGW_ANSI_STDIO=1 -I"$root/include" "$source_dir/test/c/${name}_test.c" -o program.exe \
      "$root/lib/slideway.lib" -lm -pthread -static
    "$wine" program.exe "$source_dir/models/gallery" > output || { cat output; exit 1; }
  ) || fail "the test of C, $name, does not pass"
  echo "windows.sh: the test of C, $name, passes"
done
for page in README.md lib/docs/c.md; do
  mkdir -p "$work/c/example"
  cp "$library" "$work/c/example"
  (
    cd "$work/c/example"
    awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$source_dir/$page" > example.c
    "$gcc" -std=c99 -Wall -Wextra -pedantic -Werror -I"$root/include" example.c -o example.exe "$root/lib/slideway.lib" -static
    "$wine" example.exe > output
    grep -q sliding_entry output
  ) || fail "the example of $page does not run"
  echo "windows.sh: the example of $page runs"
done

# The tests of the command. The program of Linux runs nothing here but its own tests.
sed -n 's/^[^#|]* | //p' "$here/cannot_run.txt" | sed 's/[][()^$.*+?{}|\\]/\\&/g' | sed 's|^|^cli/|; s|$|$|' > "$work/left_out"
left_out=$(paste -s -d '|' "$work/left_out")
SLIDEWAY_PROGRAM="$work/slideway" ctest --test-dir "$native" --tests-regex '^cli/' ${left_out:+--exclude-regex "$left_out"} --parallel "$(nproc)" \
  --output-on-failure --timeout 1800 --no-tests=error > "$work/tests" 2>&1 || { tail -n 200 "$work/tests"; fail "a test of the command does not pass"; }
grep 'tests passed' "$work/tests"
echo "windows.sh: $(wc -l < "$work/left_out") tests of the command are left out; cannot_run.txt says why"
