# For the scripts of the figures, each of which is called as `sh figNN.sh SLIDEWAY DIRECTORY` and leaves figNN.svg there.
set -eu
slideway=$1
out=$2
name=$(basename "$0" .sh)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

# A model of the catalogue, a file of models/, or a file anywhere.
find_model() {
  case $1 in
    /*) echo "$1" ;;
    *.toml) echo "$here/models/$1" ;;
    *) echo "$1" ;;
  esac
}

# fill_in MODEL LAW: a file of models/ with its law of friction, in the work directory.
fill_in() {
  sed "s/LAW is filled in\.//; s|LAW|$2|" "$here/models/$1" > "$work/$1"
}

# run DATA MODEL [OPTIONS]: the trajectory as a table. A run that stops early has one too.
run() {
  table=$work/$1
  model=$2
  shift 2
  model=$(find_model "$model")
  "$slideway" run "$model" --csv "$table" --quiet "$@" 2>/dev/null || [ $? -eq 3 ]
  test -s "$table"
}

# compare DATA MODEL CHECKPOINTS [OPTIONS]: the states of every method, a row for each checkpoint.
compare() {
  table=$work/$1
  model=$2
  points=$3
  shift 3
  model=$(find_model "$model")
  "$slideway" compare "$model" --csv "$table" --checkpoints "$points" --levels 0 --repeats 1 --max-evaluations 20000 --quiet "$@"
}

# method DATA METHOD: the rows of one method.
method() {
  awk -F, -v wanted="$2" '$1 == wanted' "$work/$1"
}

# draw WIDTH HEIGHT < SCRIPT: the picture, whole or not at all.
draw() {
  {
    echo "set terminal svg size $1,$2 dynamic enhanced font 'DejaVu Sans,13' background 'white'"
    echo "set encoding utf8; set datafile separator ','; set border linewidth 0.6; set tics nomirror"
    echo "blue = '#0072B2'; orange = '#D55E00'; green = '#009E73'; pink = '#CC79A7'; sky = '#56B4E9'; yellow = '#E69F00'; grey = '#777777'"
    echo "set key samplen 2.5; set style line 10 linecolor rgb '#444444' linewidth 1.2 dashtype (7,5)"
    echo "slides(mode) = strstrt(mode, '0') > 0"
    cat
  } > "$work/picture.gp"
  (cd "$work" && gnuplot picture.gp > picture.svg)
  grep -q '</svg>' "$work/picture.svg"
  # gnuplot's empty groups are a third of a file.
  sed -e '/^<g /{N;/\n<\/g>$/d;}' -e 's/^\t*//' "$work/picture.svg" > "$work/small.svg"
  mv "$work/small.svg" "$out/$name.svg"
}
