#!/usr/bin/env bash
# examples.sh SOURCE BUILD: every scene in examples/ is one that scree run takes; and the systems of the papers have as many spheres and as many
# steps to their shortest contact as the papers' parameters say.
set -euo pipefail
source=$1 build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$source/examples"
count=0 bad=0
steps_per_contact() {  # of the papers' systems; nothing for the others
    case $1 in
        papers/muth-2d-*) echo 521 1.01 ;;  # sizes are drawn at mid-points: few spheres do not reach the smallest radius
        papers/muth-3d-*) echo 1607.4 1.0001 ;;
        papers/muth-fracture-1000.yaml) echo 475.5 1.0001 ;;
        papers/muth-fracture-65480.yaml) echo 42.5 1.001 ;;
        papers/ogarko-*) echo 50 1.0001 ;;
    esac
}
for scene in *.yaml papers/*.yaml; do
    "$build/scree" run "$scene" --check --json --quiet > "$scratch/told" || { echo "examples/$scene is refused" >&2; bad=1; continue; }
    number=$(sed -nE 's/.*-([0-9]+)\.yaml$/\1/p' <<< "$scene")
    wanted=$(steps_per_contact "$scene")
    /usr/bin/python3 - "$scratch/told" "$scene" "$number" $wanted <<'END' || bad=1
import json, sys
told, scene, number = json.load(open(sys.argv[1])), sys.argv[2], sys.argv[3]
if number and told["n"] != int(number):
    sys.exit(f"examples/{scene}: {told['n']} spheres")
if len(sys.argv) > 4:
    wanted, within, found = float(sys.argv[4]), float(sys.argv[5]), told["contact_duration"] / told["step"]
    if not wanted / within <= found <= wanted * within:
        sys.exit(f"examples/{scene}: its shortest contact has {found} steps, not {wanted}")
END
    count=$((count + 1))
done
[ $count -ge 25 ] || { echo "only $count scenes" >&2; bad=1; }
echo "$count scenes"
exit $bad
