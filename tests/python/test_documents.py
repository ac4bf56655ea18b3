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


@pytest.fixture(scope="session")
def matplotlib_folder(tmp_path_factory):
    """One for all tutorials: matplotlib lists the system's fonts there, which takes seconds."""
    return tmp_path_factory.mktemp("matplotlib")


# A number that each tutorial prints, by the words or signs around it, and the range it must be in.
@pytest.mark.parametrize("file, count, around, low, high", [
    ("pairs_and_network", 300, r"largest\D*(\d+)", 150, 300),
    ("sieve_curve", 300, r"8\.00 mm: *([\d.]+)", 0.7, 0.9),  # of the mass passes this sieve; the curve has 0.8
    ("cooling_gas", 300, r"([+-][\d.]+) %", -10, 10),  # of tau, from kinetic theory
    ("fastest_method", 500, r"(\d+) pairs", 1, 1e6),
])
def test_tutorials(file, count, around, low, high, tmp_path, matplotlib_folder, environment):
    done = subprocess.run([sys.executable, "-B", ROOT / "examples" / "python" / f"{file}.py", str(count)], cwd=tmp_path, text=True,
                          env={**environment, "SCREE_EXAMPLES_OUT": str(tmp_path), "MPLCONFIGDIR": str(matplotlib_folder)},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    found = re.search(around, done.stdout)
    assert found and low <= float(found.group(1)) <= high, done.stdout
    if importlib.util.find_spec("matplotlib"):
        assert [name for name in os.listdir(tmp_path) if name.endswith(".png")], done.stdout + done.stderr
