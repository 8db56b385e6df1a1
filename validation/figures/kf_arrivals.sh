# Korobitsyn & Frolova's Figs 1, 3 and 4: arriving at an intersection from a continuous mode, by sliding, and past it.
. "$(dirname "$0")/common.sh"
run corner.csv corner --set word=1 --set x=-0.8 --set y=-0.8 --t-end 1.6 --points 12
run sliding.csv corner --set word=1 --set x=0 --set y=-0.8 --t-end 1.6 --points 12
for offset in -0.2 -0.1 0.1 0.2; do
  run one.csv corner --set word=11 --set x=-0.8 --set y=$(awk -v o=$offset 'BEGIN { print -0.8 + o }') --t-end 1.8 --points 12
  { sed 1d "$work/one.csv"; echo; echo; } >> "$work/near.csv"
done
draw 860 330 <<'G'
set multiplot layout 1,3
set xrange [-1:1]; set yrange [-1:1]; unset xtics; unset ytics; set xzeroaxis linestyle 10; set yzeroaxis linestyle 10
set label 1 'S_2' at 0.93,0.08 right; set label 2 'S_1' at 0.05,0.93
set title 'Fig. 1a: from a continuous mode'
plot 'corner.csv' using 2:3 every ::1 with lines linewidth 2.4 linecolor rgb blue notitle, '' using 2:3 every ::1::1 with points pointtype 7 linecolor rgb 'black' notitle
set title 'Figs 1b and 3: sliding along S_1'
set label 3 'C_1' at -0.15,0.12 center; set label 4 'C_2' at 0.15,0.12 center; set label 5 'D_1' at -0.15,-0.12 center; set label 6 'D_2' at 0.15,-0.12 center
plot 'sliding.csv' using (slides(strcol(4))?$2:NaN):3 every ::1 with lines linewidth 4 linecolor rgb orange notitle, '' using (slides(strcol(4))?NaN:$2):3 every ::1 with lines linewidth 2.4 linecolor rgb blue notitle, \
  '' using 2:3 every ::1::1 with points pointtype 7 linecolor rgb 'black' notitle
unset label 3; unset label 4; unset label 5; unset label 6
set title 'Fig. 4: both surfaces near their intersection'
plot 'near.csv' using 2:3 with lines linewidth 1.8 linecolor rgb blue notitle
unset multiplot
G
