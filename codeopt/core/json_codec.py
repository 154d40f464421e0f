"""Frozen dataclasses as JSON and back, field by field. A cache holds them, and a process of the code under test sends
them: each value is checked against the type of its field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from functools import cached_property
from types import UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

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
            hints = self._hints(kind)
            given = dict(zip(hints, value, strict=False)) if isinstance(value, list) else value
            return kind(**{name: self._read(hints[name], part) for name, part in given.items() if name in hints})  # type: ignore[operator]
        return _checked(kind, value, inner)

    def _hints(self, kind: Any) -> dict[str, Any]:
        if kind not in self._known:
            self._known[kind] = get_type_hints(kind, localns=dict(self.names))
        return self._known[kind]

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
