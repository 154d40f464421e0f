"""Frozen dataclasses as JSON and back, field by field. A cache holds them, and a process of the code under test sends
them: each value is checked against the type of its field."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from functools import cached_property
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from codeopt.core.errors import UsageError
from codeopt.core.ownership import require_own
from codeopt.core.program import FileChange, Replacement, kept_beside, read_text, replacement, write_whole
from codeopt.core.run_index import functions_in, require_inside, runs_in
from codeopt_sandbox.plain_files import read_bytes

T = TypeVar("T")
NONE = type(None)


@dataclass(frozen=True)
class JsonCodec:
    """Writes and reads values. A mapping is a list of pairs, as its keys may be of any type; it and a dataclass are
    also read from an object, and a dataclass from a list of its first fields."""

    own: Mapping[type, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = field(default_factory=dict)
    """Writer and reader of a type that is not a dataclass."""
    names: Mapping[str, Any] = field(default_factory=dict)
    """Types that a module names for type checkers alone."""

    def write(self, value: Any) -> Any:
        """Return a value as JSON. Raises what the writers of `own` raise."""
        for kind, (write, _) in self.own.items():
            if isinstance(value, kind):
                return write(value)
        if is_dataclass(value):
            return {each.name: self.write(getattr(value, each.name)) for each in fields(value)}
        if isinstance(value, Mapping):
            return [[self.write(key), self.write(part)] for key, part in value.items()]
        return [self.write(each) for each in value] if isinstance(value, tuple | list) else value

    def read(self, kind: type[T], value: Any) -> T:
        """Return the value of a type that JSON holds. Raises ValueError for other JSON."""
        try:
            found: T = self._read(kind, value)
        except (TypeError, AttributeError, KeyError) as error:
            raise ValueError(f"no {kind}: {value!r:.100}") from error
        return found

    def _read(self, kind: Any, value: Any) -> Any:
        if kind in self.own:
            return self.own[kind][1](value)
        origin, inner = get_origin(kind), get_args(kind)
        if origin is UnionType:
            return None if value is None else self._read(next(each for each in inner if each is not NONE), value)
        if origin is tuple:
            kinds = inner[:1] * len(value) if inner[-1] is ... else inner
            return tuple([self._read(each, part) for each, part in zip(kinds, value, strict=True)])
        if origin is not None and origin is not Literal:
            pairs = value.items() if isinstance(value, dict) else value
            return {self._read(inner[0], key): self._read(inner[1], part) for key, part in pairs}
        if is_dataclass(kind):
            if kind not in self._known:
                self._known[kind] = get_type_hints(kind, localns=dict(self.names))
            hints = self._known[kind]
            given = dict(zip(hints, value, strict=False)) if isinstance(value, list) else value
            return kind(**{name: self._read(hints[name], part) for name, part in given.items() if name in hints})  # type: ignore[operator]
        return _checked(kind, value, inner)

    @cached_property
    def _known(self) -> dict[Any, dict[str, Any]]:
        return {}


def _checked(kind: Any, value: Any, choices: tuple[Any, ...]) -> Any:
    """A value without parts; of an integer where a float is wanted, the float."""
    if choices:
        return choices[choices.index(value)]
    if issubclass(kind, Enum) or (kind is float and type(value) is int):
        return kind(value)
    if type(value) is not kind:
        raise ValueError(f"no {kind.__name__}: {value!r:.100}")
    return value


# Files that the result of a run was written to: recorded in the run's folder first, so that they can be put back.

SCHEMA = "codeopt.written/1"
RECORD = "written.json"
UNDONE = "undone.json"
"""The same once the files were put back."""


@dataclass(frozen=True)
class Written:
    """The files that were written last of one run."""

    run: Path
    at: float
    """Seconds since the epoch."""
    files: tuple[Replacement, ...]


def write_recorded(run: Path, changes: Iterable[FileChange]) -> tuple[Replacement, ...]:
    """Write each file, and record it in the run's folder. None is written if one has changed since it was read. Raises
    UsageError."""
    replacements = tuple(replacement(change.program, change.text) for change in changes)
    rows = [
        {"path": str(each.path.absolute()), "before": each.before, "after": each.after, "kept": bool(each.kept)}
        for each in replacements
    ]
    write_whole(run / RECORD, json.dumps({"schema": SCHEMA, "at": time.time(), "files": rows}))
    for each in replacements:
        each.write()
    return replacements


def last_written(home: Path) -> Written:
    """Return the most recently written files of all runs below `home`. Raises UsageError if there are no such files."""
    paths = [each.path for run in runs_in(home).own for each in (run, *functions_in(run.path))]
    found = [written for path in paths if (written := _read(path))]
    if not found and any((path / UNDONE).exists() for path in paths):
        raise UsageError("nothing to undo: what was written was put back before", hint="codeopt apply writes it again")
    if not found:
        raise UsageError(f"nothing to undo: no result of a run in {home / 'runs'} was written")
    last = max(found, key=lambda each: each.at)
    require_own(last.run, f"the run in {last.run}")
    return last


def undo(written: Written) -> list[Path]:
    """Put the files back as they were, and mark the record as undone; returns those that were written.

    Raises UsageError if a file has changed since; none is written then.
    """
    changed = []
    for each in written.files:
        require_inside(each.path, written.run)
        now = read_text(each.path)
        if now not in (each.before, each.after):
            raise UsageError(f"{each.path} has changed since it was written")
        changed += [each] * (now != each.before)
    for each in changed:
        write_whole(each.path, each.before)
        if each.kept and each.kept.is_file() and read_text(each.kept) == each.before:
            each.kept.unlink()
    (written.run / RECORD).replace(written.run / UNDONE)
    return [each.path for each in changed]


def _read(run: Path) -> Written | None:
    """Return the record of a run, or None if it is missing or broken."""
    try:
        found: Any = json.loads(read_bytes(run / RECORD))
        places = [(Path(row["path"]), row) for row in found["files"]]
        files = tuple(
            Replacement(path, row["before"], row["after"], kept_beside(path) if row["kept"] else None)
            for path, row in places
        )
        return Written(run, float(found["at"]), files) if found["schema"] == SCHEMA else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
