"""Tests of the Python module. ctest runs them with SCREE_LIBRARY_DIR and SCREE (the program) set; by hand, after `make`:

    /usr/bin/python3 -m pytest tests/python

SCREE_TEST_SEED chooses the random cases: 1 unless set, so that one commit gives one answer, or a fresh one in a deep run (effort above 1).
SCREE_TEST_EFFORT scales their number.
"""
import os
import signal
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
sys.dont_write_bytecode = True
BUILD = Path(os.environ.setdefault("SCREE_LIBRARY_DIR", str(ROOT / "build")))
PROGRAM = os.environ.setdefault("SCREE", str(BUILD / "scree"))
EFFORT = max(0.1, float(os.environ.get("SCREE_TEST_EFFORT", "1")))
FRESH = int.from_bytes(os.urandom(4), "little") + 1
SEED = int(os.environ.get("SCREE_TEST_SEED", "0")) or (FRESH if EFFORT > 1 else 1)


def pytest_configure(config):
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background of a script begins with SIGINT ignored
    config.addinivalue_line("filterwarnings", "ignore:.* of the smaller radius, expected:RuntimeWarning")  # small scenes are soft, so that they run fast


def pytest_report_header(config):
    return f"seed {SEED} (SCREE_TEST_SEED repeats it), libraries in {BUILD}"


@pytest.fixture
def rng(request):
    """Random numbers of this test: they follow from the seed, which the header names, and the name of the test."""
    return np.random.default_rng([SEED, *request.node.name.encode()])


@pytest.fixture
def program():
    assert os.path.exists(PROGRAM), f"there is no program {PROGRAM}"
    return PROGRAM


@pytest.fixture
def environment():
    """For subprocesses that import the package."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
