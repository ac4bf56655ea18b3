# Mistakes that users make, on every command and every option that names a file (mistakes.py).
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
python3 -u "$here/mistakes.py" "$SCREE" "$here/../build" || fail "mistakes are not noticed as they should be"
finish
