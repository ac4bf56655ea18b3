# For the tests of scree bench: values of its tables, and whether all files are there.
. "$(dirname "$0")/lib.sh"

# column FILE NAME ROW: a value of a CSV, rows from 1. where FILE NAME TEXT...: of the first row whose first columns hold these texts or numbers.
column() { awk -F, -v name="$2" -v row="$3" 'NR == 1 { for (k = 1; k <= NF; ++k) if ($k == name) at = k } NR == row + 1 { print $at }' "$1"; }
where() {
    local file=$1 name=$2
    shift 2
    awk -F, -v name="$name" -v wanted="$(IFS=,; echo "$*")" 'NR == 1 { for (k = 1; k <= NF; ++k) if ($k == name) at = k; n = split(wanted, w, ","); next }
        { ok = 1; for (k = 1; k <= n; ++k) if ($k != w[k]) ok = 0; if (ok) { print $at; exit } }' "$file"
}
near() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { exit !(a != "" && a >= b - t && a <= b + t) }' || fail "$4: $1, wanted $2 to $3"; }
above() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a > b) }' || fail "$3: $1, wanted more than $2"; }

# complete FOLDER NAME...: each bench has left its table, its page, and every figure of the page as SVG and PNG.
complete() {
    local folder=$1 name figure
    shift
    for name in "$@"; do
        [ -s "$folder/$name.csv" ] && [ -s "$folder/$name.md" ] || fail "$name: no table or no page"
        grep -q '^!\[' "$folder/$name.md" || fail "$name: no figure"
        for figure in $(sed -n 's/^!\[.*\](\(.*\))$/\1/p' "$folder/$name.md"); do
            [ -s "$folder/$figure" ] && [ -s "$folder/${figure%.*}.png" ] || fail "$name: $figure is not there"
        done
    done
    find "$folder" -name '*.svg' -print0 | xargs -0 python3 -c 'import sys, xml.dom.minidom; [xml.dom.minidom.parse(f) for f in sys.argv[1:]]' 2>err || fail "an SVG is not XML"
    [ -z "$(find "$folder" -name '.*' -type f)" ] || fail "left over: $(find "$folder" -name '.*' -type f)"
}
