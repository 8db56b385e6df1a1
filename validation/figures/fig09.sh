# Fig. 9: phase space of each mode alone; grey is where the other mode takes over.
. "$(dirname "$0")/common.sh"
for side in alpha beta; do
  # Far away, the surface is never met.
  level=$([ $side = alpha ] && echo 10 || echo -10)
  : > "$work/$side.csv"
  for start in '0 0' '0.06 0' '0.12 0' '0.18 0' '0.18 0.06' '0.18 0.12' '0.18 0.18' '0.12 0.18' '0.06 0.18' '0 0.18' '0 0.12' '0 0.06'; do
    set -- $start
    run one.csv evaporator --set L_th=$level --set p=$1 --set L=$2 --t-end 40 --points 90
    { sed 1d "$work/one.csv"; echo; echo; } >> "$work/$side.csv"
  done
done
draw 860 420 <<'G'
set multiplot layout 1,2
set key opaque; set xlabel 'p'; set ylabel 'L'; set xrange [0:0.18]; set yrange [0:0.18]
set title 'α: closed'; set object 1 rectangle from 0,0.1 to 0.18,0.18 behind fillstyle solid 1 noborder fillcolor rgb '#DDDDDD'
plot 'alpha.csv' using 2:3 with lines linewidth 1.4 linecolor rgb blue notitle, 0.1 linestyle 10 title 'L_{th}'
set title 'β: open'; set object 1 rectangle from 0,0 to 0.18,0.1 behind fillstyle solid 1 noborder fillcolor rgb '#DDDDDD'
plot 'beta.csv' using 2:3 with lines linewidth 1.4 linecolor rgb blue notitle, 0.1 linestyle 10 title 'L_{th}', \
  '< echo 0.0833333,0.0833333' using 1:2 with points pointtype 7 pointsize 0.8 linecolor rgb orange title 's_β'
unset multiplot
G
