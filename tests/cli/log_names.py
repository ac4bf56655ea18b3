"""A quantity has one name: columns of log.csv that are keys of `scree run --json` too have the same value in the last row, and no other column exists that is not listed here.

usage: log_names.py LOG JSON
"""
import csv
import json
import re
import sys

# What only the log has: parts of a quantity of the JSON, or what changes from row to row.
LOG_ONLY = re.compile(r"step|stress_[xyz]{2}|side_[xyz]|tilt_[xyz]{2}|strain_[xyz]{2}|waiting|mass_flow_(in|out)|sliding|energy_normal|energy_(kinetic|rotation)_.+|dissipated_(drag|local)|position_.+|volume|void_ratio")
# What the JSON leaves out where it is 0.
IF_NOT_ZERO = re.compile(r"energy_rotation|energy_(tangential|rolling|twisting)|dissipated_(normal|tangential|rolling|twisting)|work_(walls|gravity|forces)")
CLOCK = re.compile(r"rebuilds|seconds.*")  # differ by when they are read
COMPONENT = re.compile(r"(momentum|force_.+|torque_.+)_([xyz])")


def part(value, number):
    """A component of a vector; a torque in 2D has only z, and other vectors have no z there."""
    if not isinstance(value, list):
        return value
    return value[0] if len(value) == 1 else value[number] if number < len(value) else 0.0


def main():
    with open(sys.argv[1], encoding="utf-8", newline="") as file:
        row = list(csv.DictReader(file))[-1]
    with open(sys.argv[2], encoding="utf-8") as file:
        said = json.load(file)
    wrong, compared = [], 0
    for name, text in row.items():
        value, component = float(text), COMPONENT.fullmatch(name)
        key, number = (component[1], "xyz".index(component[2])) if component else (name, 0)
        if key in said and not LOG_ONLY.fullmatch(name):
            other = part(said[key], number)
            compared += 1
            if not CLOCK.fullmatch(key) and other != value:
                wrong.append(f"{name} is {text} in the log and {other} in the JSON")
        elif not (LOG_ONLY.fullmatch(name) or (IF_NOT_ZERO.fullmatch(name) and value == 0.0)):
            wrong.append(f"the JSON has no {key}")
    for sentence in wrong[:5]:
        print(f"{sys.argv[1]}: {sentence}")
    print(f"{sys.argv[1]}: {compared} of {len(row)} columns compared, {len(wrong)} differ")
    sys.exit(bool(wrong) or compared < 10)


if __name__ == "__main__":
    main()
