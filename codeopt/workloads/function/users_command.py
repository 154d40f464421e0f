"""A user's own command, with the interpreter and the tools that their shell would find for this project."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from codeopt.errors import UsageError


def as_the_user_runs_it(command: Sequence[str], project: Path) -> list[str]:
    """The command with its program's path: of the active environment, of the project's own, of PATH; where none of
    these has it, of the environment that codeopt is installed in. Raises UsageError.
    """
    name = command[0]
    if "/" in name:
        return list(command)
    for folder in (*_environments(project), None, Path(sys.executable).parent):
        found = shutil.which(name, path=folder and str(folder / "")) or (
            shutil.which("python3", path=folder and str(folder)) if name == "python" else None
        )
        if found:
            return [found, *command[1:]]
    raise UsageError(f"cannot run {name}: it is not in {project}/.venv, nor on PATH")


def _environments(project: Path) -> list[Path]:
    """Folders of programs; shell and project may name none."""
    active = os.environ.get("VIRTUAL_ENV")
    roots = [*([Path(active)] if active else []), project / ".venv", project / "venv"]
    return [root / "bin" for root in roots if (root / "bin").is_dir()]
