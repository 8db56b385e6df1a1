# The sixteen code words of Korobitsyn & Frolova: where their rule leads from the corner, and where Filippov's solution goes.
. "$(dirname "$0")/common.sh"
panels=
stops_early() {
  tail -n 1 "$work/$1" | awk -F, '{ exit !($1 < 8.9) }'
}
for word in 0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1010 1011 1100 1101 1110 1111; do
  decimal=$(echo $word | sed 's/^0*\(.\)/\1/')
  run consistent$word.csv corner --set word=$decimal --t-end 9 --points 2
  run rule$word.csv corner --set word=$decimal --t-end 9 --points 2 --selection korobitsyn-frolova --max-events 100
  "$slideway" run corner --set word=$decimal --json "$work/run.json" --quiet 2> /dev/null || [ $? -eq 3 ]
  # The fields' components, as x_pp = -1; and so on.
  fields=$(grep -o '"[xy]_[pm][pm]": *[-0-9.]*' "$work/run.json" | sed 's/"//g; s/:/ =/; s/$/;/' | tr '\n' ' ')
  test -n "$fields"
  note=
  stops_early rule$word.csv && note='the rule stays here'
  stops_early consistent$word.csv && note='several continuations'
  panels="$panels
set title '$word'; $fields set label 9 '$note' at 0.06,-0.9 font ',9'
call 'panel.gp' '$word'"
done
cat > "$work/panel.gp" <<'G'
k = 0.11
set arrow 1 from 0.62,0.62 rto k*x_pp,k*y_pp head nofilled size 0.07,20 linecolor rgb grey
set arrow 2 from -0.62,0.62 rto k*x_mp,k*y_mp head nofilled size 0.07,20 linecolor rgb grey
set arrow 3 from -0.62,-0.55 rto k*x_mm,k*y_mm head nofilled size 0.07,20 linecolor rgb grey
set arrow 4 from 0.62,-0.55 rto k*x_pm,k*y_pm head nofilled size 0.07,20 linecolor rgb grey
plot 'consistent'.ARG1.'.csv' using 2:3 every ::1 with lines linewidth 5 linecolor rgb sky notitle, \
  'rule'.ARG1.'.csv' using 2:3 every ::1 with lines linewidth 1.8 dashtype (5,3) linecolor rgb orange notitle, \
  'consistent'.ARG1.'.csv' using 2:3 every ::1::1 with points pointtype 7 pointsize 0.6 linecolor rgb 'black' notitle
G
draw 860 900 <<G
set multiplot layout 4,4 margins 0.01,0.99,0.01,0.965 spacing 0.01,0.035
set xrange [-1:1]; set yrange [-1.05:1.05]; unset xtics; unset ytics; set xzeroaxis linestyle 10; set yzeroaxis linestyle 10
set title offset 0,-0.7
$panels
unset multiplot
G
