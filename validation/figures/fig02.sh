# Fig. 2: phase space of the evaporator, continuous (the overflow opens smoothly) and piecewise linear.
. "$(dirname "$0")/common.sh"
compare both.csv evaporator 1200 --epsilon 0.004
method both.csv smoothing > "$work/smooth.csv"
run linear.csv evaporator --points 1200
draw 860 380 <<'G'
set multiplot layout 1,2
set xlabel 'p'; set ylabel 'L'; set xrange [-0.005:0.115]; set yrange [0:0.115]; set key bottom right
set title '(a) continuous: λ = tanh(h/0.004)'
plot 'smooth.csv' using 3:4 with lines linewidth 2 linecolor rgb blue notitle, 0.1 linestyle 10 title 'L_{th}'
set title '(b) piecewise linear'
plot 'linear.csv' using (slides(strcol(4))?NaN:$2):3 every ::1 with lines linewidth 2 linecolor rgb blue notitle, \
     '' using (slides(strcol(4))?$2:NaN):3 every ::1 with lines linewidth 4 linecolor rgb orange title 'sliding', 0.1 linestyle 10 title 'L_{th}'
unset multiplot
G
