"""The tables of python/scree/_abi.py against the headers, by the C compiler and by reading the prototypes."""
import ctypes
import os
import re
import shutil
import subprocess
import sys

import pytest
from conftest import BUILD, ROOT
from scree import _abi, _library

HEADERS = "\n".join(path.read_text() for path in sorted((ROOT / "include" / "scree").glob("*.h")))
sys.path.insert(0, str(ROOT / "tools"))
from prototypes import expanded  # noqa: E402

BARE = expanded(HEADERS, False)


def run_c(tmp_path, source):
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        pytest.skip("there is no C compiler here")
    (tmp_path / "probe.c").write_text("#include <scree/scree.h>\n#include <stddef.h>\n#include <stdio.h>\n" + source)
    subprocess.run([compiler, "-std=c17", f"-I{ROOT / 'include'}", "probe.c", "-o", "probe", f"-L{BUILD}", "-lscree_show", "-lscree_files", "-lscree",
                    f"-Wl,-rpath,{BUILD}"], cwd=tmp_path, check=True)
    return subprocess.run(["./probe"], cwd=tmp_path, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()


def test_layout_is_that_of_the_compiler(tmp_path):
    wanted, lines = [], []
    for name, struct in _abi.STRUCTS.items():
        wanted.append(f"{name} {ctypes.sizeof(struct)}")
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        for field, _ in struct._fields_:
            entry = getattr(struct, field)
            wanted.append(f"{name}.{field} {entry.offset} {entry.size}")
            lines.append(f'printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}), sizeof((({name}*)0)->{field}));')
    assert run_c(tmp_path, "int main(void) {" + "\n".join(lines) + "}") == wanted


def test_fields_are_those_of_the_headers():
    for name, struct in _abi.STRUCTS.items():
        body = re.search(r"typedef struct %s \{(.*?)\n?\} %s;" % (name, name), BARE, re.S).group(1)
        found = []
        for declaration in body.split(";"):
            declaration = re.sub(r"\(\*\s*(\w+)\)\s*\(.*\)", r"\1", declaration.strip(), flags=re.S)  # pointers to functions
            declaration = re.sub(r"\(\*\s*(\w+)\)", r"\1", declaration)                              # pointers to arrays
            if declaration:
                parts = [re.sub(r"\[[^\]]*\]", "", part) for part in declaration.split(",")]
                found += [re.search(r"(\w+)\s*$", part).group(1) for part in parts]
        assert found == [field for field, _ in struct._fields_], name


# Types in C to what stands for them here. Pointers to numbers go as addresses of arrays, or as POINTER where a single one is meant.
PLAIN = {"int32_t": {_abi.i32}, "uint32_t": {_abi.u32}, "int64_t": {_abi.i64}, "uint64_t": {_abi.u64}, "double": {_abi.f64},
         "bool": {_abi.boolean}, "size_t": {_abi.size_t}, "void": {None}, "scree_status": {_abi.i32}}
ENUMS = set(re.findall(r"\} (scree_\w+);", "".join(re.findall(r"typedef enum \w+ \{.*?\} \w+;", BARE, re.S)))) - {"scree_status"}
OPAQUE = {"scree_index", "scree_candidates", "scree_sim", "scree_sizes", "scree_run", "scree_polygon_sim", "scree_surface", "scree_par", "scree_bvh", "scree_event_system",
          "scree_film", "scree_view", "scree_scene", "scree_scene_setup", "scree_run_summary"}


def accepted(text):
    array = "[" in text
    text = re.sub(r"\bconst\b", "", text)
    text = re.sub(r"\[[^\]]*\]", "", text)
    stars = text.count("*") + array
    text = text.replace("*", " ").split()
    kind = text[0] if text else ""
    if kind == "char":
        return {_abi.text} if stars == 1 else {ctypes.POINTER(_abi.text)}
    if stars == 0:
        if kind in ENUMS:
            return {_abi.i32}
        return PLAIN.get(kind) or {_abi.STRUCTS[kind]}
    if kind in OPAQUE:
        return {_abi.address} if stars == 1 else {ctypes.POINTER(_abi.address)}
    if kind in _abi.STRUCTS:
        inner = _abi.STRUCTS[kind]
        return {ctypes.POINTER(inner)} if stars == 1 else {ctypes.POINTER(ctypes.POINTER(inner))}
    if kind in PLAIN:
        number = next(iter(PLAIN[kind])) if kind != "void" else None
        return {_abi.address} | ({ctypes.POINTER(number), ctypes.POINTER(number * 2)} if number else set())
    return {_abi.address}


@pytest.mark.parametrize("library", list(_abi.FUNCTIONS))
def test_functions_are_those_of_the_headers(library):
    for name, (result, arguments) in _abi.FUNCTIONS[library].items():
        found = re.search(r"SCREE_API\s+([\w\s\*]+?)\s*\b%s\(([^;]*)\)[^;]*;" % name, BARE)
        assert found, f"{name} is in no header"
        returns, text = found.groups()
        words = [] if text.strip() == "void" else [word.strip() for word in text.split(",")]
        assert result in accepted(returns), f"{name} returns {returns}"
        assert len(words) == len(arguments), f"{name} takes {len(words)} arguments, not {len(arguments)}"
        for word, argument in zip(words, arguments):
            assert argument in accepted(word), f"{name}: {word} is not {argument}"


def test_words_are_those_of_the_library(tmp_path):
    lines = []
    for prefix, words in (("method", _abi.METHODS), ("direction", _abi.DIRECTIONS), ("range", _abi.RANGES), ("box_test", _abi.BOX_TESTS),
                          ("colour_map", _abi.MAPS), ("moves", _abi.MOVES), ("centres", _abi.CENTRES),
                          ("integrator", _abi.INTEGRATORS), ("shape_rule", _abi.SHAPES), ("polygon_rule", _abi.POLYGON_RULES)):
        lines += [f'puts(scree_{prefix}_name((scree_{prefix}){k}));' for k in range(len(words))]
    lines += [f'puts(scree_container_name({k}));' for k in range(len(_abi.CONTAINERS))]
    lines += [f'puts(scree_{what}_name({k}) ? scree_{what}_name({k}) : "none");' for what, words in (("kernel", _abi.KERNELS), ("surface", _abi.SURFACES), ("clusters", _abi.CLUSTERS))
              for k in range(len(words) + 1)]
    lines += [f'puts(scree_{what}_name({k}) ? scree_{what}_name({k}) : "none");' for what, words in (("sim_law", _abi.LAWS), ("backend", _abi.BACKENDS), ("device", _abi.DEVICES))
              for k in range(len(words) + 1)]
    lines += [f'puts(scree_format_name((scree_format){k}));' for k in range(1, len(_abi.FORMATS))]
    lines += [f'printf("%d\\n", (int){value});' for value in (
        "SCREE_METHOD_COUNT", "SCREE_FORMAT_COUNT", "SCREE_MAP_COUNT", "SCREE_BACKGROUND_COUNT", "SCREE_IMAGES_COUNT", "SCREE_SAMPLING_RANDOM",
        "SCREE_SCALE_LOG", "SCREE_LEVELS_MOST", "SCREE_CHECKPOINT_NUMBERS", "SCREE_CHECKPOINT_NAME", "SCREE_ERR_CANCELLED", "SCREE_COLUMN_TEXT",
        "SCREE_TABLE_NUMBER", "SCREE_SHAPE_RULE_COUNT", "SCREE_CONTACT_WALL", "SCREE_POLYGON_ACCOUNTS")]
    wanted = [*_abi.METHODS, *_abi.DIRECTIONS, *_abi.RANGES, *_abi.BOX_TESTS, *_abi.MAPS, *_abi.MOVES, *_abi.CENTRES, *_abi.INTEGRATORS, *_abi.SHAPES, *_abi.POLYGON_RULES, *_abi.CONTAINERS,
              *_abi.KERNELS, "none", *_abi.SURFACES, "none", *_abi.CLUSTERS, "none", *_abi.LAWS, "none", *_abi.BACKENDS, "none", *_abi.DEVICES, "none", *_abi.FORMATS[1:]]
    wanted += map(str, (len(_abi.METHODS), len(_abi.FORMATS), len(_abi.MAPS), len(_abi.BACKGROUNDS), len(_abi.IMAGES), len(_abi.SAMPLINGS) - 1,
                        len(_abi.SCALES) - 1, _abi.LEVELS_MOST, _abi.CHECKPOINT_NUMBERS, _abi.CHECKPOINT_NAME, -6, 2, 1, len(_abi.SHAPES), len(_abi.CONTACT_KINDS) - 1, _abi.POLYGON_ACCOUNTS))
    assert run_c(tmp_path, "int main(void) {" + "\n".join(lines) + "}") == wanted


def test_version_is_that_of_the_header():
    numbers = re.findall(r"#define SCREE_VERSION_\w+ (\d+)", HEADERS)
    assert _library.__version__ == ".".join(numbers)
    assert re.findall(r"#define SCREE_ABI (\d+)", HEADERS) == [str(_abi.ABI)]


def test_another_layout_is_refused_at_import():
    library = ctypes.CDLL(str(BUILD / "libscree.so"))

    class smaller(ctypes.Structure):
        _fields_ = _abi.scree_index_def._fields_[:-1]

    with pytest.raises(ImportError, match="different builds"):
        entry = library.scree_default_index_def_sized
        entry.restype, entry.argtypes = ctypes.c_size_t, [ctypes.c_void_p, ctypes.c_size_t]
        _library._check_size(entry, smaller, BUILD)


def test_a_missing_library_is_named(tmp_path, environment):
    import sys
    done = subprocess.run([sys.executable, "-c", "import scree"], env={**environment, "SCREE_LIBRARY_DIR": str(tmp_path)},
                          stderr=subprocess.PIPE, text=True)
    assert done.returncode != 0 and "were not found" in done.stderr and str(tmp_path) in done.stderr


def test_defaults_are_those_of_the_library():
    import inspect
    import math
    import scree
    lib = _library.lib
    words = {"method": _abi.METHODS, "map": _abi.MAPS, "scale": _abi.SCALES, "images": _abi.IMAGES, "background": _abi.BACKGROUNDS,
             "integrator": _abi.INTEGRATORS, "backend": _abi.BACKENDS, "device": _abi.DEVICES}
    other_names = {"draw_box": "box", "gap": "margin"}
    for function, definition in ((scree.picture, lib.scree_default_picture_def()), (scree.levels, lib.scree_default_levels_def()),
                                 (scree.measure, lib.scree_default_measure_def()), (scree.Simulation.__init__, lib.scree_default_sim_def()),
                                 (scree.thermal_velocities, lib.scree_default_thermal_def()), (scree.Index.__init__, lib.scree_default_index_def())):
        compared = 0
        for name, parameter in inspect.signature(function).parameters.items():
            field = other_names.get(name, name) if function in (scree.picture, scree.levels) else name
            if parameter.default in (None, inspect.Parameter.empty) or not hasattr(definition, field):
                continue
            theirs = getattr(definition, field)
            if name == "law":  # no law is the first one
                assert not theirs and parameter.default == _abi.LAWS[0]
                continue
            ours = words[name].index(parameter.default) if isinstance(parameter.default, str) else parameter.default
            if isinstance(ours, tuple):
                assert all(map(math.isnan, ours)) and all(map(math.isnan, theirs))
            elif isinstance(ours, float) and math.isnan(ours):
                assert math.isnan(theirs), (function.__name__, name)
            elif (function, name) != (scree.thermal_velocities, "seed"):
                assert ours == theirs, (function.__name__, name)
            compared += 1
        assert compared > 3


def test_every_function_is_used_or_explained():
    import bound
    assert not list(bound.faults())
