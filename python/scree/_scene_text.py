"""Scenes as dicts: `scene_text` writes the YAML of a dict, `scene_dict` reads the YAML that the library writes (blocks, and lists and maps in one line; no other forms of YAML)."""
from __future__ import annotations

import os
import re
from typing import Any, Mapping, Optional

import numpy as np

from ._library import ArgumentError, FormatError

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_WHOLE = re.compile(r"[-+]?\d+")
_KEY = re.compile(r'("(?:[^"\\]|\\.)*"|[^\s"\[\]{},:#-][^:]*|-[^\s:][^:]*):(?: |$)')


def plain_value(value: Any, path: str) -> Any:
    """Numbers of NumPy as those of Python, arrays and tuples as lists, paths as texts; dicts without the keys whose value is None."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value)
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise ArgumentError(f"{path or 'scene'}: a key is {key!r}; expected a text")
        return {str(key): plain_value(entry, f"{path}.{key}" if path else key) for key, entry in value.items() if entry is not None}
    if isinstance(value, (list, tuple)):
        return [plain_value(entry, f"{path}.{k}") for k, entry in enumerate(value, 1)]
    raise ArgumentError(f"{path or 'scene'} is {value!r:.60}, {type(value).__name__}; expected a number, a text, true or false, None, or a list or dict of these")


def _text(text: str) -> str:
    """A text as YAML; without quotes where that is the same, since words and formulas must not have any."""
    special = not text or text != text.strip() or text[0] in "?:,[]{}#&*!|>'\"%@`" or text[:2] in ("-", "- ") or text[-1] == ":" or ": " in text or " #" in text
    if not special and text.isprintable() and not set(text) & set(",[]{}"):
        return text
    return '"' + "".join(f"\\{c}" if c in '"\\' else c if c.isprintable() else f"\\x{ord(c):02X}" if ord(c) < 256 else c for c in text) + '"'


def flow(value: Any) -> str:
    """A plain value in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(key)}: {flow(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return _text(value) if isinstance(value, str) else repr(value)


def scene_text(values: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The YAML of a dict, and the path of the key in each of its lines."""
    lines: list[str] = []
    paths: list[str] = []

    def add(line: str, path: str) -> None:
        lines.append(line)
        paths.append(path)

    def block(value: dict[str, Any], path: str, indent: str, first: Optional[str] = None) -> None:
        for key, entry in value.items():
            here, begin = f"{path}.{key}" if path else key, indent if first is None else first
            first = None
            if isinstance(entry, dict) and entry:
                add(f"{begin}{_text(key)}:", here)
                block(entry, here, indent + "  ")
            elif isinstance(entry, list) and any(isinstance(one, dict) for one in entry):
                add(f"{begin}{_text(key)}:", here)
                for k, one in enumerate(entry, 1):
                    if isinstance(one, dict) and one:
                        block(one, f"{here}.{k}", indent + "    ", indent + "  - ")
                    else:
                        add(f"{indent}  - {flow(one)}", f"{here}.{k}")
            else:
                add(f"{begin}{_text(key)}: {flow(entry)}", here)
    block(plain_value(values, ""), "", "")
    return "".join(line + "\n" for line in lines), paths


def with_paths(message: str, name: str, paths: list[str]) -> str:
    """A message about a text of `scene_text` with paths of keys in place of its lines."""
    def path_of(line: str) -> str:
        return paths[int(line) - 1] if 0 < int(line) <= len(paths) else name
    found = re.match(re.escape(name) + r":(\d+):\d+: (.*)", message, re.S)
    if not found:
        return message
    path, rest = path_of(found.group(1)), found.group(2)
    for other in re.findall(r"\(line (\d+)\)", rest):
        rest = rest.replace(f" (line {other})", "" if path_of(other) in rest else f" ({path_of(other)})")
    if rest.startswith("a key is missing"):  # of the map that begins in this line
        path = path.rpartition(".")[0]
    return f"{name}: {rest}" if not path or re.search(rf"(^|\W){re.escape(path)}(\W|$)", rest) else f"{name}: {path}: {rest}"


# ---- Reading --------------------------------------------------------------------------------------------------------

def _scalar(word: str) -> Any:
    if word.startswith('"'):
        return re.sub(r"\\(x[0-9A-Fa-f]{2}|.)", lambda found: chr(int(found.group(1)[1:], 16)) if len(found.group(1)) == 3 else found.group(1), word[1:-1])
    if word in ("true", "false"):
        return word == "true"
    return int(word) if _WHOLE.fullmatch(word) else float(word) if _NUMBER.fullmatch(word) else word


_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[\[\]{},]|:(?=\s)|(?:[^\s,\[\]{}:]|:(?!\s)|\s(?=[^\s,\[\]{}#]))+)')


def _flow_value(line: str) -> Any:
    """A value in one line."""
    tokens = _TOKEN.findall(line) if line[:1] in "[{" else [line]
    at = 0

    def take() -> Any:
        nonlocal at
        token = tokens[at]
        at += 1
        if token == "[":
            entries = []
            while tokens[at] != "]":
                entries.append(take())
                at += tokens[at] == ","
            at += 1
            return entries
        if token == "{":
            named = {}
            while tokens[at] != "}":
                key = str(_scalar(tokens[at]))
                at += 2  # and the colon
                named[key] = take()
                at += tokens[at] == ","
            at += 1
            return named
        return _scalar(token)
    value = take()
    if at != len(tokens):
        raise ValueError(line)
    return value


def scene_dict(text: str) -> dict[str, Any]:
    """The dict of a text that the library has written."""
    rows = [(len(line) - len(line.lstrip(" ")), line.strip()) for line in text.split("\n") if line.strip()]
    at = 0

    def block() -> Any:
        nonlocal at
        indent = rows[at][0]
        entries: list[Any] = []
        named: dict[str, Any] = {}
        while at < len(rows) and rows[at][0] == indent:
            words = rows[at][1]
            if words == "-" or words.startswith("- "):
                inner = words[1:].lstrip()
                if _KEY.match(inner):  # a map that begins behind the dash
                    rows[at] = (indent + len(words) - len(inner), inner)
                    entries.append(block())
                else:
                    at += 1
                    entries.append(_flow_value(inner))
                continue
            key = _KEY.match(words)
            if key is None:
                raise ValueError(words)
            rest = words[key.end():].strip()
            at += 1
            nested = not rest and at < len(rows) and (rows[at][0] > indent or (rows[at][0] == indent and rows[at][1].startswith("- ")))
            named[str(_scalar(key.group(1)))] = block() if nested else _flow_value(rest) if rest else None
        return entries if entries else named
    try:
        return dict(block()) if rows else {}
    except (ValueError, IndexError) as error:
        raise FormatError(f"scene: cannot be read back: {error}; this is a mistake in scree, please report it") from None
