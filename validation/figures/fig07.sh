# Fig. 7: a hybrid system may chatter: the fields on both sides push against the surface.
. "$(dirname "$0")/common.sh"
compare steps.csv evaporator 280 --t-end 14 --step 0.05
method steps.csv euler > "$work/euler.csv"
run exact.csv evaporator --t-end 14 --points 1400
draw 760 380 <<'G'
set xlabel 'p'; set ylabel 'L'; set xrange [0.0845:0.1]; set yrange [0.0988:0.1014]; set key top left opaque
set label 'f_α' at 0.0895,0.0991 textcolor rgb blue; set label 'f_β' at 0.0974,0.1012 textcolor rgb blue
do for [k=0:5] {
  p = 0.088 + 0.002*k
  set arrow from p, 0.0990 to p - 0.03*p, 0.0990 + 0.03*0.01 head filled size 0.0003,20 linecolor rgb blue
  set arrow from p, 0.1010 to p + 0.03*(0.101 - p), 0.1010 + 0.03*(0.25 - 0.101 - 2*p)/15*5 head filled size 0.0003,20 linecolor rgb blue
}
plot 'euler.csv' using ($2>10.6?$3:NaN):4 with linespoints pointtype 7 pointsize 0.3 linewidth 1.4 linecolor rgb pink title 'Euler, ΔT = 0.05', \
  'exact.csv' using (slides(strcol(4))?$2:NaN):3 every ::1 with lines linewidth 3.5 linecolor rgb orange title 'sliding', 0.1 linestyle 10 title 'L_{th}'
G
