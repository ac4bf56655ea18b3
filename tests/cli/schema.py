"""Validates JSON files against a JSON Schema, with the keywords that cli/output.schema.json uses; any other keyword is an error.

usage: schema.py SCHEMA FILE...     each file holds one object of scree COMMAND --json
"""
import copy
import json
import pathlib
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
KNOWN = {"$schema", "$defs", "$ref", "title", "description", "type", "enum", "const", "pattern", "items", "properties", "patternProperties", "required", "additionalProperties", "oneOf"}


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def errors(value, schema, root, at="object"):
    """What is wrong with the value, as sentences."""
    unknown = set(schema) - KNOWN
    if unknown:
        sys.exit(f"the schema has keywords that this validator does not know: {unknown}")
    if "$ref" in schema:
        return errors(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, at)
    found = []
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_type(value, name) for name in types):
        return [f"{at} is {value!r:.60}, not {' or '.join(types)}"]
    if "const" in schema and value != schema["const"]:
        found.append(f"{at} is {value!r:.60}, not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{at} is {value!r:.60}, not one of {schema['enum']}")
    if "pattern" in schema and not re.search(schema["pattern"], value):
        found.append(f"{at} is {value!r:.60}, not {schema['pattern']}")
    if isinstance(value, list) and "items" in schema:
        for k, item in enumerate(value):
            found += errors(item, schema["items"], root, f"{at}[{k}]")
    if isinstance(value, dict):
        for key in schema.get("required", []):
            if key not in value:
                found.append(f"{at} lacks {key}")
        for key, item in value.items():
            parts = [schema["properties"][key]] if key in schema.get("properties", {}) else []
            parts += [part for pattern, part in schema.get("patternProperties", {}).items() if re.search(pattern, key)]
            more = schema.get("additionalProperties", True)
            if not parts and more is False:
                found.append(f"{at} has the unknown key {key}")
            if not parts and isinstance(more, dict):
                parts = [more]
            for part in parts:
                found += errors(item, part, root, f"{at}.{key}")
    if "oneOf" in schema:
        tries = [errors(value, part, root, at) for part in schema["oneOf"]]
        if sum(not wrong for wrong in tries) != 1:
            found += min(tries, key=len) or [f"{at} fits several of oneOf"]
    return found


def digits(text):
    """Significant digits of a number as it is written."""
    return len(re.sub(r"[eE].*|[-.]", "", text).strip("0"))


def columns_differ(value):
    """Columns of a table that have not all the same length."""
    return [key for key, item in value.items() if isinstance(item, dict) and len({len(column) for column in item.values()}) > 1]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    failed, seen = 0, {}
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as file:
            long = []
            value = json.load(file, parse_constant=lambda word: sys.exit(f"{path}: {word} is not JSON"),
                              parse_float=lambda text: long.append(text) or float(text) if digits(text) > digits(repr(float(text))) else float(text))
        wrong = [f"{text} has needless digits" for text in long] + errors(value, schema, schema) + [f"columns of {key} differ in length" for key in columns_differ(value)]
        for sentence in wrong[:5]:
            print(f"{path}: {sentence}")
        failed += bool(wrong)
        if "error" not in value:
            seen.setdefault(value.get("command"), set()).update(value)
        # The validator can fail: a key less, a key more, another type.
        for change in (lambda v: v.pop("schema"), lambda v: v.update(nonsense=1), lambda v: v.update(schema="1"), lambda v: v.update(command="nonsense")):
            other = copy.deepcopy(value)
            change(other)
            if not errors(other, schema, schema):
                print(f"{path}: a change of it is not noticed")
                failed += 1
    # Every key is in the manual, and follows its rules for names.
    keys = {key for name, part in schema["$defs"].items() if name.startswith("command_") for key in part["properties"]}
    columns = {column for part in schema["$defs"].values() if part.get("type") == "object" for column in part.get("properties", {})}
    manual = "".join((pathlib.Path(sys.argv[1]).parent.parent / "docs" / page).read_text(encoding="utf-8") for page in ("program.md", "measure.md"))
    for key in sorted(keys):
        if f"`{key}`" not in manual:
            print(f"docs/program.md and docs/measure.md lack the key {key}")
            failed += 1
    for key in sorted(keys | columns):
        if re.search(r"(^|_)(least|most|smallest|largest|highest|lowest|minimum|maximum)(_|$)", key):
            print(f"the key {key} is to end in _min or _max")
            failed += 1
    commands = {part["$ref"].split("command_")[1] for part in schema["oneOf"]} - {"check", "error", "measure_average"}
    if commands != set(seen):
        print(f"no JSON of {sorted(commands - set(seen))}")
        failed += 1
    print(f"{len(sys.argv) - 2} objects, {sum(map(len, seen.values()))} keys, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
