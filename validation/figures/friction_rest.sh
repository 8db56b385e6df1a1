# The notes on the sign at rest (5.2.4): as it stands a solver chatters; with sat(F_a, F_c) at v = 0 the block rests.
. "$(dirname "$0")/common.sh"
compare steps.csv resting_block.toml 40 --step 0.05
method steps.csv euler > "$work/euler.csv"
run exact.csv resting_block.toml --points 100
draw 760 360 <<'G'
set xlabel 't'; set ylabel 'v'; set xrange [0:2]; set yrange [-0.1:0.32]; set xzeroaxis
plot 'euler.csv' using 2:3 with linespoints pointtype 7 pointsize 0.4 linewidth 1.4 linecolor rgb pink title 'Euler, F_c sign(v)', \
  'exact.csv' using 1:2 every ::1 with lines linewidth 3 linecolor rgb orange title 'slideway: rests at v = 0, F_f = F_a'
G
