#!/bin/sh
# The half of gnuplot.exe that runs on this machine.
#   gnuplot.sh PLACE; the script is PLACE.in
PATH=${SLIDEWAY_PATH:-/usr/bin:/bin}
status=0
gnuplot -d < "$1.in" > "$1.out" 2> "$1.err" || status=$?
echo "$status" > "$1.part"
mv "$1.part" "$1.end"
