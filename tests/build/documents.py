#!/usr/bin/env python3
"""documents.py SOURCE BUILD [PAGE]: what README.md and docs/ say is so.

With PAGE, everything on that page is carried out, in order, in one empty folder in which `scree` is in PATH, examples/ is there and Python finds the module:

    ```sh       bash -e; what it prints on standard output is the ```text block behind it, if there is one
    ```python   one after the other in one interpreter; whatever it prints must stand in a ```text block behind it
    ```c        a whole program, compiled without warnings and run; a line `// arguments: A B` in it gives its arguments
    ```yaml     a scene that `scree run --check` takes
    ```console  what cannot run here; a line <!-- not run: REASON --> stands above it
    ```text     what the block before it prints; behind the words "With this `NAME`" a file that it needs; behind "and `NAME` is" a file that
                it leaves; else (a heading in between) only for reading. A line ... stands for any lines, ... in a line for any text

Whatever `scree COMMAND --flag`, `make GOAL`, `scree_name` and path of the repository is named in `...` must exist, in all blocks and in between.

Without PAGE the pages are looked at together: links and their anchors, the list in docs/README.md, a whole example for each header, every flag of every
command, versions, and what is not run and why.
"""
import contextlib
import glob
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

BLOCK_SECONDS = 300  # nothing here takes long, but machines may be busy


def fail(text):
    print(text, file=sys.stderr)
    sys.exit(1)


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
        fail(f"{path}:{block.line}: a block without an end")
    return blocks, "".join(rest)


KINDS = {"sh", "python", "c", "yaml", "console", "text", ""}


# --- one page -----------------------------------------------------------------------------------------------------

def same(wanted, printed):
    """Whether the text is the wanted one, where ... stands for anything."""
    lines = []
    for line in wanted.splitlines(keepends=True):
        lines.append(r"(?:.*\n)*?" if line.strip() == "..." else r".*?".join(re.escape(part) for part in line.split("...")))
    return re.fullmatch("".join(lines), printed) is not None


class Page:
    def __init__(self, source, build, page):
        self.source, self.build, self.page = source, build, page
        self.path = os.path.join(source, page)
        self.blocks, self.rest = split(self.path)
        self.counts, self.bad = {}, 0
        self.names = {"__name__": "__main__"}
        self.helps = None

    def complain(self, line, text):
        self.bad += 1
        print(f"{self.page}:{line}: {text}", file=sys.stderr)

    # What is named must exist.
    def run_scree(self, *arguments):
        done = subprocess.run([os.path.join(self.build, "scree"), *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.stdout

    def learn(self):
        listed = re.findall(r"^  ([a-z]+)  +\S", self.run_scree("--help"), re.M)
        self.helps = {name: set(re.findall(r"(?<![\w-])(--?[A-Za-z][a-z-]*)", self.run_scree(name, "--help"))) for name in listed}
        self.helps = {name: flags for name, flags in self.helps.items() if "--help" in flags}
        self.benches = set(re.findall(r"^  ([a-z][a-z0-9-]*)  +\S", self.run_scree("bench"), re.M))
        if len(self.helps) < 10 or len(self.benches) < 10:
            fail(f"scree --help lists {len(self.helps)} commands, scree bench {len(self.benches)}")
        self.words = set()
        for name in glob.glob(os.path.join(self.source, "include", "scree", "*.h")) + glob.glob(os.path.join(self.source, "src", "*", "*.[ch]")) + \
                glob.glob(os.path.join(self.source, "tests", "*.[ch]")) + glob.glob(os.path.join(self.source, "python", "scree", "*.py")) + \
                [os.path.join(self.source, "CMakeLists.txt"), os.path.join(self.source, "Makefile")]:
            with open(name, encoding="utf-8") as file:
                self.words |= set(re.findall(r"\b(?:scree|SCREE)_\w+", file.read()))
        self.goals = set()
        for line in re.findall(r"^\.PHONY:(.*)", open(os.path.join(self.source, "Makefile"), encoding="utf-8").read(), re.M):
            self.goals |= set(line.split())

    def check_commands(self, line, text):
        text = text.replace("\\\n", " ")
        for found in re.finditer(r"(?<![\w./-])(?<!# )(?:build/)?scree[ \n]+([a-z][a-z-]*)((?:(?![\w/]*scree[ \n])[^;`])*)", text):
            command, rest = found.group(1), re.split(r" \| (?!-)|&&", found.group(2))[0]
            if command in ("help", "version"):
                continue
            if command not in self.helps:
                self.complain(line, f"there is no command 'scree {command}'")
                continue
            for flag in re.findall(r"(?<![\w-])(--[a-z][a-z-]*|-[a-zA-Z](?![\w]))", rest):
                if flag not in self.helps[command]:
                    self.complain(line, f"'scree {command}' has no {flag}")
            if command == "bench":
                for word in rest.split():
                    if not re.fullmatch(r"[a-z][a-z0-9-]*", word):
                        break
                    if word not in self.benches:
                        self.complain(line, f"there is no benchmark '{word}'")

    def check_names(self):
        self.learn()
        every = set().union(*self.helps.values())
        rest = self.rest
        for found in re.finditer(r"`([^`]+?)`", rest):
            code, line = found.group(1), rest.count("\n", 0, found.start()) + 1
            if "\n\n" in code:
                self.complain(line, "a ` without its other one")
                continue
            self.check_commands(line, code)
            if code.startswith("-"):
                for flag in re.findall(r"(?<![\w-])(--[a-z][a-z-]*)", code):
                    if flag not in every:
                        self.complain(line, f"no command has {flag}")
            goal = re.match(r"make ([a-z][a-z-]*)", code)
            if goal and goal.group(1) not in self.goals:
                self.complain(line, f"the Makefile has no goal '{goal.group(1)}'")
            for word in re.findall(r"(?<!\w)(?:scree|SCREE)_\w+", code):
                if word not in self.words and not word.endswith("_"):
                    self.complain(line, f"there is no {word} in the sources")
            place = re.fullmatch(r"(src|include|cli|tests|docs|examples|python|tools|cmake|viewer|scenes)/[\w./*-]*", code)
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
                self.complain(number, "commands stand in a ```sh block, where they are run")
            if re.match(r"\s+```|\s*~~~", line):
                self.complain(number, "a block begins with ``` at the left edge")
        for block in self.blocks:
            if block.kind not in KINDS:
                self.complain(block.line, f"a block of '{block.kind}'; there are {', '.join(sorted(KINDS - {''}))}")
            if block.kind == "console" and not re.fullmatch(r"<!-- not run: .+ -->", block.above):
                self.complain(block.line, "a ```console block needs a line <!-- not run: REASON --> above it")
            if block.kind == "" and re.search(r"^(\$ )?scree [a-z]", block.text, re.M) and not re.search(r"[\[|]|\b[A-Z]{2}", block.text):
                self.complain(block.line, "commands stand in a ```sh block, where they are run")

    # What can run is run.
    def call(self, command, stdin=None):
        done = subprocess.run(command, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=BLOCK_SECONDS)
        if done.returncode != 0:
            raise RuntimeError(f"ends with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
        return done.stdout

    def run_block(self, block, number):
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
            raise RuntimeError("is no whole program")
        arguments = re.search(r"^// arguments: (.*)$", block.text, re.M)
        if "argc" in block.text and not arguments:
            raise RuntimeError("takes arguments; a line '// arguments: ...' must say which")
        name = f"example{number}"
        with open(name + ".c", "w", encoding="utf-8") as file:
            file.write(block.text)
        self.call([os.environ.get("CC", "cc"), "-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{self.source}/include", name + ".c",
                   f"-L{self.build}", "-lscree_files", "-lscree", "-lm", f"-Wl,-rpath,{self.build}", "-o", name])
        return self.call(["./" + name, *(arguments.group(1).split() if arguments else [])])

    def run(self):
        number = 0
        while number < len(self.blocks):
            block, number = self.blocks[number], number + 1
            self.counts[block.kind] = self.counts.get(block.kind, 0) + 1
            if block.kind not in ("sh", "python", "c", "yaml"):
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
                    self.complain(follower.line, "a second text for one block: what is it?")
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
            if took > 2.0:
                print(f"{self.page}:{block.line}: {took:.1f} s")
            if wanted is None and block.kind == "python" and printed:
                self.complain(block.line, f"the page does not show what this prints:\n{printed}")
            if wanted is not None and not same(wanted.text, printed):
                self.complain(wanted.line, f"the block of line {block.line} prints something else:\n{printed}")
            for name, follower in left:
                with open(name, encoding="utf-8") as file:
                    if not same(follower.text, file.read()):
                        self.complain(follower.line, f"{name} is something else")

    def go(self):
        self.check_shape()
        self.check_names()
        scratch = tempfile.mkdtemp()
        try:
            os.chdir(scratch)
            shutil.copytree(os.path.join(self.source, "examples"), "examples")
            sys.dont_write_bytecode = True
            sys.path.insert(0, os.path.join(self.source, "python"))
            os.environ.update(PATH=self.build + os.pathsep + os.environ["PATH"], HOME=scratch, PYTHONPATH=os.path.join(self.source, "python"),
                              SCREE_LIBRARY_DIR=self.build, PYTHONDONTWRITEBYTECODE="1", LC_ALL="C.UTF-8", MPLCONFIGDIR=scratch)
            self.run()
        finally:
            os.chdir("/")
            shutil.rmtree(scratch)
        ran = ", ".join(f"{self.counts[kind]} {kind}" for kind in ("sh", "python", "c", "yaml") if kind in self.counts) or "nothing to run"
        print(f"{self.page}: {ran}" + (f"; {self.counts['console']} not run" if "console" in self.counts else ""))
        return self.bad


# --- all pages ----------------------------------------------------------------------------------------------------

def anchor(heading):
    """As GitHub makes it."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.strip()).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def together(source, build):
    bad = []
    docs = sorted(os.path.relpath(path, source) for path in glob.glob(os.path.join(source, "docs", "*.md")))
    pages = ["README.md"] + docs
    others = [name for name in os.listdir(source) if name.endswith(".md") and name != "README.md"]
    parts = {page: split(os.path.join(source, page)) for page in pages + others}
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
    listed = set(re.findall(r"\]\(([\w-]+\.md)", parts["docs/README.md"][1]))
    for page in docs:
        if os.path.basename(page) not in listed | {"README.md"}:
            bad.append(f"docs/README.md does not list {page}")

    program = Page(source, build, "docs/program.md")  # every flag is told somewhere
    program.learn()
    told = "".join(rest + "".join(block.text for block in blocks) for page, (blocks, rest) in parts.items() if page in docs)
    for command, flags in program.helps.items():
        if f"scree {command}" not in program.rest + "".join(block.text for block in program.blocks):
            bad.append(f"docs/program.md does not know 'scree {command}'")
        for flag in sorted(flags):
            if flag.startswith("--") and not re.search(re.escape(flag) + r"(?![\w-])", told):
                bad.append(f"no page tells of {flag}, which 'scree {command}' has")

    examples = {}  # header -> pages with a whole program that includes it by name
    for page in docs:
        for block in parts[page][0]:
            if block.kind == "c" and "int main(" in block.text:
                for header in re.findall(r"#include <scree/(\w+\.h)>", block.text):
                    examples.setdefault(header, set()).add(page)
    api = parts["docs/api.md"][1]
    headers = sorted(os.listdir(os.path.join(source, "include", "scree")))
    for header in headers:
        if header not in examples:
            bad.append(f"no page has a whole program with #include <scree/{header}>")
        if f"include/scree/{header}" not in api:
            bad.append(f"docs/api.md does not lead to {header}")

    with open(os.path.join(source, "include", "scree", "base.h"), encoding="utf-8") as file:
        version = ".".join(re.findall(r"#define SCREE_VERSION_[A-Z]+ ([0-9]+)", file.read()))
    for name in ("CITATION.cff", "CHANGELOG.md"):
        with open(os.path.join(source, name), encoding="utf-8") as file:
            if not re.search(rf"^(version: |## ){re.escape(version)}(,|$)", file.read(), re.M):
                bad.append(f"{name} does not know version {version}")
    readme = parts["README.md"][0]
    if not any(block.kind == "c" and follower.kind == "text" for block, follower in zip(readme, readme[1:])):
        bad.append("README.md has no C example with its output")

    kept = [(page, block) for page in pages for block in parts[page][0] if block.kind == "console"]
    for page, block in kept:
        print(f"not run: {page}:{block.line}: {block.above.removeprefix('<!-- not run: ').removesuffix(' -->')}")
    if len(kept) > 12:
        bad.append(f"{len(kept)} blocks are not run; can none of them be made to?")
    print(f"{len(pages)} pages, {links} links, {len(headers)} headers, {len(kept)} blocks that are not run")
    for line in bad:
        print(line, file=sys.stderr)
    return len(bad)


if __name__ == "__main__":
    source, build = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    sys.exit(1 if (Page(source, build, sys.argv[3]).go() if len(sys.argv) > 3 else together(source, build)) else 0)
