# Fig. 20: the evaporator by the paper's sliding mode algorithm (dT = 0.025), beside the exact solution.
. "$(dirname "$0")/common.sh"
compare steps.csv evaporator 1200 --t-end 30 --step 0.025
method steps.csv "algorithm 1" > "$work/algorithm.csv"
run exact.csv evaporator --t-end 30 --rtol 1e-10 --points 300
draw 760 460 <<'G'
set multiplot layout 2,1
set xlabel 't'; set ylabel 'L, p'; set yrange [0:0.11]; set key bottom right
plot 'algorithm.csv' using 2:4 every 4 with lines linewidth 2 linecolor rgb blue title 'L', '' using 2:3 every 4 with lines linewidth 2 dashtype (10,4) linecolor rgb green title 'p', \
  'exact.csv' using 1:3 every ::1 with lines linewidth 1 dashtype (2,3) linecolor rgb 'black' title 'slideway', '' using 1:2 every ::1 with lines linewidth 1 dashtype (2,3) linecolor rgb 'black' notitle
set xrange [10.5:16]; set yrange [0.0998:0.1004]; set ylabel 'L'; set format y '%.4f'; set key top right
plot 'algorithm.csv' using 2:4 with lines linewidth 2 linecolor rgb blue title 'L, close', 0.1 linestyle 10 title 'L_{th}'
unset multiplot
G
