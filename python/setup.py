"""Puts the three C libraries into the package: from SCREE_LIBRARY_DIR, or build/ of the checkout, where `make` leaves them."""
import os
import shutil
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent


class build_with_libraries(build_py):
    def run(self):
        super().run()
        if getattr(self, "editable_mode", False):
            return  # the package in the checkout finds build/ by itself
        source = Path(os.environ.get("SCREE_LIBRARY_DIR") or HERE.parent / "build")
        target = Path(self.build_lib) / "scree" / "lib"
        target.mkdir(parents=True, exist_ok=True)
        for name in ("libscree.so", "libscree_files.so", "libscree_show.so"):
            found = sorted(source.glob(name + ".[0-9]"))
            if not found:
                raise SystemExit(f"{source} holds no {name}: run `make` first, or set SCREE_LIBRARY_DIR")
            shutil.copyfile(found[-1], target / found[-1].name)


class platform_wheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]  # any Python 3, but this machine's libraries


class WithLibraries(Distribution):
    def has_ext_modules(self):
        return True


setup(cmdclass={"build_py": build_with_libraries, "bdist_wheel": platform_wheel}, distclass=WithLibraries)
