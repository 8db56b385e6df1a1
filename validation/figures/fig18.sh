# Fig. 18: Filippov's construction, at p = 0.097 on the evaporator's surface.
. "$(dirname "$0")/common.sh"
# The motion along the surface, from the first millionth of a second.
run short.csv evaporator --set p=0.097 --set L=0.1 --t-end 1e-6 --rtol 1e-12 --points 2
slide=$(awk -F, 'END { printf "%.9f", ($2 - 0.097) / 1e-6 }' "$work/short.csv")
sed "s/SLIDE/$slide/g" <<'G' | draw 760 430
p = 0.097; ap = -p; an = 0.25/15 - 0.1/15; bp = 0.1 - p; bn = (0.25 - 0.1 - 2*p)/15
r = -bn/(an - bn)
set xlabel 'tangential component, dp/dt'; set ylabel 'normal component, dL/dt'; set xrange [-0.115:0.02]; set yrange [-0.006:0.0125]
set arrow from 0,0 to ap,an head filled size 0.003,20 linewidth 2.4 linecolor rgb blue
set arrow from 0,0 to bp,bn head filled size 0.003,20 linewidth 2.4 linecolor rgb green
set arrow from ap,an to bp,bn nohead linewidth 1.4 dashtype (6,4) linecolor rgb grey
set arrow from 0,0 to SLIDE,0 head filled size 0.003,20 linewidth 4 linecolor rgb orange
set label 'f_α' at ap,an + 0.0008 center; set label 'f_β' at bp + 0.003,bn; set label 'c' at (ap + bp)/2 - 0.002,(an + bn)/2 - 0.0008
set label sprintf('slideway: v = %.7f', SLIDE) at SLIDE - 0.03,-0.0012 center textcolor rgb orange
set label sprintf('r f_α + (1 − r) f_β = %.7f,  r = %.4f', r*ap + (1 - r)*bp, r) at SLIDE - 0.03,-0.0022 center
plot 0 linestyle 10 title 'L = L_{th}', sprintf('< echo %.9f,0', r*ap + (1 - r)*bp) using 1:2 with points pointtype 7 pointsize 0.9 linecolor rgb 'black' title 'c meets the surface'
G
