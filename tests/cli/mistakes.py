"""Mistakes that users make, on every command: missing names, folders for files and files for folders, empty files, one item, outputs equal to inputs and to each other, what cannot be
read or written, names with blanks and umlauts, other current folders, a closed standard output, Ctrl-C.

usage: mistakes.py PROGRAM HELP     HELP: the folder of program_help.py

The commands, their arguments and the options that name files come from `scree help --json`; a call that works comes from the example of `scree COMMAND --help`, made small. So a new
command is tested as soon as it is in the tables. Each call that must fail is checked for:

    exit code 1 or 2, in finite time; a message on standard error with the name of the program and that of the file; with --json an object with the same message and code;
    and all files as they were.

SCREE_TEST_EFFORT above 1 tries all spellings of a name instead of one or two, and counts how often calls with a million items ask whether to go on.
"""
import contextlib
import hashlib
import itertools
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, sys.argv[2])
from program_help import examples  # noqa: E402

PROGRAM = os.path.realpath(sys.argv[1])
EFFORT = float(os.environ.get("SCREE_TEST_EFFORT", "1") or 1)
NOBODY = 65534
SHORT = os.environ.get("SCREE_TEST_SHORT", "") != ""  # in a slow build: each call that works, and files that are read
LONGEST = 120  # seconds: a call that takes longer hangs

# Small values in place of those of the examples, and an option that some others need.
SMALL = {"count": "60", "size": "64x64"}
NARROW = {"fuller:1:1000": "fuller:1:4"}
ALWAYS = {"demo": ["--count", "200", "--density", "0.1"], "pack hierarchical": ["--repeats", "1"]}
NEEDS = {("picture", "contacts"): ["--forces"]}

SCENE = """dimension: 2
box: {size: [1, 1]}
gravity: [0, -9.81]
spheres: {count: 9, sizes: "mono:0.05", place: lattice, material_density: 1000}
contact: {stiffness: 1e4, restitution: 0.5}
time: {steps: 100}
output: {every_steps: 20, contacts: true}
"""

failures = []
calls = 0


def fail(case, text, done=None):
    failures.append(case)
    print(f"FAILED: {case}: {text}")
    if done is not None:
        print(f"    call: {shlex.join(done.args)}\n    exit code {done.returncode}; stderr: {done.stderr[-400:]!r}; stdout: {done.stdout[-300:]!r}")


def run(words, cwd=".", as_nobody=False, **more):
    """A call of the program; standard input is empty."""
    global calls
    calls += 1
    if as_nobody:
        more |= {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    more.setdefault("stdout", subprocess.PIPE)
    try:
        return subprocess.run([PROGRAM, *words], cwd=cwd, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace", timeout=LONGEST, **more)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess([PROGRAM, *words], -1, "", f"it did not end within {LONGEST} s")


def contents(folder="."):
    """What is below a folder: kinds, modes and contents."""
    found = {}
    for path, folders, files in os.walk(folder):
        for name in folders + files:
            at = os.path.join(path, name)
            if os.path.islink(at):
                found[at] = "link to " + os.readlink(at)
            elif os.path.isdir(at):
                found[at] = "folder"
            else:
                with contextlib.suppress(PermissionError):
                    found[at] = hashlib.sha1(pathlib.Path(at).read_bytes()).hexdigest()
    return found


# ---- A call that works ----------------------------------------------------------------------------------------------

class Call:
    """Words of a command line, of which some name files: roles are (kind, place), the place that of the value."""

    def __init__(self, command, words, roles):
        self.command, self.words, self.roles = command, words, roles

    def with_value(self, role, value):
        words = list(self.words)
        words[role[1]] = value
        return Call(self.command, words, self.roles)

    def value(self, role):
        return self.words[role[1]]

    def reads(self):
        return [role for role in self.roles if role[0].startswith("reads")]

    def writes(self):
        return [role for role in self.roles if role[0].startswith(("writes", "keeps"))]


def parse(command, words):
    """The roles of a call, by the tables."""
    options = {f"--{o['name']}": o for o in command["options"]} | {f"-{o['letter']}": o for o in command["options"] if o["letter"]}
    roles, arguments, at = [], 0, len(command["name"].split())
    while at < len(words):
        option = options.get(words[at])
        if option is None:
            kinds = command["arguments"]
            if kinds:
                roles.append((kinds[min(arguments, len(kinds) - 1)], at))
            arguments += 1
        elif option["value"]:
            at += 1
            if option["file"] != "none":
                roles.append((option["file"], at))
            elif option["name"] == "sizes" and words[at].startswith("table:"):
                roles.append(("reads table", at))
        at += 1
    return Call(command, words, roles)


def small(command, words):
    """An example with few spheres."""
    found, at = [], 0
    while at < len(words):
        name = words[at].removeprefix("--")
        if words[at].startswith("--") and SMALL.get(name):
            found += [words[at], SMALL[name]]
            at += 1
        elif re.fullmatch(r".*\.(yaml)", words[at]):
            found.append("scene.yaml")
        elif words[at] in NARROW:
            found.append(NARROW[words[at]])
        else:
            found.append(words[at])
        at += 1
    given = set(found)
    extra = ALWAYS.get(command["name"], [])
    sized = any(o["name"] == "size" for o in command["options"]) and "--size" not in given
    for name, value in zip(extra[::2], extra[1::2]):
        if name not in given:
            found += [name, value]
    return found + (["--size", "64x64"] if sized else [])


def example_of(command):
    """The first of the examples that calls this command and works, here."""
    lines = examples(PROGRAM, command["name"])
    for line in lines:
        words = shlex.split(line)[1:]
        if words[:len(command["name"].split())] == command["name"].split():
            call = parse(command, small(command, words))
            for role in call.writes():
                if os.path.isdir(call.value(role)):  # of an earlier example, kept for others
                    call = call.with_value(role, call.value(role) + "-made")
            done = run(call.words)
            if done.returncode == 0:
                return call
            last = done
    fail(command["name"], "no example of --help works; add what it needs to SMALL or ALWAYS", last)
    return None


def with_option(call, option):
    """The call with this option too, which names a file: with a file or a name that works."""
    ending = {"P.png": ".png", "PAGE.html": ".html"}.get(option["value"], ".csv")
    values = [f"{option['name']}{ending}"] if option["file"].startswith(("writes", "keeps")) else ["spheres.csv", "done/contacts/contacts_000001.csv", "scene.yaml"]
    inputs = [call.value(role) for role in call.reads()[:1]] + ["done/frames/frame_000001.vtp"]
    for given, value in itertools.product(inputs, values):
        start = call.with_value(call.reads()[0], given) if call.reads() else call
        if call.command["arguments"][1:2] == ["writes file"]:  # the option in place of the second argument
            start = Call(call.command, [word for at, word in enumerate(start.words) if at != call.roles[1][1]], call.roles)
        words = [*start.words, f"--{option['name']}", value, *NEEDS.get((call.command["name"], option["name"]), [])]
        done = run(words)
        if done.returncode == 0:
            return parse(call.command, words)
    fail(f"{call.command['name']} --{option['name']}", "no call with it works; add what it needs to NEEDS", done)
    return None


# ---- Mistakes -------------------------------------------------------------------------------------------------------

def fails(case, call, names=(), says=None, **more):
    """The call must fail as the head of this file says."""
    before = contents()
    words = call.words if isinstance(call, Call) else call
    done = run([*words, "--json"], **more)
    if done.returncode not in (1, 2):
        fail(case, "exit code", done)
    elif not re.search(r"^scree( [a-z]+)*: ", done.stderr, re.MULTILINE):
        fail(case, "no message", done)
    elif [name for name in names if name not in done.stderr]:
        fail(case, f"the message lacks {names}", done)
    elif says is not None and not re.search(says, done.stderr):
        fail(case, f"the message lacks '{says}'", done)
    else:
        try:
            printed = json.loads(done.stdout)
            if printed["exit_code"] != done.returncode or not printed["error"] or printed["error"].splitlines()[0] not in done.stderr:
                fail(case, "another error as JSON", done)
        except (ValueError, KeyError):
            fail(case, "no JSON", done)
    changed = {name for name, what in set(before.items()) ^ set(contents().items())}
    if changed:
        fail(case, f"files have changed: {sorted(changed)[:5]}", done)
    return done


def is_done(case, call, *outputs, **more):
    """The call must work, and leave these."""
    done = run(call.words, **more)
    if done.returncode != 0:
        fail(case, "exit code", done)
    for name in outputs:
        if not os.path.exists(name):
            fail(case, f"there is no {name}", done)


def clean_of(case, call, **more):
    """The call may work or fail, and in good order."""
    done = run(call.words, **more)
    if done.returncode not in (0, 1, 2) or (done.returncode != 0 and not re.search(r"^scree( [a-z]+)*: ", done.stderr, re.MULTILINE)):
        fail(case, "neither done nor refused", done)


def spoil(call, role, value):
    """The call with another file in this role; of a table of sizes too."""
    return call.with_value(role, f"table:{value}" if role[0] == "reads table" else value)


def file_of(call, role):
    return call.value(role).removeprefix("table:")


def ending_of(name):
    return "".join(pathlib.PurePath(name).suffixes[-1:])


@contextlib.contextmanager
def scratch():
    """Files of their own, gone afterwards."""
    before = set(os.listdir())
    yield
    for name in set(os.listdir()) - before:
        if os.path.isdir(name) and not os.path.islink(name):
            shutil.rmtree(name)
        else:
            os.remove(name)


def copy(name, to):
    if os.path.isdir(name):
        shutil.copytree(name, to)
    else:
        shutil.copy(name, to)


def one_item(name):
    """The file cut to one item: a line behind the head, or a scene with one sphere."""
    text = pathlib.Path(name).read_text()
    return text.replace("count: 9", "count: 1") if name.endswith(".yaml") else "".join(text.splitlines(True)[:2])


FOLDER = "a (directory|folder)|this folder"


def inputs(call, what):
    for role in call.reads():
        name, ending = file_of(call, role), ending_of(file_of(call, role))
        kind, folder = role[0], os.path.isdir(file_of(call, role))
        case = f"{what}, {name}"
        missing = "No such file or directory"
        fails(f"{case}: missing", spoil(call, role, f"nosuch{ending}"), [f"nosuch{ending}"], missing)
        fails(f"{case}: missing, without an extension", spoil(call, role, "nosuch"), ["nosuch"], missing)
        fails(f"{case}: in a missing folder", spoil(call, role, f"nosuch/a{ending}"), [f"nosuch/a{ending}"], missing)
        fails(f"{case}: below a file", spoil(call, role, f"scene.yaml/a{ending}"), [f"scene.yaml/a{ending}"])
        fails(f"{case}: no name", spoil(call, role, ""))
        with scratch():
            os.mkdir(f"folder{ending}")
            os.mkdir("plain")
            fails(f"{case}: an empty folder", spoil(call, role, f"folder{ending}"), [f"folder{ending}"], FOLDER)
            fails(f"{case}: an empty folder, without an extension", spoil(call, role, "plain"), ["plain"], FOLDER)
        if kind != "reads file" or folder:
            fails(f"{case}: a file that is no run", spoil(call, role, "text.txt"), ["text.txt"])
        if not folder:
            for name_of_empty in [f"empty{ending}"]:
                with scratch():
                    pathlib.Path(name_of_empty).touch()
                    fails(f"{case}: an empty file", spoil(call, role, name_of_empty), [name_of_empty])
            if ending in (".csv", ".yaml"):
                with scratch():
                    pathlib.Path(f"one{ending}").write_text(one_item(name))
                    clean_of(f"{case}: one item", spoil(call, role, f"one{ending}"))
        if SHORT:
            continue
        with scratch():
            strange = f"mit Lücke & 'ß'{ending}"
            copy(name, strange)
            is_done(f"{case}: blanks and umlauts", spoil(call, role, strange))
        with scratch():
            os.mkdir("sub")
            moved = Call(call.command, list(call.words), call.roles)
            for other in parse(call.command, call.words).reads():
                moved = spoil(moved, other, os.path.join("..", file_of(call, other)))
            if "scene.yaml" not in call.words or call.command["name"] == "plan":
                is_done(f"{case}: another current folder", moved, cwd="sub")
            is_done(f"{case}: an absolute path", spoil(call, role, os.path.abspath(name)))
        if as_nobody is not None:
            with scratch():
                copy(name, f"locked{ending}")
                os.chmod(f"locked{ending}", 0)
                fails(f"{case}: unreadable", spoil(call, role, f"locked{ending}"), [f"locked{ending}"], "Permission denied", **as_nobody)
                os.chmod(f"locked{ending}", 0o700)


def outputs(call, what):
    for role in call.writes():
        name, kind = call.value(role), role[0]
        ending = ending_of(name)
        case = f"{what}, {name}"
        if kind != "writes folder":
            fails(f"{case}: in a missing folder", call.with_value(role, f"nosuch/a{ending}"), [f"nosuch/a{ending}"])
        fails(f"{case}: below a file", call.with_value(role, f"scene.yaml/a{ending}"), [f"scene.yaml"])
        fails(f"{case}: no name", call.with_value(role, ""))
        if kind in ("writes file", "keeps file"):
            with scratch():
                os.mkdir(f"folder{ending}")
                os.mkdir("plain")
                fails(f"{case}: a folder", call.with_value(role, f"folder{ending}"), [f"folder{ending}"], FOLDER)
                fails(f"{case}: a folder, without an extension", call.with_value(role, "plain"), ["plain"], FOLDER)
        if kind == "writes folder":
            fails(f"{case}: a file", call.with_value(role, "text.txt"), ["text.txt"])
        with scratch():
            strange = f"mit Lücke & 'ß'{ending}"
            is_done(f"{case}: blanks and umlauts", call.with_value(role, strange), *([strange] if kind in ("writes file", "writes folder") else []))
        with scratch():
            os.mkdir("sub")
            here = os.path.abspath("sub") + "/x" + ending
            is_done(f"{case}: an absolute path", call.with_value(role, here), *([here] if kind in ("writes file", "writes folder") else []))
        if as_nobody is not None:
            with scratch():
                os.mkdir("locked")
                os.chmod("locked", 0o555)
                fails(f"{case}: unwritable", call.with_value(role, f"locked/a{ending}"), ["locked"], "Permission denied", **as_nobody)


def spellings(name):
    """Ways to write the same name; links are made, in a scratch folder."""
    found = [("the same name", name), ("with ./", f"./{name}")]
    base = os.path.basename(name)
    if "/" not in name and os.path.isfile(name):
        os.symlink(name, f"link-{base}")
        os.link(name, f"hard-{base}")
        found += [("a symbolic link", f"link-{base}"), ("a hard link", f"hard-{base}")]
    return found if EFFORT > 1 else found[-2:] + found[:1]


def coincidences(call, what):
    """No output may be an input, or another output."""
    has_format = any(o["name"] == "format" for o in call.command["options"])
    for out, given in itertools.product(call.writes(), call.reads()):
        with scratch():
            name, ending = file_of(call, given), ending_of(call.value(out))
            prefix = out[0] == "writes prefix"
            if os.path.isdir(name):
                for way, word in (("the folder itself", name), ("with ./", f"./{name}")):
                    fails(f"{what}: {call.value(out)} in {name}: {way}", call.with_value(out, word))
                continue
            if out[0] == "writes folder":  # the input is one of the files that the command leaves there
                run(call.with_value(out, "left").words)
                for leaf in sorted(pathlib.Path("left").glob(f"**/*{ending_of(name)}"))[:3]:
                    own = f"other/{leaf.relative_to('left')}"
                    os.makedirs(os.path.dirname(own), exist_ok=True)
                    copy(name, own)
                    for force in [[], ["--force"]] if any(o["name"] == "force" for o in call.command["options"]) else [[]]:
                        changed = spoil(call, given, own).with_value(out, "other")
                        fails(f"{what}: the input is {own}", Call(call.command, [*changed.words, *force], call.roles))
                    os.remove(own)
                continue
            own = "same-gr.csv" if prefix else f"same{ending}"
            copy(name, own)
            changed = spoil(call, given, own)
            if has_format and ending_of(name) == ".csv" and "--format" not in changed.words:
                changed = Call(call.command, [*changed.words, "--format", "csv"], call.roles)
            for way, word in spellings(own):
                if prefix and not word.endswith("-gr.csv"):
                    continue
                fails(f"{what}: {call.value(out)} is the input {name}: {way}", changed.with_value(out, word.removesuffix("-gr.csv") if prefix else word))
    for one, other in itertools.combinations(call.writes(), 2):
        with scratch():
            name = call.value(one)
            same = call.with_value(other, name)
            if has_format and "--format" not in same.words:
                same = Call(call.command, [*same.words, "--format", "csv"], call.roles)
            fails(f"{what}: {call.value(other)} is {name}", same)
            # A link to nothing: both would be made at the same place.
            for first, second in ((one, other), (other, one)):
                ends = ending_of(call.value(second))
                if not os.path.lexists(f"to{ends}"):
                    os.symlink(call.value(first), f"to{ends}")
                fails(f"{what}: {call.value(second)} leads to {call.value(first)}", Call(call.command, same.with_value(first, call.value(first)).with_value(second, f"to{ends}").words, call.roles))
                with contextlib.suppress(FileNotFoundError):
                    os.remove(f"to{ends}")


def streams(call, what):
    """A standard output that is closed, full, or no longer read; a full disk."""
    good = run(call.words)
    for name in [n for n in call.writes() if n[0] == "writes folder"]:
        shutil.rmtree(call.value(name), ignore_errors=True)
    printed = good.stdout != ""
    closed = subprocess.run(["bash", "-c", 'exec "$0" "$@" >&-', PROGRAM, *call.words], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=LONGEST)
    closed.stdout = ""
    if closed.returncode != (1 if printed else 0) or (printed and "standard output" not in closed.stderr):
        fail(f"{what}: closed standard output", f"printed: {printed}", closed)
    for name in [n for n in call.writes() if n[0] == "writes folder"]:
        shutil.rmtree(call.value(name), ignore_errors=True)
    if os.path.exists("/dev/full"):
        with open("/dev/full", "w") as full:
            done = run(call.words, stdout=full)
        done.stdout = ""
        if done.returncode != (1 if printed else 0):
            fail(f"{what}: full standard output", f"printed: {printed}", done)
    for role in call.writes():
        if role[0] == "writes file" and os.path.exists("/dev/full"):
            words = call.with_value(role, "/dev/full").words
            if any(o["name"] == "format" for o in call.command["options"]) and "--format" not in words:
                words = [*words, "--format", "csv"]
            done = run(words)
            if done.returncode not in (1, 2) or "/dev/full" not in done.stderr:
                fail(f"{what}: {call.value(role)} on a full disk", "not noticed", done)


def interrupts(call, what, at):
    """Ctrl-C with the N-th question: 130 and a message. Files as they were, but for what a run keeps and a packing that is written as far as it is."""
    for n in at:
        for role in call.reads():
            if role[0] == "reads folder":  # what has been begun goes on
                shutil.rmtree(call.value(role))
                shutil.copytree("stopped", call.value(role))
        for role in call.writes():
            if role[0] == "writes folder":
                shutil.rmtree(call.value(role), ignore_errors=True)
        before = contents()
        done = run([*call.words, "--json"], env=dict(os.environ, SCREE_TEST_STOP=str(n)))
        if done.returncode == 0 and n > 1:
            return
        if done.returncode != 130 or "stopped" not in done.stderr:
            fail(f"{what}: Ctrl-C with question {n}", "expected 130 and a message", done)
            continue
        changed = {name for name, _ in set(before.items()) ^ set(contents().items())}
        written = any(call.value(role) in done.stderr for role in call.writes())  # a packing as far as it is
        kept = [call.value(role) for role in call.writes() if written or role[0] in ("writes folder", "keeps file")]
        kept += [call.value(role) for role in call.reads() if role[0] == "reads folder"]
        if [name for name in changed if not any(name.removeprefix("./").startswith(keep) for keep in kept)]:
            fail(f"{what}: Ctrl-C with question {n}", f"files have changed: {sorted(changed)[:5]}", done)
        left = [name for name in contents() if name.endswith((".tmp", ".part"))]
        if left:
            fail(f"{what}: Ctrl-C with question {n}", f"left behind: {left}", done)


# A run that is stopped ends what it is writing, and a dense packing spends its time in few long steps.
LARGE, LARGEST_SHARE, ASKS_LESS = 1000000, 0.35, {"run", "resume", "pack grow", "pack dem", "pack hierarchical", "pack rearrange"}


def asks_often(call, what):
    """With a million items no more than a third of the work lies between two questions whether to go on, one of which Ctrl-C answers."""
    words = list(call.words)
    if call.command["name"] in ASKS_LESS or not ("spheres.csv" in words or "--count" in words):
        return
    with scratch():
        if "spheres.csv" in words:
            run(["demo", "--count", str(LARGE), "--density", "0.1", "--size", "64x64", "-o", "large.csv", "-q"])
            words = ["large.csv" if word == "spheres.csv" else word for word in words]
        if "--count" in words:
            words[words.index("--count") + 1] = str(LARGE // 4)
        done = run(words, env=dict(os.environ, SCREE_TEST_STOP="0"))
        found = re.search(r"asked (\d+) times in ([0-9.]+) s of work, the longest time before question (\d+): ([0-9.]+) s", done.stderr)
        if done.returncode != 0 or found is None:
            fail(f"{what}: a million items", "exit code, or no count of questions", done)
        elif float(found[4]) > LARGEST_SHARE * float(found[2]) and float(found[4]) > 0.1:
            fail(f"{what}: a million items", "does not hear Ctrl-C for long", done)


def fresh_targets(call):
    """Outputs of earlier calls are gone."""
    for role in call.writes():
        for name in [call.value(role)] + [str(p) for p in pathlib.Path(".").glob(call.value(role) + "*")]:
            if os.path.isdir(name) and not os.path.islink(name):
                shutil.rmtree(name)
            elif os.path.lexists(name) and name not in KEEP:
                os.remove(name)



KEEP = {"spheres.csv", "scene.yaml", "text.txt", "sieve.csv"}
as_nobody = None


def prepare():
    """The files that the examples need."""
    pathlib.Path("scene.yaml").write_text(SCENE)
    pathlib.Path("text.txt").write_text("some text\n")
    pathlib.Path("sieve.csv").write_text("d,passing_mass\n1,0\n2,1\n")
    for words in (["demo", *ALWAYS["demo"], "--size", "64x64", "-o", "spheres.csv", "-q"], ["run", "scene.yaml", "-o", "done", "-q"]):
        done = run(words)
        if done.returncode != 0:
            fail("preparation", "exit code", done)
    for question in range(2, 200):  # the first ones come before the first step: a run that is stopped there leaves nothing
        run(["run", "scene.yaml", "-o", "stopped"], env=dict(os.environ, SCREE_TEST_STOP=str(question)))
        if os.path.exists("stopped"):
            break
    shutil.copytree("stopped", "column")
    shutil.copytree("done", "drop")
    shutil.copytree("done", "again")


def main():
    global as_nobody, PROGRAM
    spent = []
    work, elsewhere = tempfile.mkdtemp(), None
    os.chmod(work, 0o777)
    os.chdir(work)
    try:
        if os.geteuid() == 0:
            elsewhere = tempfile.mkdtemp(dir="/tmp")
            os.chmod(elsewhere, 0o755)
            for program in (PROGRAM, os.path.join(work, "program"), os.path.join(elsewhere, "program")):  # nobody may not look into the build, and nothing may run from some folders
                with contextlib.suppress(OSError, subprocess.SubprocessError):
                    if program != PROGRAM:
                        shutil.copy(PROGRAM, program)
                    if subprocess.run([program, "--version"], user=NOBODY, group=NOBODY, extra_groups=[], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
                        as_nobody = {"as_nobody": True}
                        PROGRAM = program
                        break
        else:
            as_nobody = {}
        if as_nobody is None:
            print("skipped: what cannot be read or written (no call as another user works here)")
        prepare()
        tables = json.loads(run(["help", "--json"]).stdout)["commands"]
        for command in tables:
            for option in command["options"]:
                if option["value"] in ("FILE", "FOLDER", "DIR", "P.png", "PAGE.html", "PREFIX") and option["file"] == "none":
                    fail(f"{command['name']} --{option['name']}", "the table `uses` of the command lacks it")
            if command["arguments"] and "none" in command["arguments"]:
                fail(command["name"], "the table `uses` of the command lacks its arguments")
            plain = example_of(command)
            if plain is None:
                continue
            named = {plain.words[role[1] - 1] for role in plain.roles}
            several = [plain]
            for option in command["options"]:
                if option["file"] != "none" and not named & {f"--{option['name']}", f"-{option['letter']}"}:
                    fresh_targets(next(call for call in reversed(several) if call is not None))
                    several.append(with_option(plain, option))
            if any(o["name"] == "sizes" for o in command["options"]):
                words = list(plain.words)
                if "--sizes" in words:
                    words[words.index("--sizes") + 1] = "table:sieve.csv"
                    several.append(parse(command, words))
            for call in several:
                if call is None:
                    continue
                what = shlex.join(call.words)
                begin = time.monotonic()
                if EFFORT <= 1 and call is not plain:  # of the further ones, what they add
                    extra = [role for role in call.roles if role not in plain.roles]
                    whole, call = call, Call(command, call.words, extra)
                else:
                    whole = call
                fresh_targets(whole)
                for check in (inputs,) if SHORT else (inputs, outputs):
                    fresh_targets(whole)
                    check(call, what)
                if SHORT:
                    continue
                fresh_targets(whole)
                coincidences(whole, what)
                if call is whole:
                    fresh_targets(whole)
                    streams(whole, what)
                    fresh_targets(whole)
                    interrupts(whole, what, (1, 2, 3, 5, 9) if EFFORT <= 1 else range(1, 60))
                fresh_targets(whole)
                if EFFORT > 1 and call is plain:
                    asks_often(whole, what)
                    fresh_targets(whole)
                spent.append((time.monotonic() - begin, what))
    finally:
        os.chdir("/")
        for folder in filter(None, (work, elsewhere)):
            shutil.rmtree(folder, ignore_errors=True)
    if EFFORT > 1:
        for seconds, what in sorted(spent, reverse=True)[:10]:
            print(f"{seconds:6.1f} s  {what}")
    print(f"{len(tables)} commands, {calls} calls, {len(failures)} failed")
    sys.exit(len(failures) > 0)


if __name__ == "__main__":
    main()
