# Fig. 16: numerical simulation of the cam-follower may chatter (C = 0.01): Euler on v_rod = v_cam and F_normal = 0.
. "$(dirname "$0")/common.sh"
compare steps.csv cam_relay.toml 360 --step 0.0025
method steps.csv euler > "$work/euler.csv"
run exact.csv cam_relay.toml --points 360
draw 860 400 <<'G'
set multiplot layout 1,2
vcam(t) = sin(20*t)
push(t, z, v) = 0.5*20*cos(20*t) + 0.5*9.81 + z/0.01 + 10*v
set xlabel 't'; set ylabel 'v_{rod} − v_{cam}'; set xrange [0:0.9]; set yrange [-0.22:0.3]; set xzeroaxis
set title 'Euler, ΔT = 0.0025'
plot 'euler.csv' using 2:($4 - vcam($2)) with lines linewidth 1 linecolor rgb pink title 'Euler', \
  'exact.csv' using 1:($3 - vcam($1)) every ::1 with lines linewidth 2 linecolor rgb orange title 'slideway'
set title 'F_{normal} is the force that keeps v_{rod} = v_{cam}'
set xlabel 'v_{rod} − v_{cam}'; set ylabel 'F_{normal}'; set xrange [-0.22:0.3]; set yrange [-5:25]; set yzeroaxis
plot 'euler.csv' using ($4 - vcam($2)):(push($2, $3, $4)) with lines linewidth 1 linecolor rgb pink notitle, \
  'exact.csv' using ($3 - vcam($1)):(push($1, $2, $3)) every ::1 with lines linewidth 3 linecolor rgb orange notitle
unset multiplot
G
