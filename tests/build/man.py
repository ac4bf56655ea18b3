"""Man pages: groff takes them without a warning, and what it prints has everything that --help has.

usage: man.py SOURCE BUILD
"""
import os
import re
import shutil
import sys

from help_text import check, commands, examples, options, run


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


def main():
    program, folder = os.path.join(sys.argv[2], "scree"), os.path.join(sys.argv[2], "man")
    check(shutil.which("groff"), "groff is not here; `tools/setup test` installs it")
    known = commands(program)
    text = page(program, folder, "scree.1")
    headings(text, ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "FILES", "EXAMPLES", "EXIT STATUS", "SEE ALSO"], "scree.1")
    count = 0
    for name, about in known.items():
        check(f"scree-{name}(1) {about} " in text, f"scree.1 lacks scree-{name}")
        own = page(program, folder, f"scree-{name}.1", name)
        headings(own, ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS", "SEE ALSO"], name)
        check(f"NAME scree-{name} - {about} SYNOPSIS scree {name} " in own, f"{name}: the name or the synopsis is wrong")
        usage = re.search(r"^usage: (.*)$", run(program, name, "--help").stdout, re.MULTILINE)[1]
        check(f"SYNOPSIS {usage} DESCRIPTION " in own, f"{name}: the synopsis is not the usage of --help: {usage}")
        for letter, option, value, help in options(program, name):
            row = (f"-{letter}, " if letter else "") + f"--{option}" + (f" {value}" if value else "") + " "
            check(row + re.sub(r"\s+", " ", help) + " " in own, f"scree-{name}.1 lacks: {row}{help}")
            count += 1
        for line in examples(program, name):
            check(f" {line} " in own, f"scree-{name}.1 lacks the example: {line}")
        for other in known:
            check((f"scree-{other}(1)" in own.split("SEE ALSO")[1]) == (other != name), f"{name}: SEE ALSO and {other}")
    pages = sorted(name for name in os.listdir(folder) if name.endswith(".1"))
    check(pages == sorted(["scree.1"] + [f"scree-{name}.1" for name in known]), f"pages are {pages}: cmake/manual.cmake lists the commands")
    print(f"{len(pages)} pages, {count} options")


if __name__ == "__main__":
    main()
