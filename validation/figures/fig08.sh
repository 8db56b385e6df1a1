# Fig. 8: with a low overflow level the evaporator settles with the overflow open.
. "$(dirname "$0")/common.sh"
run low.csv evaporator --set L_th=0.05 --points 400
draw 760 380 <<'G'
set xlabel 't'; set ylabel 'L, p'; set yrange [0:0.11]; set key bottom right
set arrow from 3.347153,0 to 3.347153,0.11 nohead linestyle 10
set label 'overflow opens at t = 3.347' at 3.8,0.008
plot 'low.csv' using 1:3 every ::1 with lines linewidth 2.4 linecolor rgb blue title 'L', \
  '' using 1:2 every ::1 with lines linewidth 2 dashtype (10,4) linecolor rgb green title 'p', \
  0.05 linestyle 10 title 'L_{th} = 0.05', 1.0/12 with lines linewidth 1 dashtype (2,3) linecolor rgb grey title 's_β = 1/12'
G
