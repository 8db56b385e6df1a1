# Fig. 4: phase space of a bouncing ball, on a floor with a stiff spring and with an instantaneous change.
. "$(dirname "$0")/common.sh"
run soft.csv soft_ball.toml --t-end 3.2 --points 500
run hard.csv hard_ball.toml --t-end 3.2 --points 500
draw 860 380 <<'G'
set multiplot layout 1,2
set xlabel 'x_{ball}'; set ylabel 'v_{ball}'; set xrange [-0.6:10.4]; set yrange [-15:15]
set title '(a) continuous: a floor that gives way'
plot 'soft.csv' using 2:3 every ::1 with lines linewidth 2 linecolor rgb blue notitle
set title '(b) instantaneous: v^+ = −v^−'
plot 'hard.csv' using 2:3 every ::1 with lines linewidth 2 linecolor rgb blue notitle, \
     '< echo 0,-14,0,28' using 1:2:3:4 with vectors linecolor rgb orange linewidth 2.5 dashtype (6,4) head filled title 'jump'
unset multiplot
G
