#!/bin/sh
# Exports what fmus_test.c reads.
#   fmus.sh PROGRAM FOLDER
set -eu
program=$1
rm -rf "$2"
mkdir -p "$2"
cd "$2"
cat > block.toml <<'T'
name = "block"
[parameters]
mu = 1.0
u = 0.0
[states]
x = 0.0
v = 1.0
[time]
end = 2.0
[surfaces]
rest = "v"
[derivatives]
x = "v"
v = "u - mu*sgn(rest)"
T
cp block.toml text.fmu
for version in 2 3; do
  "$program" export ./block.toml --quiet --fmu "$version.0" --input u --out "block$version.fmu"
done
