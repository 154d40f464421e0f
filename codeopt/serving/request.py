"""One request of a client, as it is handed to the process that does it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class Errand(StrEnum):
    """What can be asked for."""

    PROFILE = "profile"
    COMPARE = "compare"
    IMPROVE = "improve"
    CHECK = "check"
    RECORD = "record"


@dataclass(frozen=True)
class ErrandRequest:
    """What is to be done, below the current folder."""

    errand: Errand
    target: str = ""
    """FILE or FILE::FUNCTION; empty for `check`."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Fields of ImproveOptions."""
    old_source: str | None = None
    """Text of the whole file to compare with; None: the file as it is where `new_source` is given, else as `base`."""
    new_source: str | None = None
    """Text of the whole file that is compared; None: the file as it is."""
    base: str = "HEAD"
    """A commit of git."""
    paths: tuple[str, ...] = ()
    """Files and folders of `check`."""
    max_functions: int = 10
    min_share: float = 0.05
    max_seconds: float = 900.0
    write: bool = False
    """Put what `improve` accepted in place."""
    command: tuple[str, ...] = ()
    """What `record` runs."""

    def to_line(self) -> bytes:
        """One line of JSON."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> ErrandRequest:
        """What `to_line` made."""
        given = json.loads(line)
        for name in ("paths", "command"):
            given[name] = tuple(given[name])
        return cls(**{**given, "errand": Errand(given["errand"])})


@dataclass(frozen=True)
class Permissions:
    """What the user who started the server allows its clients."""

    options: Mapping[str, Any]
    """Fields of ImproveOptions that hold for every request: sandbox, python, memory, ..."""
    model: str | None = None
    """Who drafts where a client asks for a model; None: no client may."""
    commands: bool = False
    """`record` may run a command of the client's, not isolated."""
