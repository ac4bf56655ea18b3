"""Docstrings, and the tutorials in examples/python. (docs/python.md and the other pages: tests/build/documents.py.)"""
import doctest
import importlib.util
import os
import pkgutil
import re
import subprocess
import sys

import pytest
import scree
from conftest import ROOT


@pytest.mark.parametrize("name", sorted(module.name for module in pkgutil.iter_modules(scree.__path__)))
def test_docstrings(name):
    module = importlib.import_module(f"scree.{name}")
    result = doctest.testmod(module, extraglobs={public: getattr(scree, public) for public in scree.__all__})
    assert result.failed == 0


def test_public_names_have_docstrings_and_hints():
    for name in scree.__all__:
        entry = getattr(scree, name)
        if callable(entry):
            assert entry.__doc__, name
        if callable(entry) and not isinstance(entry, type):
            hints = entry.__annotations__
            assert "return" in hints and len(hints) == entry.__code__.co_argcount + entry.__code__.co_kwonlyargcount + 1 + bool(
                entry.__code__.co_flags & 8), name


# A number that each tutorial prints, by the words or signs around it, and the range it must be in.
TUTORIALS = {"pairs_and_network": (300, r"largest\D*(\d+)", 150, 300),
             "sieve_curve": (300, r"8\.00 mm: *([\d.]+)", 0.7, 0.9),  # of the mass passes this sieve; the curve has 0.8
             "cooling_gas": (300, r"([+-][\d.]+) %", -10, 10),  # of tau, from kinetic theory
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
