# Fig. 6: the error at a switching surface, with a fixed step and with a step that ends on it.
. "$(dirname "$0")/common.sh"
compare steps.csv evaporator 9 --t-end 9 --step 1.0
run exact.csv evaporator --t-end 9 --points 300
run steps_of_run.csv evaporator --t-end 9 --method dopri5 --rtol 1e-3 --max-step 1
{ echo euler,0,0,0; method steps.csv euler; } > "$work/fixed.csv"
draw 860 360 <<'G'
set multiplot layout 1,2
set xlabel 't'; set ylabel 'L'; set xrange [4.5:9.2]; set yrange [0.06:0.125]; set key bottom right
set title 'fixed step ΔT = 1'
plot 'exact.csv' using 1:3 every ::1 with lines linewidth 1.6 linecolor rgb grey title 'exact', \
  'fixed.csv' using 2:4 with linespoints pointtype 7 pointsize 0.6 linewidth 2 linecolor rgb blue title 'Euler', 0.1 linestyle 10 title 'L_{th}'
set title 'a step ends on the surface'
plot 'exact.csv' using 1:3 every ::1 with lines linewidth 1.6 linecolor rgb grey title 'exact', \
  'steps_of_run.csv' using 1:3 every ::1 with points pointtype 7 pointsize 0.6 linecolor rgb orange title 'steps of slideway', 0.1 linestyle 10 title 'L_{th}'
unset multiplot
G
