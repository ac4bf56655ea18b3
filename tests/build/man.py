"""Man pages: groff takes them without a warning, and what it prints has everything that --help has. Help: its lines fit the terminal, and an option
means the same on every command.

usage: man.py SOURCE BUILD
"""
import os
import re
import shutil
import subprocess
import sys

from program_help import check, commands, examples, options, pages, parts, run, usage


def rendered(path):
    """The page as letters alone, each run of blanks one blank."""
    done = run("groff", "-man", "-ww", "-Tutf8", "-P-cbou", path)
    check(done.returncode == 0 and done.stderr == "", f"groff on {path}: {done.stderr[:1000]}")
    return re.sub(r"\s+", " ", done.stdout)


def page(program, folder, name, *words):
    path = os.path.join(folder, name)
    fresh = run(program, "help", "--man", *words)
    check(fresh.returncode == 0 and open(path).read() == fresh.stdout, f"{name} is not what the program prints now")
    return rendered(path)


def headings(text, wanted, name):
    last = 0
    for heading in wanted:
        at = text.find(f" {heading} ", last)
        check(at >= 0, f"{name}: {heading} is missing, or in another place")
        last = at


def check_flags(program):
    """One meaning of a flag on all commands: the same letter, the same kind of value."""
    kinds, letters = {}, {}
    for command in pages(program):
        for letter, option, value, _ in options(program, command):
            if option in ("out", "ranks"):  # a file, a folder or a prefix; one number of processes or several
                value = ""
            first = kinds.setdefault(option, (letter, value, command))
            check(first[:2] == (letter, value), f"--{option} is {first[:2]} in {first[2]} and {(letter, value)} in {command}")
            if letter:
                check(letters.setdefault(letter, option) == option, f"-{letter} is --{letters[letter]} and --{option}")
    return len(kinds)


def check_width(program):
    """Help fits the width; long examples go on in the next line after a backslash, so that they can be copied."""
    for columns, most in (("50", 50), ("72", 72), ("", 80), ("300", 100), ("nonsense", 80)):
        for command in ("", *pages(program)):
            environment = dict(os.environ, COLUMNS=columns)
            text = subprocess.run([program, *command.split(), "--help"], stdout=subprocess.PIPE, text=True, env=environment, check=True).stdout
            lines = text.splitlines()
            long = [line for line in lines if len(line) > most and len(line.split()) > 1]
            check(not long, f"COLUMNS={columns} scree {command} --help: {long}")
            check(columns != "300" or command in ("", "resume", "convert", "demo", "levels", "view") or max(map(len, lines)) > 85, f"COLUMNS={columns} scree {command}: lines are narrow")
            split = [line for line in lines if re.search(r"\[--[a-z-]+$", line)]  # an option in brackets, and its value in the next line
            check(not split or columns == "50", f"COLUMNS={columns} scree {command} --help: {split}")


def main():
    program, folder = os.path.join(sys.argv[2], "scree"), os.path.join(sys.argv[2], "man")
    check(shutil.which("groff"), "groff is not here; `tools/setup test` installs it")
    os.environ.pop("COLUMNS", None)
    flags = check_flags(program)
    check_width(program)
    top, known = commands(program), pages(program)
    text = page(program, folder, "scree.1")
    headings(text, ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "FILES", "EXAMPLES", "EXIT STATUS", "SEE ALSO"], "scree.1")
    for name, about in top.items():
        check(f"scree-{name}(1) {about} " in text, f"scree.1 lacks scree-{name}")
    count = 0
    for name, about in known.items():
        file = "scree-" + name.replace(" ", "-")
        own = page(program, folder, f"{file}.1", *name.split())
        middle = "METHODS" if parts(program, name) else "OPTIONS"
        headings(own, ["NAME", "SYNOPSIS", "DESCRIPTION", middle, "EXAMPLES", "EXIT STATUS", "SEE ALSO"], name)
        check(f"NAME {file} - {about} SYNOPSIS scree {name} " in own, f"{name}: the name or the synopsis is wrong")
        check(f"SYNOPSIS {usage(program, name)} DESCRIPTION " in own, f"{name}: the synopsis is not the usage of --help: {usage(program, name)}")
        for letter, option, value, help in options(program, name):
            row = (f"-{letter}, " if letter else "") + f"--{option}" + (f" {value}" if value else "") + " "
            check(row + re.sub(r"\s+", " ", help) + " " in own, f"{file}.1 lacks: {row}{help}")
            count += 1
        for part, what in parts(program, name).items():
            check(f"scree-{part.replace(' ', '-')}(1) {what} " in own, f"{file}.1 lacks {part}")
        for line in examples(program, name):
            check(f" {line} " in own, f"{file}.1 lacks the example: {line}")
        group = name.split()[0]
        for other in known:
            seen = re.search(rf"scree-{other.replace(' ', '-')}\(1\)", own.split("SEE ALSO")[1]) is not None
            wanted = other != name and (other == group or other in parts(program, group) if " " in name else " " not in other or other in parts(program, name))
            check(seen == wanted, f"{name}: SEE ALSO and {other}")
    found = sorted(name for name in os.listdir(folder) if name.endswith(".1"))
    check(found == sorted(["scree.1"] + [f"scree-{name.replace(' ', '-')}.1" for name in known]), f"pages are {found}: cmake/manual.cmake lists the commands")
    print(f"{len(found)} pages, {count} options, {flags} flags")


if __name__ == "__main__":
    main()
