"""layout.py SOURCE BUILD: no tabs, carriage returns or blanks at the end of a line in the sources, and a newline at the end of each file. The rest of the layout is that of .clang-format."""
import os
import sys

PLACES = ("include", "src", "cli", "scenes", "python", "tests", "examples", "cmake", "tools", "viewer")
ENDINGS = (".c", ".h", ".cpp", ".hpp", ".cu", ".py", ".sh", ".cmake", ".in", ".js", ".css", "CMakeLists.txt")


def faults(data):
    """(line, what) of each; line 0: the file."""
    if data and not data.endswith(b"\n"):
        yield 0, "no newline at the end"
    for number, line in enumerate(data.split(b"\n"), 1):
        if b"\t" in line:
            yield number, "a tab"
        if b"\r" in line:
            yield number, "a carriage return"
        if line.rstrip(b" ") != line:
            yield number, "blanks at the end"


def main():
    for data, count in ((b"", 0), (b"a\n", 0), (b"a", 1), (b"a \n", 1), (b"\ta\n", 1), (b"a\r\n", 1)):
        if len(list(faults(data))) != count:
            sys.exit(f"layout.py: {data} has {list(faults(data))}; {count} faults were expected")
    source, seen, bad = sys.argv[1], 0, 0
    for place in PLACES:
        for folder, folders, names in os.walk(os.path.join(source, place)):
            folders[:] = [name for name in folders if name not in ("__pycache__", "data") and not name.startswith("corpus")]
            for name in names:
                if name.endswith(ENDINGS) or os.path.basename(folder) == "tools":
                    path = os.path.join(folder, name)
                    with open(path, "rb") as file:
                        data = file.read()
                    seen += 1
                    for number, what in faults(data):
                        print(f"{os.path.relpath(path, source)}:{number}: {what}")
                        bad += 1
    print(f"{seen} files")
    sys.exit(1 if bad else 0)


main()
