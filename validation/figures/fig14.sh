# Fig. 14: phase space of the cam-follower: the rod alone, and the path on which the cam leads it.
. "$(dirname "$0")/common.sh"
for c in 0.02 0.01; do
  for start in '0.12 0' '0.05 -1.2' '-0.15 0.2'; do
    set -- $start
    run one.csv rod.toml --set C=$c --set z=$1 --set v=$2 --points 120
    { sed 1d "$work/one.csv"; echo; echo; } >> "$work/rod$c.csv"
  done
  # Slowly, so that the rod stays on the cam.
  run cam$c.csv cam-follower --set w=10 --set C=$c --t-end 0.7 --points 120
done
draw 860 400 <<'G'
set multiplot layout 1,2
set xlabel 'v_{rod}'; set ylabel 'F_{spring}'; set xzeroaxis; set yzeroaxis
set title 'β: the rod alone'; set xrange [-1.5:1.5]; set yrange [-15:15]
plot 'rod0.01.csv' using 3:($2/0.01) with lines linewidth 1.6 linecolor rgb blue title 'C = 0.01', \
  'rod0.02.csv' using 3:($2/0.02) with lines linewidth 1.6 linecolor rgb orange title 'C = 0.02'
set title 'α: the rod on the cam'; set xrange [-0.8:0.8]; set yrange [-2:14]
plot 'cam0.01.csv' using 3:($2/0.01) every ::1 with lines linewidth 2 linecolor rgb blue title 'C = 0.01', \
  'cam0.02.csv' using 3:($2/0.02) every ::1 with lines linewidth 2 linecolor rgb orange title 'C = 0.02'
unset multiplot
G
