# Fig. 10: Euler with fixed steps chatters (the paper's parameters, dT = 0.025).
. "$(dirname "$0")/common.sh"
compare steps.csv evaporator 1000 --t-end 25 --step 0.025
method steps.csv euler > "$work/euler.csv"
draw 760 460 <<'G'
set multiplot layout 2,1
set xlabel 't'; set ylabel 'L, p'; set xrange [0:25]; set yrange [0:0.11]; set key bottom right
plot 'euler.csv' using 2:4 with lines linewidth 1.8 linecolor rgb blue title 'L', '' using 2:3 with lines linewidth 1.8 dashtype (10,4) linecolor rgb green title 'p', 0.1 linestyle 10 notitle
set xrange [10.5:16]; set yrange [0.0998:0.1004]; set ylabel 'L'; set format y '%.4f'; set key top right opaque
plot 'euler.csv' using 2:4 with lines linewidth 1.4 linecolor rgb blue notitle, 0.1 linestyle 10 title 'L_{th}'
unset multiplot
G
