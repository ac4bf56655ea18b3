# The curves of docs/which-method.md:
#   scree bench methods -o DIR
#   gnuplot -e "data='DIR/methods.csv'" docs/images/methods.gnuplot      writes docs/images/methods.svg
# Columns: method,ratio,n,pairs,tests,cells,work,bytes,ns_still,ns_moving,rebuilds,ns_single,tests_single,ns_no_lists,tests_no_lists
set terminal svg size 960,720 font "sans,12" background "white"
set output "docs/images/methods.svg"
set datafile separator ","
set datafile missing NaN
set logscale xy
set format x "10^{%L}"
set grid
names = "auto all-pairs verlet-list linked-cells linear-list octree loose-octree hierarchical-grid"
array colour[8] = ["#000000", "#999999", "#5b3a8c", "#0072b2", "#cc79a7", "#d55e00", "#e6b800", "#009e73"]
set multiplot layout 2,2 title "time per sphere (or per move) in nanoseconds, one thread" margins 0.08,0.98,0.08,0.90 spacing 0.08,0.14
set key top left maxrows 4 samplen 1.5 font ",10" opaque
set xrange [50:2e6]
set yrange [20:200000]
draw(r, y, m) = column(2) == r && strcol(1) eq word(names, m + 1) && column(y) > 0 ? column(y) : NaN
do for [panel = 1:2] {
    ratio = panel == 1 ? 1 : 50
    set title sprintf("all pairs, spheres standing still, size ratio %d", ratio)
    set xlabel "spheres"
    plot for [m = 1:7] data using (column(3)):(draw(ratio, 9, m)) with linespoints lw 2 pt 7 ps 0.4 lc rgb colour[m + 1] title word(names, m + 1)
    unset key
}
set title "all pairs of 10^4 spheres against the size ratio"
set xlabel "size ratio"
set xrange [0.8:1500]
still(y, m) = column(3) > 9000 && column(3) <= 10000 && strcol(1) eq word(names, m + 1) && column(2) != 52.7 ? column(y) : NaN
plot for [m = 1:7] data using (column(2)):(still(9, m)) with linespoints lw 2 pt 7 ps 0.4 lc rgb colour[m + 1]
set title "a move and its neighbours, ratio 50 (dashed: with lists)"
set xlabel "spheres"
set xrange [50:2e6]
plot for [m = 1:7] data using (column(3)):(draw(50, 14, m)) with linespoints lw 2 pt 7 ps 0.4 lc rgb colour[m + 1], \
     data using (column(3)):(column(3) < 20000 ? draw(50, 12, 7) : NaN) with lines lw 2 dt 2 lc rgb colour[8]
unset multiplot
