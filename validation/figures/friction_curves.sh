# The laws of friction of the notes, each as the force that a contact gives whose velocity grows slowly.
. "$(dirname "$0")/common.sh"
curve() {
  fill_in friction_curve.toml "$2"
  run "$1.csv" "$work/friction_curve.toml" --points 66
}
curve viscous "law = 'viscous', B = 1"
curve coulomb "law = 'coulomb', Fc = 1"
curve both "law = 'coulomb', Fc = 1, B = 0.5"
curve stribeck "law = 'stribeck', Fc = 1, Fs = 1.5, vs = 0.2, B = 0.4"
curve linear "law = 'stribeck-linear', Fc = 1, Fs = 1.5, vs = 0.2, B = 0.4"
curve literal "law = 'exponential-literal', Fc = 1, Fs = 1.5, vs = 0.2, B = 0.4"
curve lugre "law = 'lugre', Fc = 1, Fs = 1.5, vs = 0.2, sigma0 = 1e4, sigma1 = 10, sigma2 = 0.4"
curve dahl "law = 'dahl', Fc = 1, sigma = 3000"
fill_in pushed_block.toml "law = 'static', Fc = 1, Fs = 1.2"
run push.csv "$work/pushed_block.toml" --points 66
draw 860 560 <<'G'
set multiplot layout 2,3
set xlabel 'v'; set ylabel 'F_f'; set xrange [-1:1]; set yrange [-2:2]; set xzeroaxis; set yzeroaxis; set key top left Left reverse samplen 1 font ',10'; set samples 81; set ytics 1
set title 'viscous, Coulomb, both'
plot 'viscous.csv' using 2:3 every ::2 with lines linewidth 2 linecolor rgb green title 'Bv', 'coulomb.csv' using 2:3 every ::2 with lines linewidth 2 linecolor rgb blue title 'F_c sign(v)', \
  'both.csv' using 2:3 every ::2 with lines linewidth 2 linecolor rgb orange title 'F_c sign(v) + Bv'
set title 'Stribeck'
plot 'stribeck.csv' using 2:3 every ::2 with lines linewidth 2 linecolor rgb blue title '(v/v_s)^2', 'linear.csv' using 2:3 every ::2 with lines linewidth 2 linecolor rgb orange title '|v|/v_s'
set title 'exponential model'
plot 'stribeck.csv' using 2:3 every ::2 with lines linewidth 4 linecolor rgb sky title 'sign put right', 'literal.csv' using 2:3 every ::2 with lines linewidth 2 linecolor rgb orange title 'as printed (1.8)'
set title 'LuGre on its steady curve'
plot 'lugre.csv' using 2:3 every ::2 with lines linewidth 4 linecolor rgb sky title 'law', \
  (x>0?1:-1)*(1 + 0.5*exp(-(x/0.2)**2)) + 0.4*x with lines linewidth 1.4 linecolor rgb orange title 'steady'
set title 'Dahl, steady: Coulomb'
plot 'dahl.csv' using 2:3 every ::2 with lines linewidth 2 linecolor rgb blue title 'σ = 3000'
set ytics 0.5; set title 'static friction: sat(F_a, F_s) at v = 0'; set xlabel 't'; set xrange [0:4]; set yrange [0:1.7]; set key bottom right
plot 'push.csv' using 1:3 every ::1 with lines linewidth 2.4 linecolor rgb blue title 'F_f', 0.4*x with lines linestyle 10 title 'F_a', '' using 1:2 every ::1 with lines linewidth 1.6 linecolor rgb green title 'v'
unset multiplot
G
