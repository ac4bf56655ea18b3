"""The folder of a run as an object: `Run`, its frames and its log."""
from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Sequence
from typing import Any, Callable, Iterator, Optional, Union, overload

import numpy as np

from . import _abi
from ._arrays import Array, frozen
from ._contacts import read_contacts
from ._frames import Frame, read_frames
from ._library import ArgumentError, FormatError, MissingFileError, check, file_error, lib
from ._records import Strict, table_html
from ._scene import Scene
from ._sim import Progress, Quantity, Result, _summary, _Teller, resume
from ._spheres import PathLike, encode, read, read_outlines
from ._tables import DataTable

# Columns of log.csv that are counts; of these words and of names that begin with these.
_COUNTS = ("step contacts wall_contacts rebuilds bonds bonds_broken sliding n inserted removed waiting touching crossings".split(), ("inserted_", "removed_", "crossed_"))
_ENDINGS = ("vtp", "pvtp", "npy", "csv", "lmp", "xyz")  # the same frame in several formats: the one that keeps the most


class Frames(Strict, Sequence[Frame]):
    """The frames of a run, each read when it is asked for: Spheres, of a scene with bodies Outlines. `frames[-1]` is the last, `frames[10:20]` some of them; `times` has their times."""
    __slots__ = ("_paths", "_times", "_bodies", "__weakref__")

    def __init__(self, paths: list[str], times: Array, bodies: bool) -> None:
        self._paths, self._times, self._bodies = paths, times, bodies

    @property
    def paths(self) -> list[str]:
        """Names of the files."""
        return list(self._paths)

    @property
    def times(self) -> Array:
        """(len(frames),): the time of each; NaN if neither frames.pvd nor the log has it."""
        return frozen(self._times.copy())

    def __len__(self) -> int:
        return len(self._paths)

    @overload
    def __getitem__(self, k: int) -> Frame: ...

    @overload
    def __getitem__(self, k: slice) -> "Frames": ...

    def __getitem__(self, k: Union[int, slice]) -> Union[Frame, "Frames"]:
        if isinstance(k, slice):
            return Frames(self._paths[k], self._times[k], self._bodies)
        try:
            path = self._paths[k]
        except IndexError:
            raise IndexError(f"there is no frame {k}; expected {-len(self)} to {len(self) - 1}") from None
        if self._bodies:
            return read_outlines(path)
        return read(path, "lammps") if path.endswith(".lmp") else read(path)

    def __iter__(self) -> Iterator[Frame]:
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        return f"<scree.Frames: {len(self)}" + (f", time {self._times[0]:.6g} to {self._times[-1]:.6g}>" if len(self) else ">")


class Run(Strict):
    """The folder of a run (docs/run.md), of a run that is finished, stopped or still going on: it is read, never changed, except by `resume`.

    Each property looks at the folder anew: of a run that goes on, keep what belongs together, `frames = run.frames`.

    >>> scene = Scene.from_text("box: {size: [4, 4, 4]}\\ngravity: [0, 0, -1]\\nspheres: {count: 8, sizes: mono:0.4, place: lattice}\\n"
    ...                         "contact: {duration: 0.05, restitution: 0.5}\\ntime: {end: 1}\\noutput: {every: 0.25}\\n")
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     finished = scene.run(folder + "/run")
    ...     run = Run(folder + "/run")
    ...     run.is_complete, len(run.frames), run.frames[-1].x.shape, run.report["contacts"], run.log["time"].round(3).tolist()
    (True, 5, (8, 3), 0, [0.0, 0.25, 0.5, 0.75, 1.0])
    """
    __slots__ = ("_folder", "__weakref__")

    def __init__(self, folder: PathLike) -> None:
        self._folder = os.fsdecode(folder)
        try:
            names = set(os.listdir(self._folder))
        except OSError as error:
            raise file_error(f"{self._folder}: cannot read the folder of a run: {error.strerror}") from None
        if not {"scene.yaml", "log.csv"} <= names:
            raise MissingFileError(f"{self._folder}: no run is in this folder; expected scene.yaml and log.csv, as scree.run writes them")

    def _path(self, *names: str) -> str:
        return os.path.join(self._folder, *names)

    @property
    def folder(self) -> str:
        """The folder, as it was given."""
        return self._folder

    @property
    def scene(self) -> Scene:
        """The scene with every default, as the run has understood it."""
        return Scene(self._path("scene.yaml"))

    @property
    def checkpoints(self) -> list[int]:
        """Steps of the checkpoints, the newest last; `resume` goes on from it."""
        found = (re.fullmatch(r"checkpoint_(\d+)\.npz", name) for name in os.listdir(self._folder))
        return sorted(int(match.group(1)) for match in found if match)

    @property
    def steps(self) -> int:
        """Steps of the whole run, as of its newest checkpoint."""
        steps = self.checkpoints
        if not steps:
            raise MissingFileError(f"{self._folder}: there is no checkpoint; the run ended before its first one")
        try:
            with np.load(self._path(f"checkpoint_{steps[-1]:012d}.npz")) as saved:
                return int(saved["progress/steps"])
        except (OSError, KeyError, ValueError) as error:
            raise FormatError(f"{self._folder}: checkpoint of step {steps[-1]}: {error}; expected a complete checkpoint") from None

    @property
    def is_complete(self) -> bool:
        """Whether it has gone to its end."""
        steps = self.checkpoints
        return bool(steps) and steps[-1] == self.steps

    @property
    def log(self) -> DataTable:
        """The rows of log.csv: `run.log["energy_kinetic"]` over `run.log["time"]`, `run.log.to_dataframe()`. A row that is not complete yet is left out."""
        path = self._path("log.csv")
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except OSError as error:
            raise file_error(f"{path}: cannot read: {error.strerror}") from None
        lines = text[:text.rfind("\n") + 1].splitlines()
        names = lines[0].split(",") if lines else []
        try:
            values = np.loadtxt(lines[1:], delimiter=",", ndmin=2, comments=None) if len(lines) > 1 else np.empty((0, len(names)))
        except ValueError as error:
            raise FormatError(f"{path}: {error}; expected rows of numbers") from None
        if values.shape[1] != len(names):
            raise FormatError(f"{path}: rows of {values.shape[1]} numbers; expected {len(names)}, as the header has")
        columns = {name: np.ascontiguousarray(values[:, k]) for k, name in enumerate(names)}
        words, beginnings = _COUNTS
        for name, column in columns.items():
            if (name in words or name.startswith(beginnings)) and (column == np.floor(column)).all():
                columns[name] = column.astype(np.int64)
        return DataTable(columns)

    @property
    def frames(self) -> Frames:
        """The frames that there are now."""
        files: dict[int, list[str]] = {}
        folder = self._path("frames")
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            match = re.fullmatch(r"frame_(\d+)\.(\w+)", name)
            if match and match.group(2) in _ENDINGS:
                files.setdefault(int(match.group(1)), []).append(match.group(2))
        paths = {number: self._path("frames", f"frame_{number:06d}.{min(endings, key=_ENDINGS.index)}") for number, endings in sorted(files.items())}
        return Frames(list(paths.values()), self._times(list(paths)), self.scene.has_bodies)

    def _times(self, numbers: list[int]) -> Array:
        """Times of frames, from their list or, of formats without one, from the log."""
        known: dict[int, float] = {}
        if os.path.isfile(self._path("frames.pvd")):
            for time, name in read_frames(self._path("frames.pvd")):
                match = re.search(r"frame_(\d+)\.", os.path.basename(name))
                if match:
                    known[int(match.group(1))] = time
        if any(number not in known for number in numbers):
            known = {**self._times_in_log(numbers), **known}
        return np.array([known.get(number, np.nan) for number in numbers])

    def _times_in_log(self, numbers: list[int]) -> dict[int, float]:
        """The log has a row at each frame, which is the first one at or after the time of the frame."""
        scene, log = self.scene.to_dict(), self.log
        output, rows = scene.get("output", {}), log.rows
        if any("output" in change for change in scene.get("changes", [])) or rows == 0:
            return {}
        by_steps = "every_steps" in output
        every = output.get("every_steps" if by_steps else "every", np.inf)
        at = [0.0 if number == 0 else number * every * (1.0 if by_steps else 1.0 - 1e-9) for number in numbers]
        row = np.searchsorted(log["step" if by_steps else "time"], at)
        last = rows - 1 if self.is_complete else rows  # the end has a frame, whenever it comes
        return {number: float(log["time"][min(k, last)]) for number, k in zip(numbers, row.tolist()) if min(k, last) < rows}

    def contacts(self, frame: int) -> dict[str, Array]:
        """The contacts of a frame, as `read_contacts` has them, of a scene with `output.contacts: true`; -1 is the last frame."""
        numbers = range(len(self.frames))
        if not -len(numbers) <= frame < len(numbers):
            raise IndexError(f"there is no frame {frame}; expected {-len(numbers)} to {len(numbers) - 1}")
        number = os.path.splitext(os.path.basename(self.frames.paths[frame]))[0].rpartition("_")[2]  # frames before it may have been deleted
        return read_contacts(self._path("contacts", f"contacts_{number}.csv"))

    @property
    def report(self) -> dict[str, Quantity]:
        """The result of a complete run: the quantities of `scree run --json` by name. Of other runs an ArgumentError; `log` has what they have come to."""
        if not self.is_complete:
            last = self.checkpoints[-1:]
            raise ArgumentError(f"{self._folder}: the run is not complete: its last checkpoint is of step {last[0] if last else 'none'}; `resume` goes on, and `log` has the rows up to now")
        teller, going = _Teller(None, 1, False, False, None), ctypes.c_void_p()
        check(teller.watch.guard(lib.scree_run_resume, ctypes.byref(teller.definition), encode(self._folder), ctypes.byref(going)))
        try:
            return _summary(going)
        finally:
            lib.scree_run_destroy(going)

    def resume(self, *, until: Optional[float] = None, until_steps: Optional[int] = None, method: Optional[str] = None, threads: int = 0, device: str = "none", verify: bool = False,
               progress: Optional[Callable[[Progress], Any]] = None, every: Optional[int] = None, every_time: Optional[float] = None, callback: Optional[Callable[[Any], Any]] = None,
               ranks: int = 1) -> Result:
        """Goes on from the last checkpoint: `scree.resume` of this folder."""
        return resume(self._folder, until=until, until_steps=until_steps, method=method, threads=threads, device=device, verify=verify, progress=progress, every=every, every_time=every_time,
                      callback=callback, ranks=ranks)

    def _repr_html_(self) -> str:
        """Where it is, and a small picture of the last frame, for notebooks."""
        frames, last = self.frames, self.log["step"][-1:].tolist()
        picture = frames[-1]._repr_png_() if len(frames) else None
        return table_html(repr(self)[1:-1], {"rows of the log": str(self.log.rows), "step": f"{last[0] if last else 0} of {self.steps if self.checkpoints else '?'}", "frames": str(len(frames))}, picture)

    def __repr__(self) -> str:
        return f"<scree.Run {self._folder}: {'complete' if self.is_complete else 'not complete'}, {len(self.frames)} frames>"
