"""What `scree --help` and `scree COMMAND --help` say, read from the outside; for the tests of man pages and completion."""
import functools
import re
import subprocess
import sys


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)


def check(condition, text):
    if not condition:
        print(f"FAILED: {text}")
        sys.exit(1)


@functools.cache
def commands(program):
    """Names of all commands, with what each is about."""
    done = run(program, "--help")
    check(done.returncode == 0, f"scree --help gave {done.returncode}")
    found = dict(re.findall(r"^  ([a-z]+) +(.*)$", done.stdout, re.MULTILINE))
    check("contacts" in found and "bench" in found, f"commands in --help: {list(found)}")
    return found


@functools.cache
def options(program, command):
    """(letter, name, value, help) of each option of a command; letter and value may be empty."""
    done = run(program, command, "--help")
    check(done.returncode == 0, f"scree {command} --help gave {done.returncode}")
    text = done.stdout.split("\noptions:\n")[1].split("\nexample:\n")[0]
    found = [re.fullmatch(r"  (?:-(\w), |    )--([a-z-]+)(?: (\S+))? +(\S.*)", line) for line in text.splitlines() if line]
    check(all(found) and found, f"scree {command} --help has lines that are no options:\n{text}")
    return [tuple(part or "" for part in row.groups()) for row in found]


def examples(program, command):
    return [line.strip() for line in run(program, command, "--help").stdout.split("\nexample:\n")[1].splitlines() if line]
