"""The wheel (`make wheel`), installed by pip, offline, in a bare venv that sees NumPy and nothing else of the system. (`make install`: tests/build/install.sh.)"""
import glob
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import zipfile

import numpy
import pytest
from conftest import BUILD, ROOT

VERSION = re.search(r"\d+\.\d+\.\d+", (ROOT / "python" / "scree" / "_version.py").read_text()).group()
needed = [name for name in ("venv", "ensurepip", "setuptools", "wheel") if importlib.util.find_spec(name) is None] + [
    name for name in ("readelf", "strip", "ldd") if shutil.which(name) is None]
USE = """
import scree, scree._library as l
print(l.folder)
print(scree.pairs([[0, 0], [1, 0]], 0.6).tolist())
scree.write("a.vtp", [[0, 0]], 1)
print(len(scree.read("a.vtp")), scree.__version__, scree.picture([[0, 0]], 1, width=32, height=32).shape)
print(sorted({line.split()[-1] for line in open("/proc/self/maps") if "/lib" in line and (line.split()[-1].split("/")[-1].split(".so")[0] in
      ("libscree", "libscree_files", "libpng16", "libyaml-0"))}))
"""


@pytest.mark.skipif(bool(needed), reason=f"without {', '.join(needed)}: `tools/setup test` installs what is needed")
def test_wheel_in_a_bare_venv(tmp_path):
    made = subprocess.run([ROOT / "tools" / "wheel", BUILD, tmp_path / "wheel"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    tag = re.search(rf"scree-{VERSION}-py3-none-manylinux_2_(\d+)_{platform.machine()}\.whl$", made)
    assert tag and 17 <= int(tag.group(1)) <= int(platform.libc_ver()[1].split(".")[1])
    with zipfile.ZipFile(made) as archive:
        names = archive.namelist()
        for path in names:  # no library names a folder of this machine, and there are no others beside it that it needs
            if "/lib/" in path:
                archive.extract(path, tmp_path / "seen")
                reported = subprocess.run(["readelf", "-d", tmp_path / "seen" / path], check=True, stdout=subprocess.PIPE, text=True).stdout
                assert set(re.findall(r"R(?:UN)?PATH\).*\[(.*)\]", reported)) <= {"$ORIGIN"}
                for other in re.findall(r"NEEDED\).*\[(.*)\]", reported):
                    assert f"scree/lib/{other}" in names or other.startswith(("libc.so", "libm.so", "ld-linux")), (path, other)
    libraries = {name.split("/")[-1] for name in names if "/lib/" in name}
    licences = {name.split("/licenses/")[1] for name in names if "/licenses/" in name}
    assert {"libscree.so.2", "libscree_files.so.2", "libscree_show.so.2"} < libraries and "scree/py.typed" in names
    assert licences == {"LICENSE", *(f"{name}.txt" for name in libraries if not name.startswith("libscree"))}
    import ensurepip
    pip = next(iter(glob.glob("/usr/share/python-wheels/pip-*.whl") + glob.glob(f"{os.path.dirname(ensurepip.__file__)}/_bundled/pip-*.whl")), None)
    subprocess.run([sys.executable, "-m", "venv", *(["--without-pip"] if pip else []), tmp_path / "venv"], check=True)  # to install pip would take longer than all the rest
    python, environment = tmp_path / "venv" / "bin" / "python", {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), **({"PYTHONPATH": pip} if pip else {})}
    done = subprocess.run([python, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet", "--disable-pip-version-check", made], env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    packages = next((tmp_path / "venv" / "lib").glob("*/site-packages"))
    os.symlink(os.path.dirname(numpy.__file__), packages / "numpy")
    reported = subprocess.run([python, "-c", USE], env=environment, cwd=tmp_path, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    assert reported[:3] == [str(packages / "scree" / "lib"), "[[0, 1]]", f"1 {VERSION} (32, 32, 4)"]
    assert all(str(packages) in path for path in eval(reported[3])) and len(eval(reported[3])) == 4  # expat and zlib may be the interpreter's own, which are loaded already
    subprocess.run([python, "-m", "pip", "uninstall", "--yes", "--quiet", "scree"], env=environment, check=True)
    assert not (packages / "scree").exists()
