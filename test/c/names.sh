#!/bin/sh
# The names that leave the shared object are those that the header declares, and no other.
#   names.sh NM OBJECT HEADER
set -eu
there=$("$1" --dynamic --defined-only --format=posix "$2" | awk '$2 ~ /[TtWwVvDdBbRru]/ { sub(/@.*/, "", $1); print $1 }' | sort -u)
declared=$(grep -o '^SW_API .*' "$3" | grep -o 'sw_[a-z_]*(' | tr -d '(' | sort -u)
[ "$there" = "$declared" ] && exit 0
echo "names.sh: the object exports other names than the header declares" >&2
temporary=$(mktemp -d); trap "rm -rf $temporary" EXIT
echo "$there" > "$temporary/there"
echo "$declared" > "$temporary/declared"
diff "$temporary/declared" "$temporary/there" >&2
exit 1
