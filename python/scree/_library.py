"""Finds and loads the three C libraries; turns statuses into exceptions; lets long calls be stopped.

Where the libraries are looked for, in this order:
  1. the folder that the environment variable SCREE_LIBRARY_DIR names, and nowhere else then;
  2. `lib/` inside this package (installed by pip);
  3. the folder that `_where.py` names, relative to this package (installed by `make install`);
  4. `build/` of the checkout that this package lies in.

ctypes lets go of Python's lock (the GIL) during every call, so other threads of Python run on.

Ctrl-C: Python runs signal handlers only between two steps of Python code, and the first such step in a long C call is the entry of the watch's
callback, where an exception could not be caught and ctypes would lose it. So during a call on the main thread the handlers are
replaced by one that takes notes; the callback then runs the real ones where their exceptions can be held, stops the call, and they
are raised when it has come back.
"""
from __future__ import annotations

import ctypes
import errno
import functools
import os
import signal
import threading
from pathlib import Path
from typing import Any, Callable, Optional, TypeVar

import numpy as np

from . import _abi
from ._records import Strict
from ._version import __version__


# ---- Errors ---------------------------------------------------------------------------------------------------------

class ScreeError(Exception):
    """What the library refuses. The message is the library's: what is wrong, the value, and what was expected."""


class ArgumentError(ScreeError, ValueError):
    """An invalid value."""


class OutOfMemoryError(ScreeError, MemoryError):
    """The library got no memory."""


class FileError(ScreeError, OSError):
    """The system refused to read or write. `errno` is its reason, if the message has one that Python knows."""


class MissingFileError(FileError, FileNotFoundError):
    """The file, or its folder, does not exist."""


class ForbiddenFileError(FileError, PermissionError):
    """It may not be read or written."""


class FolderError(FileError, IsADirectoryError):
    """It is a folder; a file was expected."""


class FormatError(ScreeError, ValueError):
    """The content of a file is invalid; the message begins with file:line."""


class UnsupportedError(ScreeError, NotImplementedError):
    """Right in itself, but not in this version."""


class CancelledError(ScreeError):
    """A callback said stop."""


_EXCEPTIONS = {-1: ArgumentError, -2: OutOfMemoryError, -3: FileError, -4: FormatError, -5: UnsupportedError, -6: CancelledError}


_FILE_EXCEPTIONS = ((errno.ENOENT, MissingFileError), (errno.EACCES, ForbiddenFileError), (errno.EISDIR, FolderError))


def file_error(message: str) -> FileError:
    """The exception of a message of the library, which gives the reason in the words of the system."""
    for number, kind in _FILE_EXCEPTIONS:
        if message.endswith(os.strerror(number)):
            error: FileError = kind(message)
            error.errno = number
            return error
    return FileError(message)


def check(status: int) -> None:
    """Raises what a failed call left behind. To be called on the thread that made the call, before any other call."""
    if status != 0:
        message = lib.scree_error_message().decode("utf-8", "replace")
        raise file_error(message) if status == -3 else _EXCEPTIONS.get(status, ScreeError)(message)


# ---- Loading --------------------------------------------------------------------------------------------------------

class _Functions:
    """All functions of the libraries as attributes."""


def _folders() -> list[Path]:
    given = os.environ.get("SCREE_LIBRARY_DIR")
    if given:
        return [Path(given).resolve()]  # absolute: libscree finds its modules beside itself (src/base/module.c)
    here = Path(__file__).resolve().parent
    folders = [here / "lib"]
    try:
        from ._where import LIBRARY_DIR
        folders.append(here / LIBRARY_DIR)
    except ImportError:
        pass
    folders.append(here.parent.parent / "build")
    return folders


def _load() -> tuple[_Functions, Path]:
    folders = _folders()
    for folder in folders:
        paths = {name: folder / f"lib{name}.so.{_abi.ABI}" for name in _abi.FUNCTIONS}
        if all(path.exists() for path in paths.values()):
            break
    else:
        raise ImportError("scree: libscree.so, libscree_files.so and libscree_show.so were not found in " + ", ".join(map(str, folders)) +
                          ". In a checkout `make` builds them; SCREE_LIBRARY_DIR names another folder.")
    functions = _Functions()
    for name, rows in _abi.FUNCTIONS.items():  # libscree first: the others need it, and take the one that is there
        try:
            library = ctypes.CDLL(str(paths[name]))
        except OSError as error:
            raise ImportError(f"scree: cannot load {paths[name]}: {error}") from None
        if name == "scree":
            library.scree_version.restype = ctypes.c_char_p
            found = library.scree_version().decode()
            if found != __version__:
                raise ImportError(f"scree: {paths[name]} is version {found}, and this package is for {__version__}")
        for function, (restype, argtypes) in rows.items():
            sized = hasattr(library, function + "_sized")  # SCREE_DEFAULTS, SCREE_RESULT and their kin in scree/base.h
            try:
                entry = getattr(library, function + "_sized" if sized else function)
            except AttributeError:
                raise ImportError(f"scree: {paths[name]} has no {function}: it is older than this package; `make` renews it") from None
            if not sized:
                entry.restype, entry.argtypes = restype, argtypes
                setattr(functions, function, entry)
            elif not argtypes:
                entry.restype, entry.argtypes = ctypes.c_size_t, [ctypes.c_void_p, ctypes.c_size_t]
                _check_size(entry, restype, paths[name])
                setattr(functions, function, functools.partial(_filled, entry, restype))
            elif isinstance(restype, type) and issubclass(restype, ctypes.Structure):
                entry.restype, entry.argtypes = None, [ctypes.c_size_t, ctypes.c_void_p, *argtypes]
                setattr(functions, function, functools.partial(_returned, entry, restype))
            else:  # the last pointer to a struct is what is filled, or freed
                struct = [kind._type_ for kind in argtypes if isinstance(kind, type) and issubclass(kind, ctypes._Pointer)][-1]
                entry.restype, entry.argtypes = restype, [ctypes.c_size_t, *argtypes]
                setattr(functions, function, functools.partial(entry, ctypes.sizeof(struct)))
    return functions, folder


def _filled(entry: Any, struct: type[ctypes.Structure]) -> ctypes.Structure:
    """A struct with the defaults of the library."""
    made = struct()
    entry(ctypes.byref(made), ctypes.sizeof(made))
    return made


def _returned(entry: Any, struct: type[ctypes.Structure], *arguments: Any) -> ctypes.Structure:
    """What a function of the library returns by value."""
    made = struct()
    entry(ctypes.sizeof(made), ctypes.byref(made), *arguments)
    return made


def _check_size(entry: Any, struct: type[ctypes.Structure], path: Path) -> None:
    size = entry(None, 0)
    if size != ctypes.sizeof(struct):
        raise ImportError(f"scree: {struct.__name__} has {size} bytes in {path}, and {ctypes.sizeof(struct)} here: "
                          "library and package are of different builds")


# ---- Watching -------------------------------------------------------------------------------------------------------

_DEFERRED = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM", "SIGUSR1", "SIGUSR2") if hasattr(signal, name)]
# `signal` turns handlers into enums and back, some microseconds each; the module below it does not.
_raw: Any = getattr(signal, "_signal", signal)


def says_stop(answer: Any) -> bool:
    """Whether a callback has returned False, Python's or NumPy's (a comparison of array elements gives the latter). None and 0 go on."""
    return isinstance(answer, (bool, np.bool_)) and not answer


class Watch:
    """A scree_watch that runs signal handlers and `progress` (called with the share done; False stops the call).

    An exception in either stops the call, and is raised by `guard` as if the call had raised it.
    """
    __slots__ = ("progress", "pending", "handlers", "error", "struct")

    def __init__(self, progress: Optional[Callable[[float], Any]] = None) -> None:
        self.progress = progress
        self.pending: list[tuple[int, Any]] = []
        self.handlers: dict[int, Any] = {}
        self.error: Optional[BaseException] = None
        # Signals come to the main thread only; elsewhere, without `progress`, there is nothing to look at, and Python's lock is not waited for.
        silent = progress is None and threading.current_thread() is not threading.main_thread()
        self.struct = _abi.scree_watch() if silent else _abi.scree_watch(_abi.TICK(self._tick), None)

    def _tick(self, context: Any, done: float) -> bool:
        if self.progress is None and not self.pending:
            return True
        return self.look(self.progress, done)

    def look(self, progress: Optional[Callable[[Any], Any]], state: Any) -> bool:
        try:
            self._drain()
            return progress is None or not says_stop(progress(state))
        except BaseException as error:  # to be raised once the C code has returned
            self.error = error
            return False

    def _drain(self) -> None:
        while self.pending:
            number, frame = self.pending.pop(0)
            self.handlers[number](number, frame)

    def _note(self, number: int, frame: Any) -> None:
        self.pending.append((number, frame))

    def guard(self, function: Callable[..., int], *arguments: Any) -> int:
        """Calls and gives the status, but raises what the callback or a signal handler raised."""
        self.error = None
        if threading.current_thread() is not threading.main_thread():  # signals go elsewhere
            status = function(*arguments)
        else:
            self.handlers = {}
            try:
                for number in _DEFERRED:
                    handler = _raw.getsignal(number)
                    if callable(handler):
                        self.handlers[number] = handler
                        _raw.signal(number, self._note)
                status = function(*arguments)
            finally:
                for number, handler in self.handlers.items():
                    _raw.signal(number, handler)
        error, self.error = self.error, None
        if error is not None:
            self.pending.clear()
            raise error
        self._drain()  # a signal that came after the last look
        return status


def call(function: Callable[..., int], *arguments: Any) -> None:
    """`check` of a call that takes no watch: signal handlers run during it too, by the watch of the thread."""
    watch = Watch()
    before = lib.scree_set_watch(watch.struct)
    try:
        status = watch.guard(function, *arguments)
    finally:
        lib.scree_set_watch(before)
    check(status)


SHORT = 4096  # with fewer spheres a call is too short to be stopped


def call_with(count: int, function: Callable[..., int], *arguments: Any) -> None:
    """`call` for work on so many spheres; a short one sets no signal handlers."""
    if count < SHORT:
        check(function(*arguments))
    else:
        call(function, *arguments)


Self = TypeVar("Self", bound="Held")


class Held(Strict):
    """Something of the C library that belongs to one thread at a time: each call waits for its turn.

    A callback that calls its own object gets an error, where it would wait forever.
    """
    __slots__ = ("_turns", "_handle", "_destroy", "__weakref__")

    def __init__(self, handle: Optional[int], destroy: Callable[[int], None]) -> None:
        self._turns = _Turn(type(self).__name__)
        self._handle = handle
        self._destroy = destroy

    def _turn(self) -> "_Turn":
        """`with self._turn():` around every call."""
        return self._turns

    def close(self) -> None:
        """Frees the memory now. Later calls are refused. Closing twice is fine."""
        with self._turn():
            handle, self._handle = self._handle, None
            if handle:
                self._destroy(handle)

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle:
            self._handle = None
            self._destroy(handle)

    def _open(self) -> int:
        if not self._handle:
            raise ValueError(f"this {type(self).__name__} has been closed")
        return self._handle

    def __reduce__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} lives in the C library and cannot be pickled or copied")


class _Turn:
    __slots__ = ("name", "lock", "owner")

    def __init__(self, name: str) -> None:
        self.name, self.lock, self.owner = name, threading.Lock(), 0

    def __enter__(self) -> None:
        me = threading.get_ident()
        if self.owner == me:
            raise RuntimeError(f"this {self.name} is in the middle of a call, and was called again by that call's callback")
        self.lock.acquire()
        self.owner = me

    def __exit__(self, *unused: Any) -> None:
        self.owner = 0
        self.lock.release()


lib: Any
lib, folder = _load()
