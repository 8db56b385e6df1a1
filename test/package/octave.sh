#!/bin/sh
# Installs the Octave package into a folder, runs its tests and the examples of the manual, and compares models of the gallery with the command, to the last bit.
#   octave.sh SOURCE_DIR OBJECT PROGRAM WORK_DIR
set -eu
source_dir=$1 object=$2 program=$3 work=$4
fail() { echo "octave.sh: $*" >&2; exit 1; }

rm -rf "$work"
mkdir -p "$work/slideway/lib" "$work/slideway/include" "$work/packages"
cp -L "$object" "$work/slideway/lib/libslideway_c.so.1"
cp "$source_dir/lib/include/slideway.h" "$work/slideway/include"
package=$(sh "$source_dir/lib/octave/package.sh" "$work")
export SLIDEWAY="$work/slideway"
octave_() { octave-cli --no-init-file --quiet --eval "pkg prefix $work/packages $work/packages; pkg local_list $work/list; $1"; }
began=$(date +%s%N)
octave_ "pkg install $package" 2> "$work/errors" || fail "the package is not installed"
octave_ "pkg load slideway; r = slideway_solve ('evaporator'); assert (strcmp (r.status, 'reached_end'))" || fail "the evaporator does not run"
echo "octave.sh: from the package to the evaporator's curves: $((($(date +%s%N) - began) / 1000000)) ms"
octave_ "pkg load slideway; for name = {'slideway_solve', 'slide45'}, [passed, all] = test (name{1}); \
  if (passed != all || all == 0) test (name{1}); error ('a test fails'); endif; endfor" || fail "a test of the package fails"

# The examples of the manual.
for page in octave howto/matlab; do
  { echo 'function plot (varargin), end  % fonts may be missing'; sed -n '/^```octave$/,/^```$/p' "$source_dir/lib/docs/$page.md" | grep -v '^```'; } > "$work/page.m"
  (cd "$source_dir" && octave_ "pkg load slideway; source ('$work/page.m')" > /dev/null) || fail "an example of $page.md does not run"
done

models=$(ls "$source_dir"/models/gallery/*.toml | head -n 24 | tail -n 20)
for model in $models; do
  "$program" run "$model" --audit off --json - > "$work/run.json" 2> "$work/errors" || [ $? -eq 2 ] || { cat "$work/errors"; fail "$model does not run"; }
  cp "$work/run.json" "$work/$(basename "$model").json"
done
cat > "$work/compare.m" <<'M'
files = strsplit (strtrim (getenv ("MODELS")));
for k = 1:numel (files)
  [~, name] = fileparts (files{k});
  whole = jsondecode (fileread (fullfile (getenv ("WORK"), [name, ".toml.json"])));
  result = slideway_solve (files{k}, [], slideway_options ("audit", "off", "recording", "dense"));
  ## jsondecode rounds the last bit of numbers.
  state = regexp (fileread (fullfile (getenv ("WORK"), [name, ".toml.json"])), '"final": [^\n]*?"state":\{([^}]*)\}', "tokens"){1}{1};
  command = cellfun (@(number) str2double (number{1}), regexp (state, ':([-+.0-9eE]+)', "tokens")).';
  if (! isequal (command, result.final) || numel (whole.events) != numel (result.events))
    error ("%s ends elsewhere than by the command", name);
  endif
endfor
printf ("%d models end as by the command, to the last bit\n", numel (files));
M
MODELS=$models WORK=$work octave_ "pkg load slideway; run ('$work/compare.m')" || fail "a model is not the same"
