"""The JSON Schema of scenes (`scree help scene --schema`) against the reader: what the reader accepts the schema accepts, and of wrong names, kinds, ranges and exclusions both say so.

usage: schema.py SOURCE BUILD

Scenes come from examples/, papers/, the manual and SCENES below. Wrong ones are made of them and the table of keys: each key with a wrong name, a value of another kind, values outside its range, and keys put
where they exclude or need others. What is beyond a schema is in BEYOND, as in docs/scene.md. Values are those of YAML 1.2, over the reader's own tree (scene_trees.c).
"""
import collections
import glob
import json
import os
import re
import subprocess
import sys

import jsonschema

MADE = "spheres: {count: 10, sizes: 'mono:0.1', place: random}\n"
REST = "box: {size: [4, 4, 4]}\ncontact: {stiffness: 1000}\ntime: {steps: 5}\n"
FLAT = "dimension: 2\nbox: {size: [4, 4]}\ntime: {steps: 5}\n"

# Together they have nearly every key.
SCENES = (
    "box: {size: [4, 4, 4], periodic: [x, y, z], tilt: {xy: 0.1}}\ncontact: {duration: 0.1, restitution: 0.5}\ntime: {end: 1}\ncell: {strain: {xy: 0.1, zz: -0.1}, stress: {xx: 1, yy: 2, rate: 0.1, response: 1}}\n" + MADE,
    "box: {size: [4, 4, 4], periodic: [x, y, z]}\ncontact: {overlap: 0.01, speed: 1, damping: 1}\ntime: {end: 1, step: 1e-3, integrator: position-verlet}\ncell: {shear: 1, constant_volume: true}\n"
    "changes: [{at: 0.5, cell: {stress: {pressure: 1, rate: 0.5}}}]\n" + MADE,
    "box: {size: [4, 4, 4]}\ntime: {steps: 5}\nmaterials: {glass: {material_density: 2500, young: 1e9, poisson: 0.2}, stone: {preset: granite}, s: steel}\n"
    "spheres:\n- {name: a, count: 5, sizes: 'mono:0.1', place: random, material: glass, region: {at: [1, 1, 1], radius: 0.5}, velocity: thermal, temperature: 1, spin: [1, 2, 3], force: [0, 0, 1]}\n"
    "- {name: b, count: 5, sizes: 'mono:0.1', place: lattice, spacing: 0.4, sampling: shifted, material: stone, fixed: true}\n"
    "contact: {law: hertz, speed: 1, friction: 0.5, friction_dynamic: 0.4, tangential_damping: 1, rolling_friction: 0.1, rolling_stiffness: 1, rolling_damping: 0.1, twisting_friction: 0.1, twisting_stiffness: 1, twisting_damping: 0.1,"
    " restitution: 0.5, bridge_volume: 1e-3, surface_tension: 0.1, wetting_angle: 0.1}\n"
    "pairs: [{between: [glass, stone], friction: 0.3}, mix]\nwalls: {material: glass, lower_z: {material: stone, oscillate: {amplitude: 0.1, frequency: 2, phase: 1, direction: [1, 0, 0]}}, x: [0, {ramp: [0, 1], over: 2}]}\n"
    "changes: [{at: 0.001, contact: {friction: 0.1}, pairs: [{between: [glass, stone], friction: 0.2}], materials: {glass: {young: 2e9}}, force: {a: [0, 0, 2]}, walls: {lower_y: {velocity: 1}}, output: {every: 1}, checkpoint: {every: 20}},"
    " {at: 0.002, torque: {a: [1, 0, 0]}, drag: {coefficient: 1}, local_damping: 0.2, time: {step: 1e-6}}, {at: 0.003, freeze: [a], gravity: {sine: [0, 0, 1], frequency: 2, phase: 0, mean: [0, 0, -9]}, gravity_turn: [0, 0, 1]}, {at: 0.004, release: [a], velocity: {a: [0, 0, 1]}, spin: {a: [0, 1, 0]}}]\n",
    "box: {size: [4, 4, 4]}\ntime: {steps: 5}\ncontact: {law: plastic, k1: 100, k2: 200, kc: 10, plastic_depth: 0.1}\n" + MADE,
    "box: {size: [4, 4, 4]}\ntime: {steps: 5}\ncontact: {law: jkr, speed: 1, young: 1e6, poisson: 0.3, surface_energy: 0.1, viscous_time: 1e-4}\n" + MADE,
    REST + MADE + "bonds: [{gap: 0.1, young: 1e6, shear: 1e5, radius: 0.5, bending: 1, twisting: 1, damping: 0.1, tensile_strength: 1, shear_strength: 1, friction: 0.1}]\n",
    "box: {size: [4, 4, 4]}\ncontact: {stiffness: 1000}\ntime: {end: 5}\nspheres: {count: 0, sizes: 'mono:0.1', place: random, name: all, material_density: 2}\n"
    "insert: [{name: feed, group: all, region: {from: [1, 1, 1], to: [1, 1, 3], radius: 0.5}, rate: 10, count: 100, start: 1, end: 2, velocity: [0, 0, -1], closed: true, every_steps: 10},"
    " {region: {at: [1, 1, 1], normal: [0, 0, 1], radius: 0.5}, mass_rate: 1}, {region: {lower: [0, 0, 0], upper: [1, 1, 1]}, count: 5}]\n"
    "outlets: [{name: drain, region: {at: [0, 0, 0.1], normal: [0, 0, -1]}, into: feed, closed: true, every_steps: 10}]\nchanges: [{at: 1, insert: {feed: {rate: 5, closed: false}}, outlets: {drain: {closed: false}}}]\n",
    REST + MADE + "surfaces: [{plane: {at: [0, 0, 1], normal: [0, 0, 1]}, name: floor, velocity: [0, 0, 1], spin: [0, 0, 1], about: [1, 1, 1], one_sided: true}, {cylinder: {from: [0, 0, 0], to: [0, 0, 1], radius: 5, inside: true},"
    " oscillate: {amplitude: 1, frequency: 1, direction: [1, 0, 0]}}, {cone: {from: [0, 0, 0], to: [0, 0, 1], radius_from: 1, radius_to: 5}}, {sphere: {at: [0, 0, 0], radius: 9}, on_crossing: remove}, {disc: {at: [1, 1, 1], normal: [0, 0, 1], radius: 1, hole: 0.5},"
    " servo: {force: -1, speed: 1}}, {mesh: a.stl, scale: 2, path: [[0, 0, 0, 0], [1, 1, 0, 0]]}, {cylinder: {axis: [1, 0, 0], radius: 5}}]\nchanges: [{at: 1, surfaces: {floor: {velocity: [0, 0, 0]}}}]\n",
    FLAT + "contact: {stiffness: 100, rule: rounded, rounding: 0.1, friction: 0.5}\nbodies: [{shape: star, vertices: 9, roughness: 0.2, sizes: 'mono:0.1', place: random, count: 3, region: [0, 0, 4, 4], angle: 1, angle_spread: 0.1, velocity: [1, 0], spin: 1, material_density: 2},"
    " {points: [[0, 0], [1, 0], [0, 1]], fixed: true}, {wall: [[0, 0], [4, 0]], thickness: 0.1, fixed: true}, {shape: disc, sizes: 'mono:0.1', at: [[1, 1]]}, {file: shapes.txt}]\n",
    FLAT + "contact: {stiffness: 100}\nmaterials: {wood: {material_density: 700}}\nbodies: [{shape: disc, sizes: 'mono:0.1', at: [[1, 1]], material: wood}]\n",
    "contact: {stiffness: 100}\ntime: {steps: 5}\nbox: {periodic: [x], origin: [1, 1, 1], aspect: [1, 1, 2]}\nspheres: {count: 10, sizes: 'uniform-size:1:2', place: grow, density: 0.3, velocity: thermal, overlap: 0.02}\n",
    "contact: {stiffness: 100}\ntime: {steps: 5}\nbox: {size: [4, 4, 4], container: sphere}\n" + MADE + "output: {every_steps: 5, formats: [csv, vtp], contacts: true, pictures: true, animation: true, energies: true, log_every_steps: 3}\ncheckpoint: {every: 30s}\norder_every: 10\ngiants: 2\nseed: 7\n",
    "contact: {stiffness: from-young, speed: 1, young: 1e6, poisson: 0.3, damping: restitution, restitution: 0.5, friction: 0.2, tangential: linear, rolling: spring, twisting: none, tangential_stiffness: 0.3, pull: false}\ntime: {steps: 5}\n"
    "spheres: {file: a.csv, velocity: file}\nsearch: {method: hierarchical-grid, skin: 0.1, cell_sizes: [1, 2], direction: finer, range: iwai, box_test: on}\n",
    "contact: {stiffness: 100}\ntime: {steps: 5}\nstart: {run: other, at: last, material_density: 2}\nsearch: {method: verlet-list, verlet_radius: 3, rebuild_every: 5}\n",
    REST + MADE + "search: {method: linked-cells, cell_size: 1}\ngravity: [0, 0, -9.81]\ngravity_turn: [0, 1, 0]\nlocal_damping: {ramp: [0.5, 0], over: 1}\ndrag: {per_mass: {ramp: [5, 0], over: 0.1}, spin: 1, coefficient: 2}\n"
    "walls: {upper_z: {servo: {pressure: {ramp: [0, 5], over: 1}, speed: 0.1, area: 2}}, lower_x: {velocity: [0, 1, 0]}, upper_x: {path: [[0, 0], [1, 2]]}, on_crossing: remove}\n",
    REST + MADE + "search: {method: loose-octree, loose_factor: 3}\n", REST + MADE + "search: {method: hierarchical-grid, levels: 3}\n", REST + MADE + "search: {method: linked-cells, cell_sides: [1, 1, 2]}\n",
    "include: [a.yaml, b.yaml]\nparameters: {mu: 0.5, nu: $(mu * 2)}\ncontact: {friction: $(mu)}\n",
    REST + "spheres: {count: 5, sizes: 'mono:0.1', place: random, region: {mesh: a.stl, scale: 2}}\n",
)

# Beyond a schema: what the reader says, and a scene of which it says so.
BEYOND = (
    ("a key is missing", "dimension: 3\n"),
    ("expected it once", "seed: 1\nseed: 2\n" + REST + MADE),
    ("no material is named", REST + MADE + "materials: {a: {material_density: 1}}\nwalls: {material: b}\npairs: [{between: [a, a], friction: 0.1}]\n"),
    ("no surface is named", REST + MADE + "changes: [{at: 0, surfaces: {b: {velocity: [0, 0, 0]}}}]\n"),
    ("sizes", REST + "spheres: {count: 1, sizes: 'nothing:1', place: random}\n"),
    ("after the end", "box: {size: [4, 4, 4]}\ncontact: {stiffness: 1000}\ntime: {end: 1}\nchanges: [{at: 2, gravity: [0, 0, 1]}]\n" + MADE),
    ("upper above lower", REST + "spheres: {count: 1, sizes: 'mono:0.1', place: random, region: {lower: [1, 1, 1], upper: [0, 2, 2]}}\n"),
    ("do not make a region", REST + "spheres: {count: 1, sizes: 'mono:0.1', place: random, region: {lower: [1, 1, 1]}}\n"),
    ("torques on spheres", REST + "spheres: {count: 5, sizes: 'mono:0.1', place: random, spin: [0, 0, 1]}\n"),
    ("excludes contact.twisting: none", "box: {size: [4, 4, 4]}\ncontact: {stiffness: 1, twisting: none, twisting_friction: 0.1}\ntime: {steps: 1}\n" + MADE),
    ("is periodic", "box: {size: [4, 4, 4], periodic: [x]}\ncontact: {stiffness: 1000}\ntime: {steps: 5}\nwalls: {x: [0, 1]}\n" + MADE),
    ("time", REST + MADE + "local_damping: {table: [[1, 0], [0, 1]]}\n"),
    ("expected a number", REST + MADE + "giants: 0x10\n"),
    ("expected true or false", REST + MADE + "output: {contacts: True}\n"),
)


def fail(text):
    sys.exit(f"schema.py: {text}")


# ---- Values ------------------------------------------------------------------------------------------------------------

class Plain(str):
    """A scalar without quotes."""


def decoded(node):
    if isinstance(node, dict) and "map" in node:
        return {k: decoded(v) for k, v in zip((key["plain"] if isinstance(key, dict) else key for key in node["map"][::2]), node["map"][1::2])}
    if isinstance(node, dict):
        return Plain(node["plain"])
    return [decoded(one) for one in node] if isinstance(node, list) else node


def valued(node):
    """As YAML 1.2 has it (core schema)."""
    if isinstance(node, dict):
        return {k: valued(v) for k, v in node.items()}
    if isinstance(node, list):
        return [valued(one) for one in node]
    if not isinstance(node, Plain):
        return node
    if node in ("", "~", "null", "Null", "NULL"):
        return None
    if node in ("true", "True", "TRUE", "false", "False", "FALSE"):
        return node.lower() == "true"
    if re.fullmatch(r"[-+]?[0-9]+", node):
        return int(node)
    if re.fullmatch(r"0o[0-7]+|0x[0-9a-fA-F]+", node):
        return int(node, 0)
    if re.fullmatch(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", node):
        return float(node)
    if re.fullmatch(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)", node):
        return float(node.lower().replace(".", ""))
    return str(node)


def written(node):
    if isinstance(node, dict):
        return "{" + ", ".join(f"{k}: {written(v)}" for k, v in node.items()) + "}"
    if isinstance(node, list):
        return "[" + ", ".join(written(one) for one in node) + "]"
    return str(node) if isinstance(node, Plain) and re.fullmatch(r"[\w.+:/$()*^-]+", node) else json.dumps(node)


def whole_text(scene):
    return "".join(f"{k}: {written(v)}\n" for k, v in scene.items())


def ask(program, texts):
    done = subprocess.run([program], input="".join(text + "\0" for text in texts).encode(), stdout=subprocess.PIPE, check=True)
    answers = [json.loads(line) for line in done.stdout.decode().splitlines()]
    if len(answers) != len(texts):
        fail(f"{len(answers)} answers for {len(texts)} scenes")
    return answers


# ---- Wrong scenes ------------------------------------------------------------------------------------------------------

def maps_of(node, path="", names=("materials",)):
    """(path of the table, map) of all maps in a scene."""
    if isinstance(node, list):
        for one in node:
            yield from maps_of(one, path)
    elif isinstance(node, dict):
        if path in names:
            for one in node.values():
                yield from maps_of(one, path, ())
            return
        yield path, node
        for name, value in node.items():
            if not path.startswith("changes.") or path == "changes.cell":
                yield from maps_of(value, f"{path}.{name}" if path else name)


def samples(key):
    """Values that fit the kind of a key."""
    kind, least = key["kind"], "2" if "above 1" in key["range"] else "0.5" if "1" not in key["range"] or "below 1" in key["range"] or "at most" in key["range"] else "1"
    if "whole" in kind:
        return Plain(re.match(r"(\d+)|", key["range"])[1] or "1")
    if kind in ("number", "number or auto", "number or word"):
        return Plain("0.4" if key["range"] == "0 to 0.5" else least)
    if kind in ("numbers", "numbers or auto"):
        return [Plain("1")] * 3
    if kind == "two numbers":
        return [Plain("0")] * 2
    if kind == "true or false":
        return Plain("true")
    if kind == "word":
        return Plain(re.split(r", | or ", key["range"])[-1])
    if kind in ("text", "name"):
        return Plain("a")
    return None


def outside(key):
    """Values outside the range of a key, by its text."""
    text = key["range"]
    if key["kind"] == "word":
        return [Plain("nonsense")]
    if text == "any":
        return []
    ends = [Plain("-1")] if re.match("above|0", text) else []
    ends += [Plain("0")] if text.startswith("above 0") else []
    ends += [Plain("1.5e300")] if re.search(r" to |most|below", text) else []
    ends += [Plain(str(int(m[1]) - 1))] if (m := re.fullmatch(r"(\d+) to \d+", text)) else []
    return ends


def changed(scene, where, name, value, old=None):
    """A copy of a scene in which a map, the same object as in it, has another value; None: it is not there."""
    def copy(node):
        if isinstance(node, list):
            return [copy(one) for one in node]
        if not isinstance(node, dict):
            return node
        out = {k: copy(v) for k, v in node.items()}
        if node is where:
            if old is not None:
                out = {name if k == old else k: v for k, v in out.items()}
            else:
                out[name] = value
        return out
    return copy(scene)


def wrong_scenes(bases, keys):
    """(kind of error, path, scene): each key once for each kind."""
    known = {key["path"]: key for key in keys}
    seen = set()

    def first(*what):
        seen_before = what in seen
        seen.add(what)
        return not seen_before

    for scene in bases:
        for path, here in maps_of(scene):
            front = f"{path}." if path else ""
            for name, value in here.items():
                key = known.get(front + name)
                if key is None:
                    continue
                if first("name", key["path"]):
                    yield "name", key["path"], changed(scene, here, name + "_x", None, name)
                if first("kind", key["path"]):
                    yield "kind", key["path"], changed(scene, here, name, Plain("5") if "map" in key["kind"] or "list" in key["kind"] else {"a": Plain("1")})
                    yield "kind", key["path"], changed(scene, here, name, "1" if "number" in key["kind"] else [[Plain("1")]])
                if not isinstance(value, (dict, list)) and first("range", key["path"]):
                    for end in outside(key):
                        yield "range", key["path"], changed(scene, here, name, end)
                elif isinstance(value, list) and value and not isinstance(value[0], (dict, list)) and first("range", key["path"]):
                    for end in outside(key):
                        yield "range", key["path"], changed(scene, here, name, [end] * len(value))
            for key in keys:
                name = key["path"][len(front):]
                if key["path"].startswith(front) and "." not in name and name not in here and samples(key) is not None and not path.startswith("changes"):
                    others = frozenset(here) if path.split(".")[0] in ("contact", "spheres", "box", "time") else len(here)
                    if first("exclusion", key["path"], others):
                        yield "exclusion", key["path"], changed(scene, here, name, samples(key))


# What the reader says where a schema does not see an exclusion, beside BEYOND.
FURTHER = re.compile(r"a key is missing|torques on spheres|expected friction, rolling|no .* is named|these keys do not make a region|excludes spheres.fixed|are fixed|bodies that are fixed|bodies.(vertices|roughness) belongs|"
                     r"the box is tilted|with periodic axis|is one of a round wall|fills boxes only|mindlin, by which|marshall, by which|excludes contact.(twisting|rolling|tangential): none|excludes pairs\.|a count of .* in a region|one of the two|expected one of them$")


def main():
    source, build = sys.argv[1:3]
    program = os.path.join(build, "tests", "scree_scene_trees")
    schema = json.loads(subprocess.run([os.path.join(build, "scree"), "help", "scene", "--schema"], stdout=subprocess.PIPE, check=True).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    keys = [json.loads(line) for line in subprocess.run([program, "keys"], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()]

    texts = [open(path, encoding="utf-8").read() for path in sorted(glob.glob(f"{source}/examples/*.yaml") + glob.glob(f"{source}/papers/**/*.yaml", recursive=True))]
    examples = len(texts)
    for page in sorted(glob.glob(f"{source}/docs/*.md")):
        texts += re.findall(r"^```yaml\n(.*?)^```", open(page, encoding="utf-8").read(), re.DOTALL | re.MULTILINE)
    pages = len(texts)
    texts += SCENES
    answers = ask(program, texts)
    bases, bad = [], []
    for n, (text, answer) in enumerate(zip(texts, answers)):
        if answer["said"] and (n < examples or n >= pages) and "include:" not in text:
            bad.append(f"the reader rejects {text}: {answer['said']}")
        if (not answer["said"] or "include:" in text) and (error := jsonschema.exceptions.best_match(validator.iter_errors(valued(decoded(answer["tree"]))))):
            bad.append(f"the schema rejects a scene: {error.message[:200]} at {list(error.absolute_path)}\n{text}")
        if not answer["said"]:
            bases.append(answer["written"])
    accepted = len(bases)
    for text, answer in zip(bases, ask(program, bases)):
        if error := jsonschema.exceptions.best_match(validator.iter_errors(valued(decoded(answer["tree"])))):
            bad.append(f"the schema rejects what the program has written: {error.message[:200]} at {list(error.absolute_path)}\n{text}")
    for what, text in BEYOND:
        (answer,) = ask(program, [text])
        if what not in answer["said"] or not validator.is_valid(valued(decoded(answer["tree"]))):
            bad.append(f"'{what}' is no longer beyond the schema, or said in other words: {answer['said']}\n{text}")

    trees = [decoded(answer["tree"]) for answer, text in zip(answers[pages:], texts[pages:]) if not answer["said"]]
    cases = list(wrong_scenes(trees, keys))
    counts, agreed = collections.Counter(), collections.Counter()
    for (kind, path, scene), answer in zip(cases, ask(program, [whole_text(scene) for _, _, scene in cases])):
        valid, said = validator.is_valid(valued(decoded(answer["tree"]))), answer["said"]
        counts[kind] += 1
        agreed[kind] += valid == (not said)
        if valid and said and not (kind == "exclusion" and FURTHER.search(said)):
            bad.append(f"{kind} {path}: the schema accepts, the reader says: {said}\n{whole_text(scene)}")
        if not valid and not said:
            error = jsonschema.exceptions.best_match(validator.iter_errors(valued(decoded(answer["tree"]))))
            bad.append(f"{kind} {path}: the reader accepts, the schema says: {error.message[:200]} at {list(error.absolute_path)}\n{whole_text(scene)}")
    both = {kind: f"{agreed[kind]} of {counts[kind]}" for kind in counts}
    print(f"{accepted} scenes accepted by both; wrong ones on which both agree: {both}")
    if sum(agreed.values()) < 200 or any(agreed[kind] < counts[kind] for kind in ("name", "kind", "range")):
        bad.append("fewer agree than expected")
    if bad:
        fail(f"{len(bad)} faults:\n" + "\n".join(bad[:20]))


main()
