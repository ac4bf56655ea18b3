"""Every name of version 0.1 is still there, or docs/stability.md says what took its place.

usage: upgrade.py SOURCE

tests/data/names-0.1.txt has the names, a kind and a name in each line: functions, types and constants of the C headers and members of their structs, commands and options of the program, keys of scenes and of
--json, columns of the log, names of the Python module with the parameters of functions and the attributes of classes. A name that is gone must stand in the first column of a table of a section "Upgrading from" of the page.
"""
import ast
import json
import pathlib
import re
import sys


def c_names(root):
    text = ""
    for path in sorted((root / "include/scree").glob("*.h")):
        text += re.sub(r"//[^\n]*|/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    found = {("c", name) for name in re.findall(r"\b(?:scree|SCREE)_\w+", text)}
    for body, struct in re.findall(r"typedef struct \w+ \{(.*?)\n\} (\w+);", text, flags=re.DOTALL):
        for line in body.split(";"):
            pointer = re.search(r"\(\*\s*(\w+)\)", line)
            line = re.sub(r"\[[^\]]*\]", "", line)
            names = [pointer[1]] if pointer else [re.findall(r"\w+", part)[-1] for part in line.split(",") if re.search(r"\w", part)]
            found |= {("member", f"{struct}.{name}") for name in names}
    return found


def program_names(root):
    text = "".join(path.read_text(encoding="utf-8") for path in sorted((root / "cli").glob("*.[ch]")))
    found = {("command", name) for name in re.findall(r'\.name = "([a-z]+)",\n\s+\.usage', text)}
    found |= {("option", "--" + name) for name in re.findall(r"""\{"([a-z-]+)", (?:0|'\w'), """, text)}
    found |= {("option", "--" + name) for name in re.findall(r'\{"([a-z-]+)", "[a-z-]+"\}', text)}  # spellings that are still accepted
    log = (root / "src/run/log.c").read_text(encoding="utf-8")
    found |= {("log", name) for text in re.findall(r'"([a-z_]+,[a-z_,]*)', log) for name in text.split(",") if name}
    return found | {("scene", name) for name in re.findall(r'^\s+\{"([a-z_.]+)", "', (root / "src/scene/keys.c").read_text(encoding="utf-8"), re.MULTILINE)}


def json_keys(root):
    with open(root / "cli/output.schema.json", encoding="utf-8") as file:
        parts = json.load(file)["$defs"]
    found = {key for name, part in parts.items() if name.startswith("command_") or name == "one_bench" for key in [*part["properties"], *part.get("patternProperties", {})]}
    return {("json", key) for key in found} | {("json", f"{name}.{column}") for name, part in parts.items() if not name.startswith("command_") for column in part.get("properties", {})}


def python_names(root):
    found, all_names, nodes = set(), set(), {}
    for path in sorted((root / "python/scree").glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                nodes.setdefault(node.name, node)
            elif path.name == "__init__.py" and isinstance(node, ast.Assign) and node.targets[0].id == "__all__":
                all_names = set(ast.literal_eval(node.value))

    def parameters(name, node):
        some = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
        found.update(("python", f"{name}({one.arg})") for one in some if one.arg not in ("self", "cls") and not one.arg.startswith("_"))

    def attributes(name, node):
        for base in node.bases:
            if isinstance(base, ast.Name) and base.id in nodes:
                attributes(name, nodes[base.id])
        for part in node.body:
            if isinstance(part, ast.FunctionDef) and (not part.name.startswith("_") or part.name == "__init__"):
                found.add(("python", f"{name}.{part.name}".removesuffix(".__init__")))
                parameters(f"{name}.{part.name}".removesuffix(".__init__"), part)
            elif isinstance(part, ast.AnnAssign) and not part.target.id.startswith("_"):
                found.add(("python", f"{name}.{part.target.id}"))

    for name in all_names:
        found.add(("python", name))
        if isinstance(nodes.get(name), ast.ClassDef):
            attributes(name, nodes[name])
        elif name in nodes:
            parameters(name, nodes[name])
    return found


def main():
    root = pathlib.Path(sys.argv[1])
    then = {tuple(line.split()) for line in (root / "tests/data/names-0.1.txt").read_text(encoding="utf-8").splitlines() if line and line[0] != "#"}
    now = c_names(root) | program_names(root) | json_keys(root) | python_names(root)
    page = (root / "docs/stability.md").read_text(encoding="utf-8").split("## Upgrading from ", 1)[1]
    words = {word for row in re.findall(r"^\| (.*?) \|", page, re.MULTILINE) for word in re.findall(r"[\w-]+", row)}  # the first column of all tables
    structs = {name.split(".")[0] for kind, name in now if kind == "member"}
    gone, missing = sorted(then - now), []
    for kind, name in gone:
        last = re.findall(r"[\w-]+", name)[-1]
        if kind == "member" and name.split(".")[0] not in structs:
            last = name.split(".")[0]  # the whole struct has gone
        if kind == "python" and name.split("(")[0].split(".")[0] not in {other for k, other in now if k == "python"}:
            last = name.split("(")[0].split(".")[0]
        if last not in words:
            missing.append(f"{kind} {name}")
    for line in missing:
        print(f"docs/stability.md does not say what took the place of {line}")
    print(f"{len(then)} names of 0.1: {len(gone)} are gone, {len(missing)} of them without a row")
    if len(then) < 1000 or not {("c", "scree_pairs"), ("command", "pack"), ("option", "--gap"), ("scene", "box.size"), ("json", "n"), ("python", "pairs(x)")} <= now:
        sys.exit("the lists of names are not complete")
    sys.exit(len(missing) > 0)


if __name__ == "__main__":
    main()
