"""layout.py SOURCE BUILD: the layout of the sources, as CONTRIBUTING.md (Layout) has it. Rules that a line shows by itself, or with the line before it."""
import os
import re
import subprocess
import sys

PLACES = ("include", "src", "cli", "papers", "bench", "scenes", "python", "tests", "examples", "cmake", "tools", "viewer")
OTHERS = (".ci", "debian", "docs")  # nothing to check in them
ENDINGS = (".c", ".h", ".cpp", ".hpp", ".cu", ".py", ".sh", ".cmake", ".in", ".js", ".css", "CMakeLists.txt")
C = (".c", ".h", ".cpp", ".hpp", ".cu")
LONGEST = 240


def faults(data):
    """(line, what) of each, of any source; line 0: the file."""
    if data and not data.endswith(b"\n"):
        yield 0, "no newline at the end"
    for number, line in enumerate(data.split(b"\n"), 1):
        if b"\t" in line:
            yield number, "a tab"
        if b"\r" in line:
            yield number, "a carriage return"
        if line.rstrip(b" ") != line:
            yield number, "blanks at the end"


def bare(line):
    """Without texts and comments."""
    if '"' in line:
        line = re.sub(r'"(\\.|[^"\\])*"', '""', line)
    if "'" in line:
        line = re.sub(r"'(\\.|[^'\\])+'", "' '", line)
    return line.partition("//")[0].rstrip()


def faults_of_c(text):
    """(line, what) of C, C++ and CUDA."""
    before, last, block = "", "", []
    lines = text.count("\n")
    for number, line in enumerate(text.split("\n"), 1):
        code = bare(line)
        if len(line) > LONGEST:
            yield number, f"{len(line)} characters; at most {LONGEST} were expected"
        if number > 1 and line == "" and before == "" and number <= lines:
            yield number, "a second blank line"
        if re.search(r"\b(if|for|while|switch)\(", code):
            yield number, "no blank between a keyword and its bracket"
        if re.match(r"\s+\{$", code) and re.match(r"\s*(\} )?(if|for|while|switch|else|do)\b", last) and not last.endswith(";"):
            yield number, "the brace of a control statement on a line of its own"
        if re.match(r"\s*else\b", code) and last == code[:code.index("else")] + "}":
            yield number, "else on a line of its own after a brace"
        if re.match(r"[a-z_].*\)\s*\{$", code) and not re.match(r"(typedef|struct|enum|union|extern|namespace|template)\b", code):
            yield number, "the brace of a function at the end of a line"
        if re.match(r"\s*(const )?(?!return\b|goto\b|else\b|case\b|sizeof\b)[a-z]\w* \*\w+( =.*;|;|\[)", code) and "," not in code:
            yield number, "the star of a pointer at its name, not at its type"
        if re.match(r"\s*//[^\s/-]", line):
            yield number, "a comment without a blank after its slashes"
        found = re.match(r'#include ([<"][^>"]*[>"])', line)
        if found:
            block.append(found.group(1))
            if block != sorted(block, key=str.lower):
                yield number, f"{found.group(1)} is not in alphabetical order"
                block = [found.group(1)]
            if len({name[0] for name in block}) > 1:
                yield number, "headers of the system and of scree in one block"
        else:
            block = []
        before, last = line, code


CASES = ((b"", 0), (b"a\n", 0), (b"a", 1), (b"a \n", 1), (b"\ta\n", 1), (b"a\r\n", 1))
CASES_OF_C = (("int f(void)\n{\n    if (a)\n        b();\n}\n", 0), ("    if(a)\n", 1), ("    if (a)\n    {\n", 1), ("    }\n    else\n", 1), ("    } else {\n", 0), ("int f(void) {\n", 1),
              ("    int *a;\n", 1), ("    int* a;\n", 0), ("    return *a;\n", 0), ("    int *a, *b;\n", 0), ("//a\n", 1), ("// a\n", 0), ("a\n\n\nb\n", 1), ("a\n\nb\n", 0),
              ("#include <b>\n#include <a>\n", 1), ("#include <a>\n#include <b>\n", 0), ('#include "a"\n#include <b>\n', 1), ('#include "b"\n\n#include "a"\n', 0),
              ("x" * LONGEST + "\n", 0), ("x" * (LONGEST + 1) + "\n", 1), ('    puts("if(");  // while(\n', 0))


def main():
    for look, cases in ((faults, CASES), (faults_of_c, CASES_OF_C)):
        for data, count in cases:
            if len(list(look(data))) != count:
                sys.exit(f"layout.py: {data!r} has {list(look(data))}; {count} faults were expected")
    source, seen, bad = sys.argv[1], 0, 0
    tracked = subprocess.run(["git", "-C", source, "ls-files"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.split("\n")
    for folder in sorted({path.split("/")[0] for path in tracked if "/" in path} - set(PLACES) - set(OTHERS)):
        print(f"{folder}/: no check knows this folder; add it to PLACES or OTHERS here, and to the other lists of folders (git grep viewer tests tools CONTRIBUTING.md)")
        bad += 1
    for place in PLACES:
        for folder, folders, names in os.walk(os.path.join(source, place)):
            folders[:] = [name for name in folders if name not in ("__pycache__", "data") and not name.startswith("corpus")]
            for name in names:
                if name.endswith(ENDINGS) or os.path.basename(folder) == "tools":
                    path = os.path.join(folder, name)
                    with open(path, "rb") as file:
                        data = file.read()
                    seen += 1
                    for number, what in [*faults(data), *(faults_of_c(data.decode()) if name.endswith(C) else ())]:
                        print(f"{os.path.relpath(path, source)}:{number}: {what}")
                        bad += 1
    print(f"{seen} files")
    sys.exit(1 if bad else 0)


main()
