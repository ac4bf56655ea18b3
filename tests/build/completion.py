"""Completion: bash and zsh offer what --help lists and what the program itself calls known.

usage: completion.py SOURCE BUILD
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from program_help import check, commands, options, pages, parts, run

# bash as it would call the function; files are left to readline, which the compopt here writes down.
BASH = r"""
compopt() { [ "$*" = "-o default" ] && printf '<files>\n'; return 0; }
. "$1"
complete -p scree > /dev/null || exit 1
while IFS= read -r line; do
    IFS=$'\t' read -r -a COMP_WORDS <<< "$line"
    [ "${line: -1}" != $'\t' ] || COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _scree
    [ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
    echo '<end>'
done
"""

# zsh with a terminal of its own: types each line and a tab that only lists. It types when the prompt is there and not before: until then the terminal
# itself takes what is typed, and ^U wipes the line.
ZSH = r"""
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1='@>'; stty cols 250; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; LISTMAX=10000; bindkey '^I' list-choices; echo REA''DY"
zpty -r z out '*READY*@>*'
shift
for line; do
    zpty -w -n z "$line"$'\t'
    zpty -w -n z $'\x15'"echo EN''D"$'\n'
    zpty -r z out '*END*@>*'
    print -r -- "$out"
    print '<end>'
done
zpty -d z
"""

# Options whose words are only offers.
OPEN = {"periodic", "sizes", "dim", "view", "images", "colour-by"}

# What each command needs beside the option that is looked at, so that the option's value is reached.
BESIDE = {"contacts": ["nothing.csv"], "measure": ["nothing.csv"], "picture": ["nothing.csv", "-o", "p.png"], "film": ["nothing.csv", "-o", "p.png"],
          "view": ["nothing.csv", "-o", "p.html"],
          "levels": ["--sizes", "mono:1", "--count", "10", "--density", "0.1"], "run": ["nothing.yaml"], "resume": ["nothing"], "plan": ["nothing.yaml"], "sweep": ["nothing.yaml", "-o", "x"],
          "convert": ["nothing.csv", "x.csv"], "compare": ["nothing.csv", "x.csv"], "demo": [], "bench": [],
          **{f"pack {method}": ["--sizes", "mono:1", "--count", "5", "-o", "x.csv"] for method in ("rsa", "drop", "rearrange", "grow", "dem", "hierarchical")}}


def bash(script, lines):
    """What bash offers for each line, a list of words."""
    done = subprocess.run(["bash", "--norc", "-c", BASH, "bash", script], input="".join("\t".join(words) + "\n" for words in lines),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    check(done.returncode == 0 and done.stderr == "", f"bash: {done.stderr[:1000]}")
    answers = [block.split() for block in done.stdout.split("<end>\n")[:-1]]
    check(len(answers) == len(lines), f"bash answered {len(answers)} of {len(lines)}")
    return answers


def refusal(program, command, option):
    """The message of the program for a nonsense value, which ends with the known ones if these are a fixed list."""
    beside = list(BESIDE[command])
    if option == "method" and command in ("pack rsa", "pack drop"):
        beside += ["--stable"]
    if f"--{option}" in beside:
        at = beside.index(f"--{option}")
        del beside[at:at + 2]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program, *command.split(), *beside, f"--{option}", "qqqqqqqq"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, stdin=subprocess.DEVNULL)
    return done.stderr


def lists(message, words):
    """Whether a message ends with these words, however they are joined."""
    found = [word for word in re.findall(r"[\w.][\w.-]*", message) if word not in ("and", "or")]
    return found[-len(words):] == words


def check_bash(program, script):
    known = commands(program)
    first, help = bash(script, [["scree", ""], ["scree", "help", ""]])
    check(sorted(first) == sorted([*known, "help", "--help", "--version"]), f"bash offers as commands: {first}")
    check(sorted(help) == sorted([*known, "scene", "--man", "--completion"]), f"bash offers after help: {help}")
    choices = {}
    for group in known:
        methods = [name.split()[1] for name in parts(program, group)]
        check(not methods or bash(script, [["scree", group, ""]]) == [[*methods, "--help"]], f"bash offers for {group}: not {methods}")
    for command in pages(program):
        rows = options(program, command)
        if not rows:
            continue
        words = ["scree", *command.split()]
        (all,) = bash(script, [[*words, "-"]])
        check(all == [f"--{row[1]}" for row in rows], f"bash offers for {command}: {all}")
        with_value = [row for row in rows if row[2]]
        answers = bash(script, [[*words, f"--{row[1]}", ""] for row in with_value])
        joined = bash(script, [[*words, f"--{row[1]}", "="] for row in with_value])
        letters = bash(script, [[*words, f"-{row[0]}" if row[0] else f"--{row[1]}", ""] for row in with_value])
        check(answers == joined == letters, f"{command}: bash offers other values after = or after a letter")
        for (_, option, value, _), offered in zip(with_value, answers):
            what = f"{command} --{option}"
            if offered and offered != ["<files>"]:
                if option not in OPEN:
                    message = refusal(program, command, option)
                    check(lists(message, offered), f"{what}: bash offers {offered}, the program says: {message}")
                    choices[command, option] = offered
            else:
                check(offered or not re.search(r"\b(known|one of)\b[^:]*: ", refusal(program, command, option)), f"{what}: bash offers nothing of a known list")
                check((offered == ["<files>"]) == (value in ("FILE", "FOLDER", "DIR", "P.png", "PAGE.html", "PREFIX")), f"{what}: bash offers {offered} for {value}")
    check(choices, "no choices of options were compared")

    some = bash(script, [["scree", "bench", ""], ["scree", "contacts", ""], ["scree", "contacts", "--method", "=", "oct"], ["scree", "demo", ""],
                         ["scree", "pack", "grow", "--sizes", "uni"], ["scree", "con"], ["scree", "nonsense", ""], ["scree", "help", "--completion", ""],
                         ["scree", "measure", "a.csv", "--meth"], ["scree", "contacts", "--verify", ""], ["scree", "help", "scene", "contact.fric"]])
    names = json.loads(run(program, "bench", "--json").stdout)["available"]["bench"]
    check(some[0] == names, f"bash offers benchmarks {some[0]}, there are {names}")
    wanted = [["<files>"], ["octree"], [], ["uniform-size:", "uniform-volume:"], ["contacts", "convert"], [], ["bash", "zsh"], ["--method"], ["<files>"], ["contact.friction", "contact.friction_dynamic"]]
    check(some[1:] == wanted, f"bash offers {some[1:]}, and not {wanted}")
    laws = run(program, "levels", "--sizes", "qqqqqqqq:1", "--count", "1", "--density", "0.1").stderr
    (offered,) = bash(script, [["scree", "pack", "rsa", "-s", ""]])
    check(offered and lists(laws, [word.rstrip(":") for word in offered]), f"bash offers the laws {offered}, the program says: {laws}")
    print(f"bash: {len(choices)} choices as the program knows them")
    return known, choices


def check_zsh(program, script, known, choices):
    if shutil.which("zsh") is None:
        check(False, "zsh is not here; `tools/setup test` installs it")
    check(run("zsh", "-n", script).returncode == 0, f"zsh -n {script} fails")
    try:
        for end in os.openpty():
            os.close(end)
    except OSError as why:  # a folder that one has changed into as root may have none
        print(f"skipped: what zsh offers: no terminal of its own: {why}")
        return
    lines = ["scree ", "scree pack ", "scree pack dem --method ", "scree contacts --method=", "scree bench muth-", "scree pack rsa --sizes un", "scree help --completion ", "scree help scene contact.fric"]
    all = [command for command in pages(program) if options(program, command)]
    lines += [f"scree {command} -" for command in all]
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(script, os.path.join(folder, "_scree"))
        done = run("zsh", "-f", "-c", ZSH, "zsh", folder, *lines)
    check(done.returncode == 0, f"zsh: {done.stderr[:1000]}")
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", " ", done.stdout.replace("\r", ""))
    answers = [block.split("\n", 1)[1] if "\n" in block else block for block in plain.split("<end>\n")[:-1]]
    check(len(answers) == len(lines), f"zsh answered {len(answers)} of {len(lines)}")
    wanted = [list(known) + ["help"], [name.split()[1] for name in parts(program, "pack")], choices["pack dem", "method"], choices["contacts", "method"],
              ["muth-2d", "muth-3d", "muth-fracture", "muth-matrix", "muth-ratio"], ["uniform-size:", "uniform-volume:"], ["bash", "zsh"], ["contact.friction", "contact.friction_dynamic"]]
    wanted += [[f"--{row[1]}" for row in options(program, command)] for command in all]
    for line, answer, words in zip(lines, answers, wanted):
        shown = set(answer.split())
        lacking = [word for word in words if word not in shown]
        check(not lacking, f"zsh does not offer {lacking} after '{line}':\n{answer}")
        if line.endswith("-"):
            extra = [word for word in shown if re.fullmatch(r"--[a-z][a-z-]*", word) and word not in words]
            check(not extra, f"zsh offers {extra} after '{line}'")
    print(f"zsh: {len(lines)} lines")


def main():
    program, folder = os.path.join(sys.argv[2], "scree"), os.path.join(sys.argv[2], "man")
    known, choices = check_bash(program, os.path.join(folder, "scree.bash"))
    check_zsh(program, os.path.join(folder, "_scree"), known, choices)


if __name__ == "__main__":
    main()
