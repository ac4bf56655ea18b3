"""Docstrings, and the tutorials in examples/python. (docs/python.md and the other pages: tests/build/documents.py.)"""
import dataclasses
import doctest
import importlib.util
import inspect
import os
import pkgutil
import re
import subprocess
import sys

import pytest
import scree
from conftest import ROOT
from scree._records import Record


@pytest.mark.parametrize("name", sorted(module.name for module in pkgutil.iter_modules(scree.__path__)))
def test_docstrings(name):
    module = importlib.import_module(f"scree.{name}")
    result = doctest.testmod(module, extraglobs={public: getattr(scree, public) for public in scree.__all__})
    assert result.failed == 0


def hints_are_complete(function, own):
    """Whether the result and all parameters but the first `own` have types; a function with **words has one more."""
    code = function.__code__
    words = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return "return" in function.__annotations__ and len(set(function.__annotations__) - {"self"}) == code.co_argcount - own + code.co_kwonlyargcount + words + 1


def test_public_names_have_docstrings_and_hints():
    """Functions, classes, and the methods and properties of classes; inherited ones too. Fields of records have types, and comments where they are declared."""
    lacking, count = [], 0
    for name in scree.__all__:
        entry = getattr(scree, name)
        if not callable(entry):
            continue
        parts = {name: entry} if not isinstance(entry, type) else {name: None, **{f"{name}.{part}": inspect.getattr_static(entry, part) for part in dir(entry) if not part.startswith("_")}}
        for full, part in parts.items():
            static = isinstance(part, (staticmethod, classmethod))
            part = part.fget if isinstance(part, property) else part.__func__ if static else part
            if part is not None and not inspect.isfunction(part):
                continue  # a field, or a constant
            count += 1
            text = entry.__doc__ if part is None else part.__doc__
            if not (text or "").strip():
                lacking.append(f"{full}: docstring")
            elif full == name and part is not None and ">>>" not in text and name not in ("device", "read_frames"):  # a GPU is needed; it is in the example of write_frames
                lacking.append(f"{full}: example")
            if part is not None and part.__module__.startswith("scree") and not hints_are_complete(part, 0 if full == name else 1 - isinstance(parts[full], staticmethod)):
                lacking.append(f"{full}: types")
    assert not lacking and count > 250, (lacking, count)


def test_records_compare_and_print():
    """Every dataclass of the module compares by value, has a short repr, and a table for notebooks."""
    records = [entry for entry in map(scree.__dict__.get, scree.__all__) if isinstance(entry, type) and dataclasses.is_dataclass(entry)]
    for one in records:
        assert one.__eq__ is Record.__eq__ and one.__repr__ is Record.__repr__ and hasattr(one, "_repr_html_"), one
    assert len(records) > 20
    for name in ("Spheres", "Packing", "Outlines", "Simulation", "PolygonSimulation", "Result"):
        assert hasattr(getattr(scree, name), "_repr_png_") and hasattr(getattr(scree, name), "_repr_html_"), name


# A number that each tutorial prints, by the words or signs around it, and the range it must be in.
TUTORIALS = {"pairs_and_network": (300, r"largest\D*(\d+)", 150, 300),
             "sieve_curve": (300, r"8\.00 mm: *([\d.]+)", 0.7, 0.9),  # of the mass passes this sieve; the curve has 0.8
             "cooling_gas": (300, r"([+-][\d.]+) %", -10, 10),  # of tau, from kinetic theory
             "restitution_study": (3, r"largest difference from e\^2: ([\d.]+) %", 0, 2),
             "fastest_method": (500, r"(\d+) pairs", 1, 1e6)}
RUN = """
import os, runpy, sys
for word in list(sys.argv[2:]):
    name, _, count = word.partition(":")
    os.mkdir(name)
    os.environ["SCREE_EXAMPLES_OUT"] = os.path.abspath(name)
    print(f"tutorial {name}", flush=True)
    sys.argv = [name, count]
    sys.modules.pop("tutorial", None)  # which knows the folder
    runpy.run_path(os.path.join(FOLDER, name + ".py"), run_name="__main__")
"""


@pytest.fixture(scope="session")
def tutorials(tmp_path_factory):
    """What each prints, and its folder. One process for all of them: to start Python with NumPy and matplotlib takes longer than they do."""
    folder, examples = tmp_path_factory.mktemp("tutorials"), ROOT / "examples" / "python"
    code = RUN.replace("FOLDER", repr(str(examples)))
    done = subprocess.run([sys.executable, "-B", "-c", code, "-", *(f"{name}:{how[0]}" for name, how in TUTORIALS.items())], cwd=folder, text=True,
                          env={**os.environ, "PYTHONPATH": f"{ROOT / 'python'}:{examples}", "PYTHONDONTWRITEBYTECODE": "1", "MPLCONFIGDIR": str(folder / "matplotlib")},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    parts = re.split(r"^tutorial (\w+)$", done.stdout, flags=re.M)[1:]
    return done, dict(zip(parts[::2], parts[1::2])), folder


@pytest.mark.parametrize("name", TUTORIALS)
def test_tutorials(name, tutorials):
    done, printed, folder = tutorials
    assert done.returncode == 0, done.stderr
    _, around, low, high = TUTORIALS[name]
    found = re.search(around, printed[name])
    assert found and low <= float(found.group(1)) <= high, printed[name]
    if importlib.util.find_spec("matplotlib"):
        assert list((folder / name).glob("*.png")), printed[name] + done.stderr
