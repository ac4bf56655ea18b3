"""Several frames in a row: `film`, `view` (a page), and lists of frames for ParaView, `read_frames` and `write_frames`."""
from __future__ import annotations

import ctypes
import html
import os
from typing import Any, ClassVar, Iterable, Optional, Sequence, Union

import numpy as np

from . import _abi
from ._arrays import ArrayLike, choice, real, reals, take
from ._library import ArgumentError, Watch, call, check, lib
from ._records import Strict, table_html
from ._spheres import BorrowedSet, Outlines, PathLike, Progress, Spheres, _borrowed_outlines, encode, picture

Frame = Union[Spheres, Outlines]


def _frames_of(frames: Any, name: str) -> list[Frame]:
    """A list of them; a path, or anything else that is no frame, is refused."""
    if isinstance(frames, (Spheres, Outlines)):
        return [frames]
    alone = isinstance(frames, (str, bytes, os.PathLike)) or not isinstance(frames, Iterable)
    given = [frames] if alone else list(frames)
    for k, frame in enumerate(given):
        if not isinstance(frame, (Spheres, Outlines)):
            raise ArgumentError(f"{name}: frames {'is' if alone else 'has'} {frame!r:.60}{'' if alone else f' as number {k}'}; expected Spheres or Outlines: scree.read, scree.read_outlines and "
                                "`spheres` of a simulation have them")
    return given


def film(path: PathLike, frames: Iterable[Frame], *, fps: float = 25.0, width: int = 960, height: int = 720, **how: Any) -> None:
    """A film: an animated PNG (.png, .apng), a video by the program ffmpeg (.mp4, .mkv, .mov, .webm), or a folder of numbered pictures (a name that ends in "/").

    `how`: options of `picture`. Camera and colours are the same in all frames: by default `view` and `range` cover all frames and all values. The file appears when it is complete.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     film(folder + "/two.png", [Spheres([[k, 0]], 1.0) for k in (0, 1)], width=32, height=32)
    ...     os.path.getsize(folder + "/two.png") > 100
    True
    """
    all_of_them = _frames_of(frames, "film")
    if all_of_them:
        how = {**_steady(all_of_them, how.get("colour_by")), **how}
    definition, handle, status = lib.scree_default_film_def(), ctypes.c_void_p(), -1
    definition.width, definition.height, definition.frames, definition.fps = width, height, len(all_of_them), real(fps, "fps")
    definition.alpha = how.get("background") == "none"
    check(lib.scree_film_begin(encode(path), ctypes.byref(definition), ctypes.byref(handle)))
    try:
        for frame in all_of_them:
            pixels = picture(frame, width=width, height=height, **how)
            assert pixels is not None
            check(lib.scree_film_add(handle, pixels.ctypes.data))
        status = 0
    finally:
        ended = lib.scree_film_end(handle, status)
    check(ended)


def _steady(frames: Sequence[Frame], colour_by: Any) -> dict[str, Any]:
    """The view and the range of colours of all frames."""
    ends, values = [], []
    for frame in frames:
        at, box = frame.x, frame.box
        if box is not None:
            at = box.turned(at)
            inside = [np.where(np.isfinite(side), side, np.nan) for side in (box.lower, box.upper)]
            ends += [inside[0] + np.minimum(box.triangular.cell, 0.0).sum(0) * (np.array(box.tilt) != 0.0).any(), inside[1] + np.maximum(np.tril(box.triangular.cell, -1), 0.0).sum(0)]
        if len(at):
            ends += [(at - frame.r[:, None]).min(0), (at + frame.r[:, None]).max(0)]
        if isinstance(colour_by, str) and colour_by in frame and len(at) and frame[colour_by].dtype.kind in "biuf":
            column = frame[colour_by]
            values.append(np.sqrt((column * column).sum(1)) if column.ndim == 2 else column)
        elif colour_by in (None, "radius") and len(at):
            values.append(frame.r)
    found: dict[str, Any] = {}
    if ends:
        found["view"] = np.column_stack([np.nanmin(ends, 0), np.nanmax(ends, 0)])
    if values:
        found["range"] = (min(float(np.min(one)) for one in values), max(float(np.max(one)) for one in values))
    return found


class Page(Strict):
    """A page that `view` has written. In a notebook it shows itself, if it is at most `Page.most` bytes; else its name."""
    __slots__ = ("_path", "__weakref__")
    most: ClassVar[int] = 20_000_000

    def __init__(self, path: str) -> None:
        self._path = path

    @property
    def path(self) -> str:
        """The file."""
        return self._path

    def _repr_html_(self) -> str:
        """The page in a frame of its own, where its program reaches nothing of the notebook."""
        size = os.path.getsize(self._path)
        if size > self.most:
            return table_html("scree.Page", {"file": self._path, "bytes": f"{size:,}, and a notebook shows at most {self.most:,}: open the file, or give view fewer frames"})
        with open(self._path, encoding="utf-8") as file:
            page = html.escape(file.read(), quote=True)
        return f'<iframe srcdoc="{page}" sandbox="allow-scripts allow-downloads" style="width: 100%; height: 600px; border: 0"></iframe>'

    def __repr__(self) -> str:
        return f"<scree.Page {self._path}>"


def view(path: PathLike, frames: Union[Frame, Iterable[Frame]], times: Optional[ArrayLike] = None, *, title: Optional[str] = None, colour_by: Optional[str] = None, map: str = "dusk",
         background: str = "auto", gap: float = np.nan, threads: int = 0, progress: Progress = None) -> Page:
    """A page that any browser shows, as `scree view` writes it (docs/view.md): one frame, or several with their times. As the last line of a cell of a notebook it appears there.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = view(folder + "/page.html", Spheres([[0, 0, 0], [2, 0, 0]], 1.0))
    ...     os.path.getsize(page.path) > 10000
    True
    """
    given = _frames_of(frames, "view")
    at = np.full(len(given), np.nan) if times is None else reals(times, "times")
    if at.shape != (len(given),):
        raise ArgumentError(f"times has the shape {at.shape}; expected ({len(given)},), a time for each frame")
    definition, watch, handle, status = lib.scree_default_view_def(), Watch(progress), ctypes.c_void_p(), -1
    definition.watch, definition.gap, definition.threads = watch.struct, real(gap, "gap"), threads
    definition.map, definition.background = choice(map, _abi.MAPS, "map"), choice(background, ("auto", "light", "dark"), "background")
    definition.title, definition.colour_by = None if title is None else title.encode(), None if colour_by is None else colour_by.encode()
    check(lib.scree_view_begin(encode(path), ctypes.byref(definition), ctypes.byref(handle)))
    try:
        for time, frame in zip(at.tolist(), given):
            if isinstance(frame, Outlines):
                struct, kept = _borrowed_outlines(frame)
                check(watch.guard(lib.scree_view_add_outlines, handle, time, ctypes.byref(struct)))
            else:
                borrowed = BorrowedSet(frame)
                check(watch.guard(lib.scree_view_add, handle, time, ctypes.byref(borrowed.struct)))
        status = 0
    finally:
        ended = lib.scree_view_end(handle, status)
    check(ended)
    return Page(os.fsdecode(path))


def read_frames(path: PathLike) -> list[tuple[float, str]]:
    """Times and files of a list for ParaView (.pvd), such as frames.pvd in the folder of a run; relative paths are so to the current folder. `write_frames` has an example."""
    found = _abi.scree_frame_times()
    call(lib.scree_read_pvd, encode(path), ctypes.byref(found))
    try:
        times = take(found.times, (found.count,), np.float64)
        return [(float(time), os.fsdecode(found.files[k])) for k, time in enumerate(times)]
    finally:
        lib.scree_frame_times_free(ctypes.byref(found))


def write_frames(path: PathLike, times: ArrayLike, files: Sequence[PathLike]) -> None:
    """A list of frames for ParaView (.pvd). Relative paths, that of the list and those of files, are so to the current folder; the list names files relative to its own folder, so both can be moved together.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for k in range(2):
    ...         write(f"{folder}/{k}.vtp", [[k, 0, 0]], 1.0)
    ...     write_frames(folder + "/all.pvd", [0.0, 0.5], [f"{folder}/0.vtp", f"{folder}/1.vtp"])
    ...     [(time, os.path.relpath(name, folder)) for time, name in read_frames(folder + "/all.pvd")]
    [(0.0, '0.vtp'), (0.5, '1.vtp')]
    """
    at = reals(times, "times")
    if at.shape != (len(files),):
        raise ArgumentError(f"times has the shape {at.shape}; expected ({len(files)},), a time for each file")
    folder = os.path.dirname(os.path.abspath(os.fsdecode(path)))
    names = (ctypes.c_char_p * max(1, len(files)))(*(encode(os.path.relpath(os.fsdecode(file), folder)) for file in files))
    call(lib.scree_write_pvd, encode(path), len(files), at.ctypes.data, names)
