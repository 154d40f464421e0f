"""Immutable values that the host and the guest share, which both can make and neither can change.

`dataclasses` imports `inspect`, which takes longer than all that a run of calls does around them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Self, dataclass_transform
else:

    def dataclass_transform(**options):
        """Says to a type checker how such a class is made."""
        return lambda kind: kind


@dataclass_transform(frozen_default=True)
class Record:
    """A value with the fields that its class annotates, in their order. The assigned values are the defaults."""

    def __init__(self, *values: Any, **named: Any) -> None:
        fields = type(self).__annotations__
        given = {**dict(zip(fields, values)), **named}
        if len(given) != len(values) + len(named) or not given.keys() <= fields.keys():
            raise TypeError(f"{type(self).__name__} has the fields {', '.join(fields)}")
        for name in fields:
            self.__dict__[name] = given[name] if name in given else getattr(type(self), name)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash(tuple(vars(self).values()))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({shown})"

    def fields(self) -> dict[str, Any]:
        return dict(vars(self))

    def replace(self, **changes: Any) -> Self:
        """A copy with other values in some fields."""
        return type(self)(**{**vars(self), **changes})

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Self:
        """Rebuild a record from `fields`, which may have passed through JSON."""
        return cls(**{name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()})
