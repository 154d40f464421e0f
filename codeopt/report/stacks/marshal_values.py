"""Plain values of Python's marshal format, read without `marshal`: a manipulated file can crash that module."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

REFERENCE = 0x80
"""Bit of a type's code: the value can be referred to later."""
DEEPEST = 50


class MarshalReader:
    """Reader of one value.

    Raises ValueError if the bytes end early or hold anything but None, booleans, numbers, text, tuples, lists, dicts.
    """

    def __init__(self, data: bytes) -> None:
        self.data, self.at, self.depth = data, 0, 0
        self.known: list[Any] = []

    def read(self) -> Any:
        """The next value; a dict's end is END. Raises ValueError."""
        code = self._bytes(1)[0]
        kind = chr(code & ~REFERENCE)
        reader = _READERS.get(kind)
        if reader is None:
            raise ValueError(f"a value of type {kind!r} has no place in a profile")
        self.depth += 1
        if self.depth > DEEPEST:
            raise ValueError("values are nested too deeply")
        place = len(self.known)
        if code & REFERENCE:
            self.known.append(None)
        value = reader(self)
        if code & REFERENCE:
            self.known[place] = value
        self.depth -= 1
        return value

    def _bytes(self, count: int) -> bytes:
        found = self.data[self.at : self.at + count]
        if len(found) < count or count < 0:
            raise ValueError("the file ends early")
        self.at += count
        return found

    def _int(self) -> int:
        return int.from_bytes(self._bytes(4), "little", signed=True)

    def _long(self) -> int:
        """Read digits of 15 bits. Their count carries the sign."""
        count = self._int()
        digits = struct.unpack(f"<{abs(count)}H", self._bytes(2 * abs(count)))
        size: int = sum(digit << (15 * at) for at, digit in enumerate(digits))
        return -size if count < 0 else size

    def _float(self) -> float:
        found: float = struct.unpack("<d", self._bytes(8))[0]
        return found

    def _short_text(self) -> str:
        return self._bytes(self._bytes(1)[0]).decode("latin-1")

    def _long_text(self) -> str:
        return self._bytes(self._int()).decode("utf-8", "surrogatepass")

    def _values(self, count: int) -> list[Any]:
        if count > len(self.data):
            raise ValueError("the file ends early")
        return [self.read() for _ in range(count)]

    def _dict(self) -> dict[Any, Any]:
        found = {}
        while (key := self.read()) is not END:
            try:
                found[key] = self.read()
            except TypeError as error:
                raise ValueError("a key cannot be hashed") from error
        return found

    def _known(self) -> Any:
        at = self._int()
        if not 0 <= at < len(self.known):
            raise ValueError("it refers to a value that is not there")
        return self.known[at]


END = object()
_READERS: dict[str, Callable[[MarshalReader], Any]] = {
    "0": lambda _: END, "N": lambda _: None, "T": lambda _: True, "F": lambda _: False,
    "i": MarshalReader._int, "l": MarshalReader._long, "g": MarshalReader._float,
    "z": MarshalReader._short_text, "Z": MarshalReader._short_text,
    "a": MarshalReader._long_text, "A": MarshalReader._long_text,
    "u": MarshalReader._long_text, "t": MarshalReader._long_text,
    "(": lambda each: tuple(each._values(each._int())), ")": lambda each: tuple(each._values(each._bytes(1)[0])),
    "[": lambda each: each._values(each._int()), "{": MarshalReader._dict, "r": MarshalReader._known,
}  # fmt: skip
