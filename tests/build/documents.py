#!/usr/bin/env python3
"""documents.py SOURCE BUILD [PAGE...]: what README.md and docs/ say is so.

Without PAGE: all pages, and the pages as a whole (links and their anchors, pages that sources name, numbers in two pages, docs/README.md against mkdocs.yml, figures that are up to date, a complete
example for each header, every flag of every command, versions). With PAGE, e.g. docs/pack.md: only these pages. SCREE_DOCUMENTS_JOBS is the number of pages checked at a time (all cores).

Each page is checked in a forked process of its own. Its blocks are run in order in one empty folder, with `scree` in PATH, copies of examples/ and papers/, and the
Python module importable:

    ```sh       bash -e; its standard output is the ```text block after it, if there is one
    ```python   one after the other in one interpreter; everything printed must be in a ```text block after it
    ```c        a complete program, compiled without warnings and run; a line `// arguments: A B` in it gives its arguments
    ```cpp      the same in C++17
    ```c FILE, ```diff FILE   a new file, or new lines in one, of a copy of the sources; the C programs after it are linked with all of the folder of
                FILE, compiled from that copy
    ```yaml     a scene that `scree run --check` accepts
    ```console  not run; a line <!-- not run: REASON --> stands above it
    ```text     output of the block before it; after the words "With this `NAME`" an input file; after "and `NAME` is" an output file; otherwise (a heading
                in between) only for reading. A line ... stands for any lines, ... in a line for any text

Every `scree COMMAND --flag`, `make GOAL`, `scree_name` and path of the repository in `...` must exist, in blocks and in running text.

The `scree` in PATH saves time in two ways. Pictures whose size the page does not give are small: at the default size drawing takes longer than everything
else together. And `scree demo`, with which many pages start, and `scree bench` run once for the same arguments; later calls get copies of their files and
output.
"""
import contextlib
import glob
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

BLOCK_SECONDS = 300  # nothing here takes long, but machines may be busy
SLOW_SECONDS = 2  # slower blocks are listed

# In PATH in place of the program.
SCREE = r"""#!/usr/bin/env bash
program={program} kept={kept}
case "${{1-}} $* " in
    *" --size"[=\ ]*) ;;
    demo\ * | picture\ * | pack\ *" --picture"[=\ ]*) set -- "$@" --size 320x240 ;;
esac
case ${{1-}} in demo | bench) ;; *) exec "$program" "$@" ;; esac
key=$kept/$(printf '%s\0' "$@" | md5sum | cut -c 1-32)
if [ ! -d "$key" ]; then
    new=$(mktemp -d "$kept/new.XXXXXX")
    mkdir "$new/files"
    if ! (cd "$new/files" && "$program" "$@" > ../out 2> ../err); then exec "$program" "$@"; fi  # it may need a file of this folder
    mv -T "$new" "$key" 2> /dev/null || rm -rf "$new"  # another page was faster
fi
cp -r "$key/files/." .
cat "$key/err" >&2
cat "$key/out"
"""


class Block:
    def __init__(self, kind, line, above):
        self.kind, self.line, self.above = kind, line, above  # above: the last line with text before it
        self.heading = False  # a heading lies between it and the block before
        self.text = ""


def split(path):
    """The fenced blocks of a page, and the rest of it with blank lines in their place."""
    blocks, rest, block, above, heading = [], [], None, "", False
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        if block is None and line.startswith("```"):
            block = Block(line[3:].strip(), number, above)
            block.heading, heading = heading, False
            rest.append("\n")
        elif block is not None and line.startswith("```"):
            blocks.append(block)
            block = None
            rest.append("\n")
        elif block is not None:
            block.text += line
            rest.append("\n")
        else:
            rest.append(line)
            heading = heading or line.startswith("#")
            above = line.strip() or above
    if block is not None:
        sys.exit(f"{path}:{block.line}: block without an end")
    return blocks, "".join(rest)


KINDS = {"sh", "python", "c", "cpp", "yaml", "console", "text", ""}


class Known:
    """What may be named: commands and their flags, benchmarks, identifiers, goals of the Makefile."""

    def __init__(self, source, build):
        self.program = os.path.join(build, "scree")
        self.help = self.reported("--help")
        listed = re.findall(r"^  ([a-z]+)  +\S", self.help, re.M)
        self.flags = {name: set(re.findall(r"(?<![\w-])(--?[A-Za-z][a-z-]*)", self.help_of(name))) for name in listed}
        self.flags = {name: flags for name, flags in self.flags.items() if "--help" in flags}
        self.every_flag = set().union(*self.flags.values())
        self.benches = set(json.loads(self.reported("bench", "--json"))["available"]["bench"])
        if not self.flags or not self.benches:
            sys.exit(f"found {len(self.flags)} commands in scree --help and {len(self.benches)} benchmarks in scree bench")
        self.words, self.goals = set(), set()
        for pattern in ("include/scree/*.h", "src/*/*.[ch]", "src/*/*/*.[ch]", "tests/*.[ch]", "python/scree/*.py", "CMakeLists.txt", "Makefile"):
            for path in glob.glob(os.path.join(source, pattern)):
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                self.words |= set(re.findall(r"\b(?:scree|SCREE)_\w+", text))
                if pattern == "Makefile":
                    self.goals |= {goal for line in re.findall(r"^\.PHONY:(.*)", text, re.M) for goal in line.split()}

    def help_of(self, name):
        """The help of a command and of its methods, where it has some."""
        text = self.reported(name, "--help")
        methods = re.findall(r"^  ([a-z]+)  +\S", text.split("\nmethods:\n")[1], re.M) if "\nmethods:\n" in text else []
        return text + "".join(self.reported(name, method, "--help") for method in methods)

    def reported(self, *arguments):
        return subprocess.run([self.program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL).stdout


# --- one page -----------------------------------------------------------------------------------------------------

def same(wanted, printed):
    """Whether the text is the wanted one, where ... stands for anything."""
    lines = []
    for line in wanted.splitlines(keepends=True):
        lines.append(r"(?:.*\n)*?" if line.strip() == "..." else r".*?".join(re.escape(part) for part in line.split("...")))
    return re.fullmatch("".join(lines), printed) is not None


class Page:
    def __init__(self, source, build, known, page):
        self.source, self.build, self.known, self.page = source, build, known, page
        self.blocks, self.rest = split(os.path.join(source, page))
        self.counts, self.bad = {}, 0
        self.folders = set()  # of a copy of the sources, in which the page has changed something
        self.names = {"__name__": "__main__"}

    def complain(self, line, text):
        self.bad += 1
        print(f"{self.page}:{line}: {text}")

    # Everything named must exist.
    def check_commands(self, line, text):
        text = text.replace("\\\n", " ")
        for found in re.finditer(r"(?<![\w./-])(?<!# )(?:build/)?scree[ \n]+([a-z][a-z-]*)((?:(?![\w/]*scree[ \n])[^;`])*)", text):
            command, rest = found.group(1), re.split(r" \| (?!-)|&&", found.group(2))[0]
            if command in ("help", "version"):
                continue
            if command not in self.known.flags:
                self.complain(line, f"there is no command 'scree {command}'")
                continue
            for flag in re.findall(r"(?<![\w-])(--[a-z][a-z-]*|-[a-zA-Z](?![\w]))", rest):
                if flag not in self.known.flags[command]:
                    self.complain(line, f"'scree {command}' has no {flag}")
            if command == "bench":
                for word in rest.split():
                    if not re.fullmatch(r"[a-z][a-z0-9-]*", word):
                        break
                    if word not in self.known.benches:
                        self.complain(line, f"there is no benchmark '{word}'")

    def check_names(self):
        rest = self.rest
        for found in re.finditer(r"`([^`]+?)`", rest):
            code, line = found.group(1), rest.count("\n", 0, found.start()) + 1
            if "\n\n" in code:
                self.complain(line, "` without its closing `")
                continue
            self.check_commands(line, code)
            if code.startswith("-"):
                for flag in re.findall(r"(?<![\w-])(--[a-z][a-z-]*)", code):
                    if flag not in self.known.every_flag:
                        self.complain(line, f"no command has {flag}")
            goal = re.match(r"make ([a-z][a-z-]*)", code)
            if goal and goal.group(1) not in self.known.goals:
                self.complain(line, f"the Makefile has no goal '{goal.group(1)}'")
            for word in re.findall(r"(?<!\w)(?:scree|SCREE)_\w+", code):
                if word not in self.known.words and not word.endswith("_"):
                    self.complain(line, f"there is no {word} in the sources")
            place = re.fullmatch(r"(src|include|cli|tests|docs|examples|python|tools|cmake|viewer|scenes|papers|bench)/[\w./*-]*", code)
            if place and not glob.glob(os.path.join(self.source, code)) and "NAME" not in code:
                self.complain(line, f"there is no {code}")
        for block in self.blocks:
            if block.kind in ("sh", "console", ""):
                body = re.sub(r"#.*", "", block.text)
                if block.kind == "":
                    self.check_commands(block.line, re.sub(r"\n +", " ", body))
                else:
                    for line in body.replace("\\\n", " ").splitlines():
                        self.check_commands(block.line, line)

    def check_shape(self):
        for number, line in enumerate(self.rest.splitlines(), 1):
            if re.match(r"    +(\$ |scree |make |sudo |/usr/bin/|import |cmake |pip )", line):
                self.complain(number, "commands belong in a ```sh block, which is run")
            if re.match(r"\s+```|\s*~~~", line):
                self.complain(number, "blocks begin with ``` at the left margin")
        for block in self.blocks:
            if re.fullmatch(r"(c|diff) src/\S+", block.kind):
                continue
            if block.kind not in KINDS:
                self.complain(block.line, f"unknown kind of block '{block.kind}'; expected {', '.join(sorted(KINDS - {''}))}")
            if block.kind == "console" and not re.fullmatch(r"<!-- not run: .+ -->", block.above):
                self.complain(block.line, "a ```console block needs a line <!-- not run: REASON --> above it")
            if block.kind == "" and re.search(r"^(\$ )?scree [a-z]", block.text, re.M) and not re.search(r"[\[|]|\b[A-Z]{2}", block.text):
                self.complain(block.line, "commands belong in a ```sh block, which is run")

    # Everything that can run is run.
    def call(self, command, stdin=None):
        done = subprocess.run(command, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=BLOCK_SECONDS)
        if done.returncode != 0:
            raise RuntimeError(f"exit status {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
        return done.stdout

    # A page that adds to the sources does so in a copy of them.
    def change_copy(self, block):
        what, path = block.kind.split()
        if not self.folders:
            shutil.copytree(os.path.join(self.source, "src"), "src")
        self.folders.add(os.path.dirname(path))
        if path.startswith("src/sim/"):
            self.folders.add("src/device")  # the emulated device has the laws and boundaries of src/sim in it
        if what == "c":
            if os.path.exists(path):
                raise RuntimeError(f"{path} is there already")
            text = block.text
        else:
            lines = block.text.splitlines(keepends=True)
            before = "".join(line[1:] for line in lines if line[0] == " ")
            after = "".join(line[1:] for line in lines)
            text = open(path, encoding="utf-8").read()
            if text.count(before) != 1 or before == after:
                raise RuntimeError(f"its lines are {text.count(before)} times in {path}")
            text = text.replace(before, after)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def compile_copy(self):
        objects = []
        for source in sorted(source for folder in self.folders for source in glob.glob(folder + "/*.c")):  # with few kernels: in half the time
            objects.append(f"copy{len(objects)}.o")
            wide = {"avx2": ["-mavx2"], "avx512": ["-mavx2", "-mfma", "-mbmi2", "-mavx512f", "-mavx512dq", "-mavx512vl"]}.get(source[:-2].rpartition("_")[2], [])
            self.call([os.environ.get("CC", "cc"), "-std=gnu17", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-DSCREE_FEW_KERNELS", *wide, f"-I{self.source}/include", "-Isrc", "-c",
                       source, "-o", objects[-1]])
        return objects

    def run_block(self, block, number):
        if re.match(r"(c|diff) ", block.kind):
            self.change_copy(block)
            return ""
        if block.kind == "sh":
            return self.call(["bash", "-e", "-o", "pipefail", "-c", block.text])
        if block.kind == "yaml":
            return self.call(["scree", "run", "-", "--check"], stdin=block.text)
        if block.kind == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(block.text, f"{self.page}, block of line {block.line}", "exec"), self.names)
            return out.getvalue()
        if "int main(" not in block.text:
            raise RuntimeError("is not a complete program")
        arguments = re.search(r"^// arguments: (.*)$", block.text, re.M)
        if "argc" in block.text and not arguments:
            raise RuntimeError("takes arguments; give them in a line '// arguments: ...'")
        name = f"example{number}"
        with open(f"{name}.{block.kind}", "w", encoding="utf-8") as file:
            file.write(block.text)
        compiler = [os.environ.get("CC", "cc"), "-std=c17"] if block.kind == "c" else [os.environ.get("CXX", "c++"), "-std=c++17"]
        compile_one = [*compiler, "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{self.source}/include", f"{name}.{block.kind}"]
        if self.folders:
            self.call([*compile_one, *self.compile_copy(), *glob.glob(f"{self.build}/libscree_inner.a"), "-lm", "-pthread", "-o", name])
        else:
            self.call([*compile_one, f"-L{self.build}", "-lscree_show", "-lscree_files", "-lscree", "-lm", f"-Wl,-rpath,{self.build}", "-o", name])
        return self.call(["./" + name, *(arguments.group(1).split() if arguments else [])])

    def run(self):
        number = 0
        while number < len(self.blocks):
            block, number = self.blocks[number], number + 1
            self.counts[block.kind] = self.counts.get(block.kind, 0) + 1
            if block.kind not in ("sh", "python", "c", "cpp", "yaml") and not re.match(r"(c|diff) ", block.kind):
                continue
            wanted, left = None, []
            while number < len(self.blocks) and self.blocks[number].kind == "text" and not self.blocks[number].heading:
                follower, number = self.blocks[number], number + 1
                given = re.search(r"[Ww]ith this `([^`/]+)`:?$", follower.above)
                found = re.search(r"and `([^`/]+)` is:?$", follower.above)
                if given:
                    with open(given.group(1), "w", encoding="utf-8") as file:
                        file.write(follower.text)
                elif found:
                    left.append((found.group(1), follower))
                elif wanted is None:
                    wanted = follower
                else:
                    self.complain(follower.line, "second ```text block after one block")
            began = time.monotonic()
            try:
                printed = self.run_block(block, number)
            except subprocess.TimeoutExpired:
                self.complain(block.line, f"takes more than {BLOCK_SECONDS} s")
                return
            except Exception as error:  # of the page's Python too
                self.complain(block.line, f"{block.kind} block: {error if isinstance(error, RuntimeError) else traceback.format_exc(limit=-1)}")
                return  # what follows may need it
            took = time.monotonic() - began
            if took > SLOW_SECONDS:
                print(f"{self.page}:{block.line}: {took:.1f} s")
            if wanted is None and block.kind == "python" and printed:
                self.complain(block.line, f"the page does not show the output:\n{printed}")
            if wanted is not None and not same(wanted.text, printed):
                self.complain(wanted.line, f"the output of the block in line {block.line} differs:\n{printed}")
            for name, follower in left:
                with open(name, encoding="utf-8") as file:
                    if not same(follower.text, file.read()):
                        self.complain(follower.line, f"{name} differs")

    def go(self):
        self.check_shape()
        self.check_names()
        self.run()
        ran = ", ".join(f"{self.counts[kind]} {kind}" for kind in ("sh", "python", "c", "cpp", "yaml") if kind in self.counts) or "nothing to run"
        print(f"{self.page}: {ran}" + (f"; {self.counts['console']} not run" if "console" in self.counts else ""))
        return self.bad == 0

    def size(self):
        """Rough measure of the time it takes: the commands in ```sh blocks, those that compute much weighing more. A copy of the sources comes first."""
        commands = [name for block in self.blocks if block.kind == "sh" for name in re.findall(r"\bscree ([a-z]+)", block.text)]
        return sum({"bench": 5, "pack": 3, "run": 3}.get(name, 1) for name in commands) + 1000 * any(block.kind.startswith("c src/") for block in self.blocks)


class Help(Page):
    """The commands to try in `scree --help`, run one after the other; of a simulation, only whether it could start."""

    def __init__(self, source, build, known):
        self.source, self.build, self.known, self.page = source, build, known, "scree --help"
        self.blocks, self.rest, self.counts, self.bad = [], "", {}, 0
        for number, line in enumerate(re.sub(r" \\\n +", " ", known.help).splitlines(), 1):
            found = re.fullmatch(r" +\$ (scree .*)", line)
            if found:
                block = Block("sh", number, "")
                words = shlex.split(found.group(1))
                block.text = shlex.join(words[:words.index("-o")] + ["--check"] if words[1] == "run" else words)
                self.blocks.append(block)
        if not self.blocks:
            self.complain(1, "no commands to try")


# --- all pages ----------------------------------------------------------------------------------------------------

def anchor(heading):
    """As GitHub makes it."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.strip()).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def digits(word):
    return len(re.sub(r"e.*", "", word).replace(".", "").strip("0"))


def repeated_numbers(parts):
    """A measured number stands in one page, and others link to it: lines of running text in different pages that share two numbers of three digits or more,
    and eight digits with them: two of three digits are the same by chance now and then."""
    lines, bad = [], []
    for page, (_, rest) in sorted(parts.items()):
        for number, line in enumerate(rest.splitlines(), 1):
            words = re.findall(r"(?<![\w.,:/^-])\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.])", re.sub(r"`[^`]*`|\]\([^)]*\)", " ", line))
            values = {word for word in words if digits(word) >= 3}
            bad += [f"{page}:{number}: {', '.join(sorted(values & others))} are in {other} too: link to the page that measures them"
                    for other, others in lines if not other.startswith(page + ":") and len(values & others) > 1 and sum(map(digits, values & others)) >= 8]
            if len(values) > 1:
                lines.append((f"{page}:{number}", values))
    return bad


def compare_indexes(source):
    """docs/README.md and the nav of mkdocs.yml have the same sections with the same pages and titles, in the same order."""
    with open(os.path.join(source, "mkdocs.yml"), encoding="utf-8") as file:
        nav = file.read().partition("\nnav:\n")[2]
    with open(os.path.join(source, "docs", "README.md"), encoding="utf-8") as file:
        page = file.read()
    menu, section = [], None
    for name, title, target in re.findall(r'^  - "?([^"\n]+?)"?:\n|^      - (.+): ([\w-]+\.md)$', nav, re.M):
        section = name or section
        if target:
            menu.append((section, title, target))
    listed, section = [], None
    for name, title, target in re.findall(r"^## (.*)$|^\| \[([^]]+)\]\(([\w-]+\.md)\) \|", page, re.M):
        section = name or section
        if target:
            listed.append((section, title, target))
    if not menu:
        return ["mkdocs.yml: no pages in its nav"]
    for one, other in zip(menu + [None] * len(listed), listed + [None] * len(menu)):
        if one != other:
            return [f"mkdocs.yml and docs/README.md differ: the first has {one}, the second {other}"]
    return []


def together(source, known, docs):
    bad = []
    parts = {page: split(os.path.join(source, page)) for page in docs + [name for name in os.listdir(source) if name.endswith(".md")]}
    anchors = {page: {anchor(h) for h in re.findall(r"^#+ (.*)$", rest, re.M)} for page, (_, rest) in parts.items()}
    links = 0
    for page, (_, rest) in parts.items():
        for target in re.findall(r"\]\(([^):\s]+)\)", rest):
            path, _, part = target.partition("#")
            to = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            links += 1
            if not os.path.exists(os.path.join(source, to)):
                bad.append(f"{page}: there is no {path}")
            elif part and part not in anchors.get(to, ()):
                bad.append(f"{page}: {to} has no heading for #{part}")
    for folder in ("include", "src", "cli", "papers", "bench", "python", "viewer", "examples", "cmake", "tools"):  # pages that comments, help and messages name
        for path in sorted(glob.glob(os.path.join(source, folder, "**"), recursive=True)):
            if os.path.isfile(path) and not path.endswith((".png", ".so", ".stl")):
                with open(path, encoding="utf-8", errors="replace") as file:
                    named = set(re.findall(r"\bdocs/([\w-]+\.md)\b", file.read()))
                bad += [f"{os.path.relpath(path, source)}: there is no docs/{name}" for name in sorted(named) if "docs/" + name not in docs]
    bad += compare_indexes(source)
    bad += repeated_numbers({page: part for page, part in parts.items() if page != "CHANGELOG.md"})
    figures = subprocess.run([sys.executable, "-B", os.path.join(source, "tools", "figures"), "check"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if figures.returncode != 0:
        bad += figures.stdout.splitlines()

    # Every command is in docs/program.md, and every flag in some page.
    program = parts["docs/program.md"][1] + "".join(block.text for block in parts["docs/program.md"][0])
    reported = "".join(rest + "".join(block.text for block in blocks) for page, (blocks, rest) in parts.items() if page in docs)
    for command, flags in known.flags.items():
        if f"scree {command}" not in program:
            bad.append(f"docs/program.md does not describe 'scree {command}'")
        for flag in sorted(flags):
            if flag.startswith("--") and not re.search(re.escape(flag) + r"(?![\w-])", reported):
                bad.append(f"no page describes {flag} of 'scree {command}'")

    examples = {}  # header -> pages with a complete program that includes it by name
    for page in docs:
        for block in parts[page][0]:
            if block.kind in ("c", "cpp") and "int main(" in block.text:
                for header in re.findall(r"#include <scree/(\w+\.h(?:pp)?)>", block.text):
                    examples.setdefault(header, set()).add(page)
    api = parts["docs/api.md"][1]
    headers = sorted(os.listdir(os.path.join(source, "include", "scree")))
    for header in headers:
        if header not in examples:
            bad.append(f"no page has a complete program with #include <scree/{header}>")
        if f"include/scree/{header}" not in api:
            bad.append(f"docs/api.md does not link to {header}")

    with open(os.path.join(source, "include", "scree", "base.h"), encoding="utf-8") as file:
        version = ".".join(re.findall(r"#define SCREE_VERSION_[A-Z]+ ([0-9]+)", file.read()))
    for name in ("CITATION.cff", "CHANGELOG.md"):
        with open(os.path.join(source, name), encoding="utf-8") as file:
            if not re.search(rf"^(version: |## ){re.escape(version)}(,|$)", file.read(), re.M):
                bad.append(f"{name} does not mention version {version}")
    readme = parts["README.md"][0]
    if not any(block.kind == "c" and follower.kind == "text" for block, follower in zip(readme, readme[1:])):
        bad.append("README.md has no C example with its output")

    for page, (blocks, _) in parts.items():
        for block in blocks:
            if block.kind == "console":
                print(f"not run: {page}:{block.line}: {block.above.removeprefix('<!-- not run: ').removesuffix(' -->')}")
    print(f"{len(parts)} pages, {links} links, {len(headers)} headers")
    for line in bad:
        print(line)
    return not bad


# --- all of it, in forked processes -------------------------------------------------------------------------------

def surroundings(source, build, folder):
    """PATH and the rest of the environment of all blocks. NumPy and the module are loaded here, once for all pages."""
    os.mkdir(os.path.join(folder, "bin"))
    os.mkdir(os.path.join(folder, "kept"))
    with open(os.path.join(folder, "bin", "scree"), "w", encoding="utf-8") as file:
        file.write(SCREE.format(program=shlex.quote(os.path.join(build, "scree")), kept=shlex.quote(os.path.join(folder, "kept"))))
    os.chmod(os.path.join(folder, "bin", "scree"), 0o755)
    sys.dont_write_bytecode = True
    sys.path.insert(0, os.path.join(source, "python"))
    os.environ.update(PATH=os.path.join(folder, "bin") + os.pathsep + os.environ["PATH"], PYTHONPATH=os.path.join(source, "python"),
                      SCREE_LIBRARY_DIR=build, PYTHONDONTWRITEBYTECODE="1", LC_ALL="C.UTF-8", MPLCONFIGDIR=folder)
    __import__("scree")


def start(page, folder):
    """Checks a page in a forked process; its output lands in folder/out."""
    os.mkdir(folder)
    child = os.fork()
    if child:
        return child
    good = False
    try:
        scratch, out = os.path.join(folder, "scratch"), os.open(os.path.join(folder, "out"), os.O_WRONLY | os.O_CREAT)
        os.dup2(out, 1)
        os.dup2(out, 2)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.mkdir(scratch)
        os.chdir(scratch)
        shutil.copytree(os.path.join(page.source, "examples"), "examples")
        shutil.copytree(os.path.join(page.source, "papers"), "papers")
        os.environ["HOME"] = scratch
        good = page.go()
    except BaseException:  # sys.exit in a Python block too: this process must not go on as the parent
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0 if good else 1)


def check_pages(pages, folder, jobs):
    """Those with much to do first, `jobs` at a time; gives the names of the bad ones."""
    waiting, running, bad = sorted(pages, key=Page.size), {}, []
    while waiting or running:
        while waiting and len(running) < jobs:
            page = waiting.pop()
            own = os.path.join(folder, f"page{len(waiting)}")
            running[start(page, own)] = page, own
        child, status = os.wait()
        page, own = running.pop(child)
        with open(os.path.join(own, "out"), encoding="utf-8", errors="replace") as file:
            print(file.read(), end="", flush=True)
        if status != 0:
            bad.append(page.page)
            if os.WIFSIGNALED(status):
                print(f"{page.page}: killed by signal {os.WTERMSIG(status)}")
        shutil.rmtree(own)
    return bad


def main():
    source, build = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    docs = sorted(os.path.relpath(path, source) for path in glob.glob(os.path.join(source, "docs", "*.md")))
    known = Known(source, build)
    pages = [Page(source, build, known, name) for name in sys.argv[3:] or ["README.md", *docs]]
    bad = []
    if not sys.argv[3:]:
        pages.append(Help(source, build, known))
        bad = [] if together(source, known, docs) else ["the pages as a whole"]
    sys.stdout.flush()
    with tempfile.TemporaryDirectory() as folder:
        surroundings(source, build, folder)
        bad += check_pages(pages, folder, int(os.environ.get("SCREE_DOCUMENTS_JOBS", 0)) or len(os.sched_getaffinity(0)))
    if bad:
        sys.exit("FAILED: " + ", ".join(bad))


if __name__ == "__main__":
    main()
