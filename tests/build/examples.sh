#!/usr/bin/env bash
# examples.sh SOURCE BUILD: `scree run` accepts every scene in examples/ and papers/; and the systems of the papers have as many spheres and as many steps in their
# shortest contact as the papers' parameters say.
set -euo pipefail
source=$1 build=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder" "$folder.comments"' EXIT
# As in a fresh clone: what git does not have is not there.
if git -C "$source" rev-parse --is-inside-work-tree > /dev/null 2>&1; then
    (cd "$source/examples" && git ls-files -z . | xargs -0 cp --parents -t "$folder")
    (cd "$source" && git ls-files -z 'papers/*.yaml' 'papers/*.csv' | xargs -0 cp --parents -t "$folder")
else
    cp -r "$source/examples/." "$source/papers" "$folder"
fi
cd "$folder"
cp -r . "$folder.comments"
/usr/bin/python3 -B "$source/tests/build/example_comments.py" "$source" "$build" "$folder.comments"
sed -i 's/pictures: true/pictures: false/' ./*.yaml papers/*/*.yaml  # what a picture takes need not be measured here
for scene in *.yaml papers/*/*.yaml; do
    reported=$("$build/scree" run "$scene" --check --json --quiet 2> said) || reported=null
    cat said >&2
    printf '%s\t%s\n' "$scene" "${reported//$'\n'/ }"
done | /usr/bin/python3 -c '
import json, re, sys
STEPS = (  # in the shortest contact, within this factor
    ("papers/muth/muth-2d-", 521, 1.01),  # sizes are drawn at mid-points: few spheres do not reach the smallest radius
    ("papers/muth/muth-3d-", 1607.4, 1.0001),
    ("papers/muth/muth-fracture-1000.", 475.5, 1.0001),
    ("papers/muth/muth-fracture-65480.", 42.5, 1.001),
    ("papers/ogarko/ogarko-", 50, 1.0001))
bad, seen = [], set()
for line in sys.stdin:
    scene, reported = line.split("\t")
    reported = json.loads(reported)
    if reported is None:
        bad.append("%s is rejected" % scene)
        continue
    number = re.search(r"-([0-9]+)\.yaml$", scene)
    if number and reported["n"] != int(number[1]):
        bad.append("%s: %d spheres" % (scene, reported["n"]))
    for start, wanted, within in STEPS:
        if scene.startswith(start):
            seen.add(start)
            found = reported["contact_duration"] / reported["time_step"]
            if not wanted / within <= found <= wanted * within:
                bad.append("%s: %g steps in the shortest contact, expected %g" % (scene, found, wanted))
bad += ["no scene %s..." % start for start, *_ in STEPS if start not in seen]
sys.exit("\n".join(bad) or 0)
'
