"""The target that a user names: a file, or something in it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from codeopt.core.errors import Diagnostic, UsageError


@dataclass(frozen=True)
class Target:
    """`FILE`, or `FILE::NAME`."""

    path: Path
    name: str = ""
    """Qualified name of the function inside the file. Empty for the whole file."""
    module: str = ""
    """The file is run as `python -m MODULE`. Empty: as a script."""

    @property
    def package(self) -> str:
        """The package from which the module's relative imports count."""
        return self.module if self.path.name == "__main__.py" else self.module.rpartition(".")[0]

    def __str__(self) -> str:
        return f"{self.path}::{self.name}" if self.name else str(self.path)


def as_target(given: str | os.PathLike[str] | Target) -> Target:
    """A target as it was written: `slow.py`, `mod.py::f`, `mod.py::Class.method`."""
    if isinstance(given, Target):
        return given
    path, _, name = os.fspath(given).partition("::")
    return Target(Path(path), name.replace("::", "."))


def as_module(name: str, folder: Path) -> Target:
    """The file that `python -m NAME` runs, below a folder or its `src`. Raises UsageError."""
    parts = name.split(".")
    if not all(part.isidentifier() for part in parts):
        raise UsageError(
            f"-m {name}: that is no module's name", hint="give it as `python -m` takes it, such as package.tool"
        )
    for root in (folder, folder / "src"):
        base = root.joinpath(*parts)
        for path in (base / "__main__.py", base.with_suffix(".py")):
            if path.is_file():
                return Target(Path(os.path.relpath(path, folder)), module=name)
        if base.is_dir():
            raise UsageError(
                f"-m {name}: {os.path.relpath(base, folder)} has no __main__.py, so `python -m` cannot run it"
            )
    raise UsageError(f"-m {name}: there is no such module here or in src/")


# Facts about a function from one run of a project's tests, for later verification.


@dataclass(frozen=True)
class TracedCalls:
    """Calls of a function that tests make."""

    calls: Mapping[str, str] = field(default_factory=dict)
    """Test that made a call first, by call."""
    lost: Mapping[str, int] = field(default_factory=dict)
    """Cause why calls cannot be written down -> number of such calls."""
    tests: tuple[str, ...] = ()
    """Ids of the tests that call it and pass."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """Tests that could not be run, where nobody else tells of them."""


Traces = Mapping[tuple[Path, str], TracedCalls]
"""Findings by resolved file and qualified name."""
