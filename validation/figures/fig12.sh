# Fig. 12: hysteresis of +-eps about L_th: the solution settles between two recurring points.
. "$(dirname "$0")/common.sh"
compare band.csv evaporator 1000 --t-end 30 --epsilon 0.002 --rtol 1e-8
method band.csv hysteresis > "$work/wide.csv"
compare band.csv evaporator 1400 --t-end 20 --epsilon 0.0005 --rtol 1e-8
method band.csv hysteresis > "$work/narrow.csv"
run exact.csv evaporator --points 300
draw 860 380 <<'G'
set multiplot layout 1,2
set xlabel 'p'; set ylabel 'L'; set xrange [0.06:0.115]; set yrange [0.096:0.108]; set key top left
do for [k=1:2] {
  file = k==1 ? 'wide.csv' : 'narrow.csv'; band = k==1 ? 0.002 : 0.0005
  set title sprintf('ε = %g', band)
  plot file using 3:4 with lines linewidth 1.2 linecolor rgb blue title 'hysteresis', \
    'exact.csv' using (slides(strcol(4))?$2:NaN):3 every ::1 with lines linewidth 3.5 linecolor rgb orange title 'ε → 0', \
    0.1 + band linestyle 10 notitle, 0.1 - band linestyle 10 notitle, \
    '< echo 0.0866025,0.1' using 1:2 with points pointtype 7 pointsize 0.9 linecolor rgb 'black' title 'p*'
}
unset multiplot
G
