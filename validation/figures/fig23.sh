# Fig. 23: an interval of the cam-follower: fixed-step Euler against the sliding mode algorithm.
. "$(dirname "$0")/common.sh"
compare steps.csv cam_relay.toml 360 --step 0.0025
method steps.csv euler > "$work/euler.csv"
method steps.csv "algorithm 1" > "$work/algorithm.csv"
draw 860 380 <<'G'
set multiplot layout 1,2
set xlabel 't'; set ylabel 'v_{rod}'; set xrange [0.3:0.6]; set yrange [-1.2:1.4]; set samples 200
set title 'Euler, ΔT = 0.0025'
plot sin(20*x) with lines linewidth 1 linecolor rgb 'black' title 'v_{cam}', 'euler.csv' using 2:4 with lines linewidth 1.4 linecolor rgb pink title 'v_{rod}'
set title 'sliding mode algorithm'
plot sin(20*x) with lines linewidth 1 linecolor rgb 'black' title 'v_{cam}', 'algorithm.csv' using 2:4 with lines linewidth 1.8 linecolor rgb blue title 'v_{rod}'
unset multiplot
G
