# scree film: which frames, which camera and colours, three kinds of targets, an independent decoder for the animated PNG, Ctrl-C, and what is missing. Force chains and walls of
# `scree picture` and `scree view` as far as the program has to find them.
. "$(dirname "$0")/lib.sh"

cat >drop.yaml <<'END'
dimension: 2
box: {size: [1, 1]}
gravity: [0, -9.81]
spheres: {count: 40, sizes: uniform-size:0.02:0.06, place: random, material_density: 1000}
contact: {duration: 2e-3, restitution: 0.3}
time: {end: 0.5}
output: {every: 0.1, formats: [vtp], contacts: true}
END
run 0 run drop.yaml -o drop -q
[ "$(find drop/frames -type f | wc -l)" -eq 6 ] || fail "the run has not 6 frames"
small="--size 320x240 -q"

# Animated PNG and numbered pictures are the same pictures; zlib and a few lines of Python decode both.
run 0 film drop -o all.png $small --colour-by speed --time --fps 10
run 0 film drop -o all/ $small --colour-by speed --time
cat >decode.py <<'END'
import struct, sys, zlib
def chunks(path):
    raw, at = open(path, "rb").read(), 8
    assert raw[:8] == b"\x89PNG\r\n\x1a\n", path
    while at < len(raw):
        length, name = struct.unpack(">I4s", raw[at:at + 8])
        body = raw[at + 8:at + 8 + length]
        assert struct.unpack(">I", raw[at + 8 + length:at + 12 + length])[0] == zlib.crc32(name + body), name
        yield name, body
        at += 12 + length
def rows(packed, width, height):
    text, before, out = zlib.decompress(packed), bytes(3 * width), []
    for y in range(height):
        method, line = text[y * (3 * width + 1)], bytearray(text[y * (3 * width + 1) + 1:(y + 1) * (3 * width + 1)])
        assert method in (0, 4)
        for k in range(len(line) if method else 0):
            a, b, c = line[k - 3] if k > 2 else 0, before[k], before[k - 3] if k > 2 else 0
            p = a + b - c
            line[k] = (line[k] + (a if abs(p - a) <= abs(p - b) and abs(p - a) <= abs(p - c) else b if abs(p - b) <= abs(p - c) else c)) & 255
        out.append(line)
        before = line
    return out
def still(path):
    packed = b"".join(body for name, body in chunks(path) if name == b"IDAT")
    return rows(packed, 320, 240)
canvas, data, rect, frames, reported = [bytearray(960) for _ in range(240)], b"", None, [], 0
for name, body in list(chunks(sys.argv[1])):
    if name == b"acTL":
        reported = struct.unpack(">II", body)[0]
    if name in (b"fcTL", b"IEND") and rect:
        width, height, left, top = rect
        for y, line in enumerate(rows(data, width, height)):
            canvas[top + y][3 * left:3 * (left + width)] = line
        frames.append([bytes(line) for line in canvas])
        data = b""
    if name == b"fcTL":
        rect = struct.unpack(">4I", body[4:20])
        assert struct.unpack(">HH", body[20:24]) == (1, 10)
    elif name == b"IDAT":
        data += body
    elif name == b"fdAT":
        data += body[4:]
assert reported == len(frames) == int(sys.argv[3]), (reported, len(frames))
for f, frame in enumerate(frames):
    assert frame == [bytes(line) for line in still("%s/picture_%06d.png" % (sys.argv[2], f))], f
END
/usr/bin/python3 decode.py all.png all 6 || fail "the animated PNG is not the pictures of the folder"

# Which frames.
run 0 film drop -o some.png $small --from 0.1 --to 0.4 --every 2 --json
json_is frames 2; json_is out '"some.png"'; json_is dim 2
run 2 film drop -o some.png $small --from 2; names 6 2
run 2 film drop -o some.png $small --from 0.3 --to 0.1; names 0.3 0.1 earlier
run 2 film drop -o some.png $small --every 0; names every 0
run 2 film drop -o some.png $small --fps 0; names 0
run 2 film drop -o some.gif; names some.gif
run 2 film drop; names film.mp4
run 1 film drop/frames.pvd -o drop/ $small; names drop
run 0 convert drop/frames/frame_000003.vtp one.csv
run 2 film one.csv -o one.png $small --from 0; names one.csv --from

# The camera and the colours stay unless asked otherwise: two films that share a frame show it alike.
run 0 film drop -o five/ $small --to 0.4
cmp -s all/picture_000000.png five/picture_000000.png && fail "the caption and the column are not reported apart"
run 0 film drop -o last/ $small --from 0.5 --follow
run 0 picture drop/frames/frame_000005.vtp -o last.png $small
same last.png last/picture_000000.png
run 0 film drop -o fast/ $small --from 0.5 --follow --colour-by speed --time
cmp -s all/picture_000005.png fast/picture_000000.png && fail "the range of colours is not that of all frames"

# Force chains.
run 0 film drop -o forces.png $small --forces --walls --every 5
run 0 picture drop -o of-run.png $small;                           same last.png of-run.png
run 0 picture drop/frames.pvd -o of-list.png $small --frame 5;     same last.png of-list.png
run 0 picture drop -o first.png $small --frame 0
cmp -s first.png last.png && fail "--frame changes nothing"
run 2 picture drop -o none.png $small --frame 6;                   names --frame 6 drop; gone none.png
run 2 picture one.csv -o none.png $small --frame 0;                names --frame one.csv; gone none.png
run 0 picture drop/frames/frame_000005.vtp -o forced.png $small --forces
(cd drop/frames && run 0 picture frame_000005.vtp -o ../../again.png $small --forces)
same forced.png again.png
run 0 picture drop/frames/frame_000005.vtp -o thick.png $small --forces --force-scale linear --force-width 0.1 --force-range 0:5
cmp -s forced.png thick.png && fail "scale, width and range of forces change nothing"
run 0 picture one.csv -o other.png $small --forces --contacts drop/contacts/contacts_000003.csv
run 2 picture one.csv -o other.png $small --forces; names one.csv --contacts
run 2 picture one.csv -o other.png $small --force-width 1; names force-width
run 2 picture one.csv -o other.png $small --contacts drop/contacts/contacts_000003.csv; names --forces
run 2 picture one.csv -o other.png $small --opacity 2; names opacity 2
run 0 view drop -o drop.html --forces -q
grep -q '"rod_count":' drop.html || fail "the page has no rods"
mv drop/contacts/contacts_000004.csv kept.csv
run 1 film drop -o none.png $small --forces; names drop/contacts/contacts_000004.csv contacts
run 1 view drop -o none.html --forces -q; names drop/contacts/contacts_000004.csv contacts
gone none.png; gone none.html
mv kept.csv drop/contacts/contacts_000004.csv

# A video by ffmpeg itself, where it is installed: it can be read back, with all frames.
if command -v ffmpeg >/dev/null && command -v ffprobe >/dev/null; then
    run 0 film drop -o real.mp4 $small --fps 10
    [ "$(ffprobe -v error -count_frames -show_entries stream=width,height,nb_read_frames -of csv=p=0 real.mp4)" = 320,240,6 ] || fail "the video is not one of 6 frames of 320 x 240"
fi

# Videos, by a program in the place of ffmpeg; none; and one that fails.
mkdir bin empty
printf '#!/bin/sh\nfor last; do :; done\nwc -c > "${last#file:}"\n' >bin/ffmpeg
chmod +x bin/ffmpeg
printf '#!/bin/sh\nPATH=%s exec "%s" "$@"\n' "$PWD/bin:$PATH" "$SCREE" >with
printf '#!/bin/sh\nPATH=%s exec "%s" "$@"\n' "$PWD/empty" "$SCREE" >without
chmod +x with without
SCREE=$PWD/with run 0 film drop -o all.mp4 $small
[ "$(cat all.mp4)" -eq $((6 * 3 * 320 * 240)) ] || fail "ffmpeg got $(cat all.mp4) bytes"
printf '#!/bin/sh\necho no codec >&2\nexit 4\n' >bin/ffmpeg
cp all.mp4 before.mp4
SCREE=$PWD/with run 1 film drop -o all.mp4 $small; names all.mp4 4 "no codec"
same all.mp4 before.mp4
SCREE=$PWD/without run 1 film drop -o else.mp4 $small; names else.mp4 ffmpeg .png
gone else.mp4; gone else.png
rm -r bin

# Ctrl-C leaves nothing, and what was there stays.
printf old >stopped.png
for out in stopped.png stopped/; do
    start film drop -o $out --size 3000x3000 --samples 4
    await 20 worked $pid 20
    end INT 130
done
[ "$(cat stopped.png)" = old ] || fail "stopped.png was changed"
gone stopped
no_leftovers
finish
