"""Commands that comments of the scenes in examples/ show: a mesh is what its tools/make_stl command makes, and a command of scree is no wrong usage.

usage: example_comments.py SOURCE BUILD FOLDER     FOLDER: a copy of examples/; runs that the commands speak of are made there, with two steps
"""
import os
import pathlib
import re
import shlex
import struct
import subprocess
import sys

SOURCE, BUILD, FOLDER = sys.argv[1:]
os.chdir(FOLDER)
failed = seen = 0


def fail(text):
    global failed
    failed += 1
    print(text)


def corners(path):
    data = pathlib.Path(path).read_bytes()
    (count,) = struct.unpack_from("<I", data, 80)
    return [x for k in range(count) for x in struct.unpack_from("<9f", data, 84 + 50 * k + 12)]


def check_mesh(scene, words):
    name = pathlib.Path(words[words.index("-o") + 1]).name
    made = f"made-{name}"
    words[words.index("-o") + 1] = made
    subprocess.run([os.path.join(SOURCE, words[0]), *words[1:]], check=True)
    if not os.path.exists(name):
        return fail(f"{scene}: there is no {name}; git add examples/{name}")
    a, b = corners(name), corners(made)
    if len(a) != len(b) or max(abs(x - y) for x, y in zip(a, b)) > 1e-7:  # sines of another C library may round in another way
        fail(f"{scene}: {name} is not what this makes: {shlex.join(words)}")
    os.remove(made)


def short(scene):
    """The scene with two steps."""
    text = re.sub(r"^(time|output|checkpoint):.*\n(?:[ -].*\n)*", "", pathlib.Path(scene).read_text(), flags=re.MULTILINE)
    text = re.sub(r"^changes:.*\n(?:[ -].*\n)*", "", text, flags=re.MULTILINE)
    return text + "time: {steps: 2}\noutput: {every_steps: 1, contacts: true}\n"


def check_command(scene, words):
    folder = pathlib.Path(scene).stem
    if folder in words and words[1] not in ("run", "pack") and not os.path.exists(folder):
        pathlib.Path("short.yaml").write_text(short(scene))
        subprocess.run([f"{BUILD}/scree", "run", "short.yaml", "-o", folder, "-q"], check=True, stdout=subprocess.DEVNULL)
    if words[1] == "run":
        words = [words[0], "run", pathlib.Path(words[2]).name, "--check"]
    done = subprocess.run([f"{BUILD}/scree", *words[1:], "-q"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    about_run = done.stderr.startswith(f"scree {words[1]}: {folder}: ")  # two steps may be too few for what is measured
    if done.returncode not in (0, 1) and not about_run:
        fail(f"{scene}: {shlex.join(words)}: {done.stderr}")


for scene in sorted(pathlib.Path(".").glob("*.yaml")):
    if scene.name == "short.yaml":
        continue
    comments = "\n".join(line.lstrip("# ") for line in scene.read_text().splitlines() if line.startswith("#"))
    for command in re.findall(r"(?:tools/make_stl|\bscree (?:run|pack|measure|film|view|picture|contacts|convert))\b(?: (?!or\b)[\w./:=,-]*[\w/])+", comments):
        words = shlex.split(command)
        seen += 1
        (check_mesh if words[0] == "tools/make_stl" else check_command)(scene.name, words)
print(f"{seen} commands in comments of examples, {failed} failed")
sys.exit(failed > 0 or seen < 8)
