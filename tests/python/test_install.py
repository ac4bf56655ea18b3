"""The package installed by pip, offline, in a venv that sees the system's packages. (`make install`: tests/build/install.sh.)"""
import importlib.util
import re
import shutil
import subprocess
import sys

import pytest
from conftest import BUILD, ROOT

VERSION = re.search(r"\d+\.\d+\.\d+", (ROOT / "python" / "scree" / "_version.py").read_text()).group()
needed = [name for name in ("venv", "ensurepip", "setuptools", "wheel") if importlib.util.find_spec(name) is None]


@pytest.mark.skipif(bool(needed), reason=f"without {', '.join(needed)}: `tools/setup test` installs what is needed")
def test_pip_in_a_venv(tmp_path):
    shutil.copytree(ROOT / "python", tmp_path / "python", ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    environment = {"PATH": "/usr/bin:/bin", "SCREE_LIBRARY_DIR": str(BUILD), "HOME": str(tmp_path)}
    done = subprocess.run([python, "-m", "pip", "install", "--no-index", "--no-build-isolation", "--no-deps", "--quiet",
                           "--disable-pip-version-check", tmp_path / "python"], env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    del environment["SCREE_LIBRARY_DIR"]
    shutil.rmtree(tmp_path / "python")
    told = subprocess.run([python, "-c", "import scree, scree._library as l; print(l.folder); print(scree.pairs([[0, 0], [1, 0]], 0.6).tolist());"
                           "scree.write('a.vtp', [[0, 0]], 1); print(len(scree.read('a.vtp')), scree.__version__)"],
                          env=environment, cwd=tmp_path, check=True, stdout=subprocess.PIPE, text=True).stdout.split("\n")
    assert told[0].startswith(str(tmp_path / "venv")) and told[1:3] == ["[[0, 1]]", f"1 {VERSION}"]
    subprocess.run([python, "-m", "pip", "uninstall", "--yes", "--quiet", "scree"], env=environment, check=True)
    assert not list((tmp_path / "venv" / "lib").glob("*/site-packages/scree"))
