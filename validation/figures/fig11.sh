# Fig. 11: the phase spaces of both modes joined; three ways to arrive at the surface.
. "$(dirname "$0")/common.sh"
: > "$work/all.csv"
k=0
for start in '0.165 0.118' '0.1 0.122' '0.0866025 0.06' '0.02 0.06' '0 0' '0.16 0.07' '0.05 0.12'; do
  set -- $start
  run one.csv evaporator --set p=$1 --set L=$2 --t-end 60 --points 1500
  { sed 1d "$work/one.csv"; echo; echo; } >> "$work/all.csv"
done
draw 760 440 <<'G'
set xlabel 'p'; set ylabel 'L'; set xrange [0:0.17]; set yrange [0.05:0.13]; set key bottom right
pstar = sqrt(0.1*0.15/2)
set label 'p* = √(L_{th}(f_{in}−L_{th})/2) = 0.0866' at pstar-0.001,0.0955 center textcolor rgb orange
plot 'all.csv' using (slides(strcol(4))?NaN:$2):3 with lines linewidth 1.7 linecolor rgb blue title 'in α or β', \
  '' using (slides(strcol(4))?$2:NaN):3 with lines linewidth 4 linecolor rgb orange title 'sliding', \
  0.1 linestyle 10 title 'L_{th}', sprintf('< echo %.8f,0.1', pstar) using 1:2 with points pointtype 7 pointsize 1 linecolor rgb 'black' title 'pseudo-equilibrium'
G
