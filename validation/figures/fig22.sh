# Fig. 22: the sliding mode algorithm on the cam-follower (C = 0.01).
. "$(dirname "$0")/common.sh"
compare steps.csv cam_relay.toml 360 --step 0.0025
method steps.csv "algorithm 1" > "$work/algorithm.csv"
run exact.csv cam_relay.toml --points 360
run contact.csv cam-follower --set C=0.01 --t-end 0.9 --points 360
draw 760 400 <<'G'
set xlabel 't'; set ylabel 'v'; set xrange [0:0.9]; set yrange [-1.2:1.6]; set xzeroaxis; set samples 300; set key top right
plot 'algorithm.csv' using 2:4 with lines linewidth 4 linecolor rgb sky title 'v_{rod}, Algorithm 1', \
  'exact.csv' using 1:3 every ::1 with lines linewidth 1.6 linecolor rgb orange title 'slideway, the same model', \
  'contact.csv' using 1:3 every ::1 with lines linewidth 1.6 dashtype (8,4) linecolor rgb green title 'slideway, gap ≥ 0', \
  sin(20*x) with lines linewidth 1 linecolor rgb 'black' title 'v_{cam}'
G
