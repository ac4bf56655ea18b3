"""Contacts of a frame as a run leaves them (`output.contacts` of a scene): `read_contacts`. Plain NumPy; the library has no part in it."""
from __future__ import annotations

import os
import xml.etree.ElementTree as xml
import zlib

import numpy as np

from ._library import ArgumentError, FormatError, file_error
from ._records import Array
from ._spheres import PathLike

# Columns of CSV that are one array of several components, by their first letter: nx, ny, nz. So are tangential_x, tangential_y, tangential_z, by the word before.
_VECTORS = {"n": "normal", "f": "force", "s": "shift", "p": "point"}
_WHOLE = ("i", "j", "kind", "feature", "shift", "group_i", "group_j", "material_i", "material_j", "sliding")
_TYPES = {"Int8": "i1", "UInt8": "u1", "UInt16": "<u2", "Int32": "<i4", "Int64": "<i8", "Float64": "<f8"}
_MARK = b'<AppendedData encoding="raw">'


def read_contacts(path: PathLike) -> dict[str, Array]:
    """The contacts of a frame, from `contacts/contacts_000000.csv` or `.vtp` in the folder of a run; both give the same arrays.

    A row is a contact. `i`, `j` (n,): spheres by their row in the frame; j below 0 is a wall, -1 - (2 * axis + (0 lower, 1 upper)). `overlap` (n,). `normal` (n, 3)
    points from j to i, `force` (n, 3) acts on i at `point` (n, 3), in 2D (n, 2). `shift` (n, 3), if an axis is periodic: contact with the image of j at x[j] + shift * size of the box, with the centres
    of the frame. With friction `tangential` (n, 3) is the tangential part of the force, and `sliding` (n,) is 1 if it is at its limit; if contacts exert torques, `torque` (n, 3), in 2D `torque_z` (n,), acts on i. Further columns by their names. Contacts of bodies have `kind`, `feature`, `depth` and `energy`, and vectors (n, 2) (docs/run.md).

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open(folder + "/contacts.csv", "w") as file:
    ...         _ = file.write("i,j,overlap,nx,ny,nz,fx,fy,fz\\n0,1,0.125,1,0,0,2.5,0,0\\n")
    ...     found = read_contacts(folder + "/contacts.csv")
    >>> found["j"], found["force"]
    (array([1]), array([[2.5, 0. , 0. ]]))
    """
    name = os.fsdecode(path)
    read = {".csv": _read_csv, ".vtp": _read_vtp}.get(os.path.splitext(name)[1].lower())
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise file_error(f"{name}: cannot read: {error.strerror}") from None
    if read is None:
        raise ArgumentError(f"{name}: contacts are read from .csv and .vtp files")
    return read(name, data)


def _read_csv(name: str, data: bytes) -> dict[str, Array]:
    lines = data.decode("utf-8", "replace").splitlines()
    names = lines[0].split(",") if lines else []
    if names[:2] != ["i", "j"]:
        raise FormatError(f"{name}:1: the header of contacts begins with i,j; it is {','.join(names)[:80]!r}")
    values = np.empty((len(lines) - 1, len(names)))
    for row, line in enumerate(lines[1:]):
        try:
            values[row] = line.split(",")
        except ValueError:
            raise FormatError(f"{name}:{row + 2}: {line[:80]!r}; expected {len(names)} numbers") from None
    parts: dict[str, list[int]] = {}
    for k, column in enumerate(names):
        vector = _VECTORS.get(column[:1]) if len(column) == 2 and column[1] in "xyz" else column[:-2] if column[-2:] in ("_x", "_y", "_z") else None
        parts.setdefault(vector or column, []).append(k)
    found = {}
    for column, at in parts.items():
        if len(at) == 1:  # torque_z of two dimensions has no other components
            column = names[at[0]]
        array = values[:, at] if len(at) > 1 else values[:, at[0]].copy()
        found[column] = array.astype(np.int64) if column in _WHOLE else array
    return found


def _read_vtp(name: str, data: bytes) -> dict[str, Array]:
    begin = data.find(_MARK)
    if begin < 0 or b"<!DOCTYPE" in data[:begin]:
        raise FormatError(f"{name}:1: not a VTP file as runs write it; expected {_MARK.decode()}")
    try:
        root = xml.fromstring(data[:begin] + b"</VTKFile>")
    except xml.ParseError as error:
        raise FormatError(f"{name}:{error.position[0]}: this is not XML: {error}") from None
    wanted = {"type": "PolyData", "byte_order": "LittleEndian", "header_type": "UInt64", "compressor": "vtkZLibDataCompressor"}
    for key, value in wanted.items():
        if root.get(key) != value:
            raise FormatError(f'{name}:1: {key}="{root.get(key)}"; a run writes "{value}". Other VTP files are read by VTK')
    piece = root.find("PolyData/Piece")
    tags = [] if piece is None else piece.findall("CellData/DataArray")
    if piece is None or [tag.get("Name") for tag in tags[:2]] != ["i", "j"]:
        raise FormatError(f"{name}:1: no arrays 'i' and 'j' in <CellData>: these are no contacts")
    rows, first = int(piece.get("NumberOfLines", "0")), data.index(b"_", begin) + 1
    found = {}
    for tag in tags:
        column, components = tag.get("Name", ""), int(tag.get("NumberOfComponents", "1"))
        dtype = np.dtype(_TYPES.get(tag.get("type", ""), "V0"))
        try:
            values = np.frombuffer(_unpack(data, first + int(tag.get("offset", "-1")), rows * components * dtype.itemsize), dtype)
        except (ValueError, TypeError, zlib.error):
            raise FormatError(f"{name}:1: array {column!r}; expected {rows} rows of {components} {tag.get('type')}; was the file cut short?") from None
        array = values if components == 1 else values.reshape(rows, components)
        found[column] = array.astype(np.float64 if dtype.kind == "f" else np.int64)
    return found


def _unpack(data: bytes, at: int, size: int) -> bytes:
    """The plain bytes of an array: blocks of zlib behind a header of their number, sizes and compressed sizes. ValueError, zlib.error."""
    blocks, block = (int(word) for word in np.frombuffer(data, "<u8", 2, at))
    if blocks != (-(-size // block) if block else 0):
        raise ValueError
    lengths = np.frombuffer(data, "<u8", blocks, at + 24).tolist()
    at += 24 + 8 * blocks
    out = []
    for length in lengths:
        out.append(zlib.decompressobj().decompress(data[at:at + length], block + 1))
        at += length
    plain = b"".join(out)
    if len(plain) != size:
        raise ValueError
    return plain
