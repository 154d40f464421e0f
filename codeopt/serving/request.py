"""One request of a client, as it is handed to the process that does it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class Operation(StrEnum):
    """A kind of work that a client may ask for."""

    PROFILE = "profile"
    COMPARE = "compare"
    IMPROVE = "improve"
    CHECK = "check"
    RECORD = "record"


@dataclass(frozen=True)
class OperationRequest:
    """One operation with its arguments; all paths are below the current folder."""

    operation: Operation
    target: str = ""
    """FILE or FILE::FUNCTION. Empty for `check`."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Fields of ImproveOptions."""
    old_source: str | None = None
    """Text of the old file. None: the file as it is if `new_source` is given, else its text in `base`."""
    new_source: str | None = None
    """Text of the new file. None: the file as it is."""
    base: str = "HEAD"
    """Commit of git that holds the old text."""
    paths: tuple[str, ...] = ()
    """Files and folders that `check` looks at. Empty: the current folder."""
    max_functions: int = 10
    """Functions that `check` judges at most."""
    min_share: float = 0.05
    """Smallest share of the tests' time, 0 to 1, with which `check` tries a function."""
    max_seconds: float = 900.0
    """Time limit of `check` and `improve`, seconds."""
    limit: float | None = None
    """Largest allowed increase of time that `compare` tests, as a share. None: it asks about none."""
    write: bool = False
    """Put what `improve` accepted in place."""
    command: tuple[str, ...] = ()
    """Words of the command that `record` runs."""
    asked_by: str = "mcp"
    """Name of the server, as findings keep it."""

    def to_line(self) -> bytes:
        """Write the request as one line of JSON."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> OperationRequest:
        """Read the line that `to_line` wrote."""
        given = json.loads(line)
        for name in ("paths", "command"):
            given[name] = tuple(given[name])
        return cls(**{**given, "operation": Operation(given["operation"])})


@dataclass(frozen=True)
class ServerPolicy:
    """Permissions that the user who started the server gives its clients."""

    options: Mapping[str, Any]
    """Fields of ImproveOptions that hold for every request: sandbox, python, memory, ..."""
    model: str | None = None
    """Model that drafts if a client asks for one. None: no client may."""
    commands: bool = False
    """True if `record` may run a client's command, which is not isolated."""
