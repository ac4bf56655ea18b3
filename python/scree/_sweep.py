"""Studies: many runs of one scene with other values, by the program (`scree sweep`): `sweep`."""
from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Iterable, Mapping, Optional

import numpy as np

from ._arrays import Array, seed_of, whole
from ._library import ArgumentError
from ._run import Run
from ._scene import Scene, SceneLike, _setting
from ._scene_text import flow, plain_value
from ._sim import program_error, run_program
from ._spheres import PathLike
from ._tables import DataTable


class Sweep(DataTable):
    """The results of `sweep`, a row for each run: the keys of `over`, "seed", "hash", the quantities that were wanted, and "error", why a run failed ("": it did not)."""
    __slots__ = ("_folder",)

    def __init__(self, columns: Mapping[str, Array], folder: str) -> None:
        super().__init__(columns)
        self._folder = folder

    @property
    def folder(self) -> str:
        """The folder of the study, with results.csv, results.png and the folders of the runs."""
        return self._folder

    @property
    def failed(self) -> int:
        """How many runs failed."""
        return int((self["error"] != "").sum())

    def run(self, row: int) -> Run:
        """The folder of the run of a row."""
        if not -self.rows <= row < self.rows:
            raise IndexError(f"there is no row {row}; expected {-self.rows} to {self.rows - 1}")
        return Run(os.path.join(self._folder, f"{range(self.rows)[row] + 1:04d}"))

    def __repr__(self) -> str:
        return f"<scree.Sweep {self._folder}: {self.rows} runs" + (f", {self.failed} failed" if self.failed else "") + f", columns {', '.join(list(self)[:8])}{', ...' if len(self) > 8 else ''}>"


def _over(key: str, values: Any) -> str:
    """The key and its values as the program has them after --over."""
    if isinstance(values, str):
        return f"{key}={values}"
    if isinstance(values, Mapping) or not isinstance(values, Iterable):
        raise ArgumentError(f"over[{key!r}] is {values!r:.60}; expected a list of values, or a text like '0.1:0.9:9'")
    words = []
    for k, value in enumerate(values, 1):
        plain = plain_value(value, f"over[{key!r}], value {k}")
        word = flow(plain)
        if isinstance(plain, str) and "," in plain:
            raise ArgumentError(f"over[{key!r}]: value {k} is {plain!r}; expected no comma, which separates values")
        words.append(word)
    if not words:
        raise ArgumentError(f"over[{key!r}] is empty; expected at least one value")
    return f"{key}={','.join(words)}"


def sweep(scene: SceneLike, over: Mapping[str, Any], folder: PathLike, *, seeds: int = 1, want: Optional[Iterable[str]] = None, set: Optional[Mapping[str, Any]] = None,
          jobs: int = 0, threads: int = 0, seed: Optional[int] = None) -> Sweep:
    """Runs a scene with all combinations of values of its keys, several processes side by side, and returns one table: the program `scree sweep` (docs/sweep.md).

    scene: the name of a file, a dict or a Scene. over: values by key, a list or array of them, or a text like "0.1:0.9:9" (from, to, count). Each combination is run with `seeds` seeds: that of the scene (or `seed`) and the next
    ones. want: names of the quantities in the table; default: all single numbers of the result. set: other keys of a file that all runs have. jobs: how many runs at the same time, 0: as many as there are cores; threads: of each, 0: one.
    After Ctrl-C or a crash the same call goes on: complete runs are not repeated, and others continue from their checkpoints. A run that fails has its reason in the column "error", and the others are complete.

    >>> scene = {"box": {"size": [4, 4, 4]}, "gravity": [0, 0, -1], "spheres": {"count": 8, "sizes": "mono:0.4", "place": "lattice"}, "contact": {"duration": 0.05, "restitution": 0.5}, "time": {"end": 1}}
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = sweep(scene, {"gravity": [[0, 0, -1], [0, 0, -2]], "contact.restitution": [0.5, 0.9]}, folder + "/study", want=["energy_kinetic"])
    ...     table["contact.restitution"].tolist(), table["energy_kinetic"].round(3).tolist(), table.run(2).scene.gravity()[2]
    ([0.5, 0.9, 0.5, 0.9], [1.072, 1.072, 2.245, 2.772], -2.0)
    """
    given: Any = Scene(scene) if isinstance(scene, Mapping) else scene
    name = given._name if isinstance(given, Scene) else os.fsdecode(given)
    settings = given._settings if isinstance(given, Scene) else []
    if set is not None and isinstance(given, Scene):
        raise ArgumentError("set: expected with the name of a file; a dict or a Scene can have the values itself")
    settings = [_setting(key, value) for key, value in set.items()] if set is not None else settings
    if seed is not None and isinstance(given, Scene):
        raise ArgumentError("seed: a Scene has its own; set scene.seed")
    first = given.seed if isinstance(given, Scene) else None if seed is None else seed_of(seed)
    words = [word for key, values in over.items() for word in ("--over", _over(key, values))]
    words += [word for one in settings for word in ("--set", one.decode())] + ["--seeds", str(whole(seeds, "seeds", 1))]
    words += ([] if want is None else ["--want", ",".join([want] if isinstance(want, str) else want)]) + ([] if first is None else ["--seed", str(first)])
    words += ["--jobs", str(jobs)] if whole(jobs, "jobs", 0) else []
    words += ["--threads", str(threads)] if whole(threads, "threads", 0) else []
    path, written = name, None
    try:
        if isinstance(given, Scene) and given._source is not None:  # a file where names of files in it mean the same
            handle, written = tempfile.mkstemp(".yaml", ".sweep-", os.path.dirname(name) or ".")
            with open(handle, "w", encoding="utf-8") as file:
                file.write(given._source)
            path = written
        code, out, said = run_program(["sweep", path, *words, "-o", os.fsdecode(folder), "--json", "--quiet"], "sweep")
    finally:
        if written is not None:
            os.unlink(written)
    found = json.loads(out) if out else {}
    if "rows" not in found:
        raise program_error(code, said.replace(path, name))
    columns = {}
    for column, values in found["rows"].items():
        texts = column in ("hash", "error") or any(isinstance(value, str) for value in values)
        array = np.array([str(value).replace(path, name) for value in values] if texts else [np.nan if value is None else value for value in values], None if values else float)
        columns[column] = array
    return Sweep(columns, os.fsdecode(folder))
