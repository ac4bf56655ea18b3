"""What `scree --help` and `scree COMMAND --help` print; for the tests of man pages, completion and flags."""
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


def unwrapped(text):
    """Rows of help: a line that begins deeper than the rows goes on with the row before."""
    lines = []
    for line in text.splitlines():
        if lines and re.match(r" {9,}\S", line):
            lines[-1] += " " + line.strip()
        else:
            lines.append(line)
    return lines


@functools.cache
def help_of(program, command=""):
    done = run(program, *command.split(), "--help")
    check(done.returncode == 0, f"scree {command} --help gave {done.returncode}")
    return done.stdout


@functools.cache
def commands(program):
    """Names of all commands, with what each is about."""
    found = dict(re.findall(r"^  ([a-z]+)  +(\S.*)$", "\n".join(unwrapped(help_of(program))), re.MULTILINE))
    check("contacts" in found and "bench" in found, f"commands in --help: {list(found)}")
    return found


@functools.cache
def parts(program, command):
    """The methods of a command that is a group, as `pack rsa`, with what each is about; empty for other commands."""
    text = help_of(program, command)
    if "\nmethods:\n" not in text:
        return {}
    found = re.findall(r"^  ([a-z]+)  +(\S.*)$", "\n".join(unwrapped(text.split("\nmethods:\n")[1])), re.MULTILINE)
    check(len(found) > 3, f"methods in scree {command} --help: {found}")
    return {f"{command} {name}": about for name, about in found}


@functools.cache
def pages(program):
    """All commands and their methods, with what each is about."""
    found = {}
    for name, about in commands(program).items():
        found[name] = about
        found.update(parts(program, name))
    return found


@functools.cache
def options(program, command):
    """(letter, name, value, help) of each option of a command; letter and value may be empty. A group has none."""
    if parts(program, command):
        return []
    text = re.split(r"\nexamples?:\n", re.split(r"\n(?:common )?options:\n", help_of(program, command), maxsplit=1)[1])[0]
    lines = [line for line in unwrapped(text) if line and line != "common options:"]
    found = [re.fullmatch(r"  (?:-(\w), |    )--([a-z-]+)(?: (\S+))? +(\S.*)", line) for line in lines]
    check(all(found) and found, f"scree {command} --help has lines that are no options:\n{text}")
    return [tuple(part or "" for part in row.groups()) for row in found]


def usage(program, command):
    return re.sub(r"\s+", " ", re.search(r"^usage: (.*?)\n\n", help_of(program, command), re.MULTILINE | re.DOTALL)[1])


def examples(program, command):
    text = re.split(r"\nexamples?:\n", help_of(program, command))[1]
    return [line.strip() for line in re.sub(r" \\\n +", " ", text).splitlines() if line]
