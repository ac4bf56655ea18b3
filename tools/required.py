"""What a script of this folder needs besides the source, said in one sentence before it begins to work.

    from required import numpy as np       ends with a sentence where NumPy is missing
    required.program(path)                 of the build, by `make`
    required.test_program(build, name)     of the tests, which `make` does not build
    required.command("lmp", "LAMMPS (Debian: lammps)")
"""
import importlib
import os
import shutil
import sys

TESTS = "make test builds it, or: cmake -B build -DSCREE_TESTS=ON && cmake --build build"


def fail(text):
    sys.exit(f"{os.path.relpath(sys.argv[0])}: {text}")


def program(path, how="make builds it"):
    """The path of a program that must be there."""
    if not os.access(path, os.X_OK) or os.path.isdir(path):
        fail(f"there is no program {os.path.relpath(path)}; {how}")
    return str(path)


def test_program(build, name):
    return program(os.path.join(build, "tests", "peers", name), TESTS)


def command(name, what):
    if shutil.which(name) is None:
        fail(f"there is no command {name}; it needs {what}")


def library(build):
    """Before `import scree`: the libraries of a build."""
    if not os.path.exists(os.path.join(build, "libscree.so")):
        fail(f"there is no library {os.path.relpath(os.path.join(build, 'libscree.so'))}; make builds it, and SCREE_LIBRARY_DIR names another folder")


def __getattr__(name):
    if name != "numpy":
        raise AttributeError(name)
    try:
        return importlib.import_module(name)
    except ImportError as error:
        fail(f"it needs NumPy (Debian: python3-numpy): {error}")
