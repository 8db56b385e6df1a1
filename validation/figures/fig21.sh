# Fig. 21: fixed-step Euler against the sliding mode algorithm, in phase space (dT = 0.025).
. "$(dirname "$0")/common.sh"
compare steps.csv evaporator 600 --t-end 15 --step 0.025
method steps.csv euler > "$work/euler.csv"
method steps.csv "algorithm 1" > "$work/algorithm.csv"
draw 860 400 <<'G'
set multiplot layout 1,2
set xlabel 'p'; set ylabel 'L'; set xrange [0.084:0.101]; set yrange [0.0995:0.1015]; set format y '%.4f'; set xtics 0.004; set key top right
set title "Euler, fixed step"
plot 'euler.csv' using ($2>10.5?$3:NaN):4 with lines linewidth 1 linecolor rgb pink notitle, 0.1 linestyle 10 title 'L_{th}'
set title 'sliding mode algorithm'
plot 'algorithm.csv' using ($2>10.5?$3:NaN):4 with linespoints pointtype 7 pointsize 0.25 linewidth 1 linecolor rgb blue notitle, 0.1 linestyle 10 title 'L_{th}', \
  '< echo 0.0866025,0.1' using 1:2 with points pointtype 7 pointsize 0.9 linecolor rgb 'black' title 'p*'
unset multiplot
G
