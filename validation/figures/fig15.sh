# Fig. 15: the rod may disconnect from the cam (R = 10, m = 0.5, C = 0.02).
. "$(dirname "$0")/common.sh"
run rod.csv cam-follower --t-end 0.7 --points 700
draw 860 400 <<'G'
set multiplot layout 1,2
vcam(t) = sin(20*t)
set xlabel 't'; set ylabel 'v'; set xrange [0:0.7]; set yrange [-1.6:1.6]; set xzeroaxis; set samples 300
set title 'velocities'
plot vcam(x) with lines linewidth 1.6 linecolor rgb grey title 'v_{cam}', \
  'rod.csv' using 1:(strcol(4) eq '0'?$3:NaN) every ::1 with lines linewidth 3 linecolor rgb orange title 'on the cam', \
  '' using 1:(strcol(4) eq '0'?NaN:$3) every ::1 with lines linewidth 2 linecolor rgb blue title 'off the cam'
set title 'phase space'; set xlabel 'v_{rod}'; set ylabel 'F_{spring}'; set xrange [-1.6:1.6]; set yrange [-0.5:7.5]; set yzeroaxis
plot 'rod.csv' using 3:(strcol(4) eq '0'?$2/0.02:NaN) every ::1 with lines linewidth 3 linecolor rgb orange notitle, \
  '' using 3:(strcol(4) eq '0'?NaN:$2/0.02) every ::1 with lines linewidth 2 linecolor rgb blue notitle
unset multiplot
G
