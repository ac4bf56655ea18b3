"""What the documents show runs and prints what they say: docs/python.md, the docstrings, and the tutorials in examples/python."""
import contextlib
import doctest
import importlib
import io
import os
import pkgutil
import re
import subprocess
import sys

import pytest
import scree
from conftest import ROOT

PAGE = ROOT / "docs" / "python.md"


def test_page(monkeypatch):
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    names, printed, compared = {}, None, 0
    for kind, text in blocks:
        if kind == "python":
            assert printed in (None, ""), f"the page does not show what this printed: {printed}"
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(text, str(PAGE), "exec"), names)
            printed = out.getvalue()
        elif kind == "text" and printed is not None:
            assert printed == text
            printed, compared = None, compared + 1
    assert compared >= 6


@pytest.mark.parametrize("name", sorted(module.name for module in pkgutil.iter_modules(scree.__path__)))
def test_docstrings(name):
    module = importlib.import_module(f"scree.{name}")
    result = doctest.testmod(module, extraglobs={public: getattr(scree, public) for public in scree.__all__})
    assert result.failed == 0


def test_all_that_is_public_has_a_docstring_and_hints():
    for name in scree.__all__:
        entry = getattr(scree, name)
        if callable(entry):
            assert entry.__doc__, name
        if callable(entry) and not isinstance(entry, type):
            hints = entry.__annotations__
            assert "return" in hints and len(hints) == entry.__code__.co_argcount + entry.__code__.co_kwonlyargcount + 1 + bool(
                entry.__code__.co_flags & 8), name


@pytest.mark.parametrize("file, count, words", [
    ("pairs_and_network", 300, r"the largest piece of the network has \d+ spheres"),
    ("sieve_curve", 300, r"below  8.00 mm:  0.[78]\d\d of the mass, wished  0.800"),
    ("cooling_gas", 300, r"tau from the simulation: \d+.\d+, [+-][0-9]\.\d % from kinetic theory"),
    ("fastest_method", 500, r"uniform-volume:1:50: 500 spheres, \d+ pairs; fastest here"),
])
def test_tutorials(file, count, words, tmp_path, environment):
    done = subprocess.run([sys.executable, "-B", ROOT / "examples" / "python" / f"{file}.py", str(count)], cwd=tmp_path, text=True,
                          env={**environment, "SCREE_EXAMPLES_OUT": str(tmp_path), "MPLCONFIGDIR": str(tmp_path)},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    assert re.search(words, done.stdout), done.stdout
    if "matplotlib is not here" not in done.stdout:
        assert [name for name in os.listdir(tmp_path) if name.endswith(".png")], done.stdout + done.stderr
