"""Puts the C libraries into the package: from SCREE_LIBRARY_DIR, or build/ of the checkout, where `make` leaves them.

With SCREE_WHEEL=portable (`make wheel`) the libraries that these need beside the C library go in as well, with their licences, and the wheel is tagged manylinux, for the oldest C library
that has all symbols. Without it (`pip install ./python`) it is for this machine.
"""
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
ROOT = Path(os.environ.get("SCREE_SOURCE_DIR") or HERE.parent)
LIBRARIES = Path(os.environ.get("SCREE_LIBRARY_DIR") or ROOT / "build")
PORTABLE = os.environ.get("SCREE_WHEEL") == "portable"
# What each bundled library is called in Debian, for its licence. The C library itself is never bundled.
BUNDLED = {"libexpat.so.1": "libexpat1", "libpng16.so.16": "libpng16-16", "libyaml-0.so.2": "libyaml-0-2", "libz.so.1": "zlib1g"}
SYSTEM = ("libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux", "linux-vdso", "libscree")


def own() -> list[Path]:
    found = []
    for name in ("libscree.so", "libscree_files.so", "libscree_show.so"):
        versions = sorted(LIBRARIES.glob(name + ".[0-9]"))
        if not versions:
            raise SystemExit(f"{LIBRARIES} holds no {name}: run `make` first, or set SCREE_LIBRARY_DIR")
        found.append(versions[-1])
    return found


def others() -> list[Path]:
    """The libraries that ours need and the system may not have."""
    found = {}
    for library in own():
        for line in subprocess.run(["ldd", library], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines():
            name, _, where = line.strip().partition(" => ")
            if name.split("/")[-1].startswith(SYSTEM):
                continue
            if name not in BUNDLED:
                raise SystemExit(f"setup.py: {library.name} needs {name}, whose licence is not known here; expected one of {', '.join(BUNDLED)}")
            found[name] = Path(where.split(" (")[0])
    return [path for _, path in sorted(found.items())]


def oldest_libc(folder: Path) -> tuple[int, int]:
    """The newest version of the C library's symbols that the libraries in a folder use."""
    listed = subprocess.run(["readelf", "--version-info", "--wide", *sorted(folder.iterdir())], check=True, stdout=subprocess.PIPE, text=True).stdout
    return max((int(major), int(minor)) for major, minor in re.findall(r"Name: GLIBC_(\d+)\.(\d+)", listed))


class build_with_libraries(build_py):
    def run(self):
        super().run()
        if getattr(self, "editable_mode", False):
            return  # the package in the checkout finds build/ by itself
        target = Path(self.build_lib) / "scree" / "lib"
        target.mkdir(parents=True, exist_ok=True)
        for path in [*own(), *(others() if PORTABLE else [])]:
            shutil.copyfile(path, target / path.name)
            if PORTABLE:
                subprocess.run(["strip", "--strip-unneeded", target / path.name], check=True)


class platform_wheel(bdist_wheel):
    def get_tag(self):
        platform = super().get_tag()[2]
        if PORTABLE:
            with tempfile.TemporaryDirectory() as folder:
                for path in [*own(), *others()]:
                    shutil.copyfile(path, Path(folder) / path.name)
                platform = re.sub("^linux_", "manylinux_%d_%d_" % oldest_libc(Path(folder)), platform)
        return "py3", "none", platform  # any Python 3: the libraries know nothing of it

    def egg2dist(self, egginfo_path, distinfo_path):
        super().egg2dist(egginfo_path, distinfo_path)
        folder = Path(distinfo_path) / "licenses"
        folder.mkdir(exist_ok=True)
        shutil.copyfile(ROOT / "LICENSE", folder / "LICENSE")
        for path in others() if PORTABLE else []:
            shutil.copyfile(f"/usr/share/doc/{BUNDLED[path.name]}/copyright", folder / f"{path.name}.txt")


class WithLibraries(Distribution):
    def has_ext_modules(self):
        return True


setup(cmdclass={"build_py": build_with_libraries, "bdist_wheel": platform_wheel}, distclass=WithLibraries)
