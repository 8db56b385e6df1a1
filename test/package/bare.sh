#!/bin/sh
# From nothing to the evaporator's picture by the archive, the Debian packages, the wheel and the Octave package: each in a root of Debian 12 of
# its own, which mmdebstrap makes with the fewest packages (minbase). What a package needs comes from Debian, as a user would get it. The time
# for that is told apart; for the Debian packages it is the download alone, since one command installs them with what they need.
#   bare.sh SOURCE_DIR ARCHIVE FOLDER_OF_DEBS WORK_DIR [DOOR]…; takes a superuser and Debian's mirror
set -eu
source_dir=$1 archive=$2 debs=$3 work=$4
shift 4
fail() { echo "bare.sh: $*" >&2; exit 1; }
doors=${*:-archive debs wheel octave}

mkdir -p "$work/files"
if [ ! -s "$work/base.tar" ]; then
  mmdebstrap --quiet --variant=minbase bookworm "$work/part.tar" > "$work/log" 2>&1 || { cat "$work/log"; fail "there is no root of Debian"; }
  mv "$work/part.tar" "$work/base.tar"
fi
rm -rf "$work/files"
mkdir -p "$work/files"
cp "$archive" "$work/files"
tar -C "$work/files" -xf "$archive"
folder=$(basename "$archive" .tar.xz)
/usr/bin/python3 "$source_dir/lib/python/door/wheel.py" "$work/files/$folder/lib/libslideway_c.so.1" "$work/files" > /dev/null
sh "$source_dir/lib/octave/package.sh" "$work/files" > /dev/null
rm -rf "$work/files/$folder"
cp "$debs"/slideway_*.deb "$debs"/libslideway0_*.deb "$work/files"

milliseconds() { echo $(($(date +%s%N) / 1000000)); }
# Calls its arguments in the root, with no variable of this machine.
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/root DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }
install() { inside sh -c "apt-get install --yes --no-install-recommends $*" > "$work/log" 2>&1 || { tail -n 20 "$work/log"; fail "apt-get does not install $*"; }; }

for door in $doors; do
  root="$work/$door"
  rm -rf "$root"
  mkdir -p "$root"
  tar -C "$root" -xf "$work/base.tar" --exclude=./dev
  mkdir -p "$root/dev"
  for device in null:1:3 zero:1:5 random:1:8 urandom:1:9 tty:5:0; do
    IFS=: read -r name major minor <<D
$device
D
    mknod -m 666 "$root/dev/$name" c "$major" "$minor"
  done
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  cp "$work"/files/* "$root/tmp"
  inside apt-get update > "$work/log" 2>&1 || { cat "$work/log"; fail "there is no mirror"; }
  began=$(milliseconds)
  # What the door needs beside itself.
  case $door in
    archive) install gnuplot-nox xz-utils ;;
    debs) install --download-only gnuplot-nox '/tmp/libslideway0_*.deb /tmp/slideway_*.deb' ;;
    wheel) install python3-venv python3-numpy python3-matplotlib ;;
    octave) install octave octave-dev make fonts-freefont-otf gnuplot-nox xz-utils ;;
  esac
  ready=$(milliseconds)
  case $door in
    archive)
      inside sh -c "cd /tmp && tar xf $folder.tar.xz && $folder/bin/slideway run evaporator --plot evaporator.svg" ;;
    debs)
      install gnuplot-nox '/tmp/libslideway0_*.deb /tmp/slideway_*.deb'
      inside sh -c "cd /tmp && slideway run evaporator --plot evaporator.svg" ;;
    wheel)
      inside sh -c "cd /tmp && python3 -m venv --system-site-packages venv && venv/bin/pip install --quiet --no-index --no-deps slideway-*.whl &&
        MPLBACKEND=agg venv/bin/python -c \"import slideway; slideway.load('evaporator').run().plot().savefig('evaporator.svg')\"" ;;
    octave)
      inside sh -c "cd /tmp && tar xf $folder.tar.xz && SLIDEWAY=/tmp/$folder octave-cli --quiet --eval \"pkg install $(basename "$work"/files/slideway-*.tar.gz); pkg load slideway;
        r = slideway_solve ('evaporator'); graphics_toolkit gnuplot; f = figure ('visible', 'off'); plot (r.t, r.x); print (f, '-dsvg', 'evaporator.svg')\"" ;;
  esac > "$work/told" 2>&1 || { tail -n 30 "$work/told"; fail "the door $door does not work in a bare root"; }
  ended=$(milliseconds)
  grep -q '</svg>' "$root/tmp/evaporator.svg" || { tail -n 30 "$work/told"; fail "there is no picture by the door $door"; }
  echo "bare.sh: $door: $((ended - ready)) ms to the evaporator's picture, after $((ready - began)) ms for what Debian has for it"
  [ $((ended - ready)) -le 60000 ] || fail "the door $door takes more than a minute"
  rm -rf "$root"
done
