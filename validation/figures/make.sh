#!/bin/sh
# Makes the figures of the paper, of Korobitsyn & Frolova, and of the notes on friction:
#     sh validation/figures/make.sh BUILD_DIR [FIGURE…]        e.g. fig10 kf_words
# BUILD_DIR holds the program (bin/slideway). The pictures go beside the scripts, or where SLIDEWAY_FIGURES says.
set -eu
if [ $# -lt 1 ]; then
  echo "usage: sh validation/figures/make.sh BUILD_DIR [FIGURE…]" >&2
  exit 2
fi
figures=$(cd "$(dirname "$0")" && pwd)
slideway=$(cd "$1" && pwd)/bin/slideway
shift
out=${SLIDEWAY_FIGURES:-$figures}
[ -x "$slideway" ] || { echo "make.sh: there is no program $slideway; build slideway_program first" >&2; exit 2; }
command -v gnuplot >/dev/null 2>&1 || { echo "make.sh: gnuplot is needed (Debian: gnuplot-nox)" >&2; exit 2; }

failed=
if [ $# -eq 0 ]; then
  "$slideway" run evaporator --plot "$out/evaporator.svg" --quiet
  set -- $(cd "$figures" && ls fig*.sh kf_*.sh friction_*.sh | sed 's/\.sh$//')
fi
for figure in "$@"; do
  if sh "$figures/$figure.sh" "$slideway" "$out"; then
    echo "$figure.svg"
  else
    echo "make.sh: $figure failed" >&2
    failed=1
  fi
done
[ -z "$failed" ]
