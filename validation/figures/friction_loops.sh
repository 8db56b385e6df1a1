# Dahl's and LuGre's laws as the notes give them (5.3): loops of force over path, and of LuGre's force over velocity.
. "$(dirname "$0")/common.sh"
loop() {
  fill_in friction_loop.toml "$2"
  run "$1.csv" "$work/friction_loop.toml" --set X=$3 --points 300
}
loop dahl3 "law = 'dahl', Fc = 1, sigma = 3" 1
loop dahl30 "law = 'dahl', Fc = 1, sigma = 30" 1
loop lugre "law = 'lugre', Fc = 1, Fs = 1.5, vs = 0.1, sigma0 = 50, sigma1 = 1, sigma2 = 0.2" 0.3
draw 860 380 <<'G'
set multiplot layout 1,2
set xlabel 'x'; set ylabel 'F_f'; set yrange [-2:2]; set xzeroaxis; set yzeroaxis; set key top left
set title 'Dahl'
plot 'dahl30.csv' using 2:3 every ::2 with lines linewidth 2 linecolor rgb orange title 'σ = 30', 'dahl3.csv' using 2:3 every ::2 with lines linewidth 2 linecolor rgb blue title 'σ = 3'
set title 'LuGre'; set xlabel 'v'
plot 'lugre.csv' using (0.3*cos($1)):3 every ::2 with lines linewidth 2 linecolor rgb blue title 'x = 0.3 sin t', \
  (x>0?1:-1)*(1 + 0.5*exp(-(x/0.1)**2)) + 0.2*x with lines linewidth 1.2 dashtype (6,4) linecolor rgb orange title 'steady'
unset multiplot
G
