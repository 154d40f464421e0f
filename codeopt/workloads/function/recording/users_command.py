"""A user's own command, with the interpreter and the tools that their shell would find for this project."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from codeopt.core.errors import UsageError

PYTHONS = ("python", "python3")


def as_the_user_runs_it(command: Sequence[str], project: Path, python: str | None = None) -> list[str]:
    """Return the command with the path of its program.

    Places in their order: the folder of the --python interpreter, the active environment, the project's own, PATH, and
    the environment of codeopt. With --python the word `python` means that interpreter.

    Raises:
        UsageError: No place has the program.
    """
    name = command[0]
    if "/" in name:
        return list(command)
    if python and name in PYTHONS:
        return [python, *command[1:]]
    names = PYTHONS if name == "python" else (name,)
    named = [str(Path(python).parent)] if python else []
    on_path = os.environ.get("PATH")
    for folders in (*named, *_environments(project), on_path, str(Path(sys.executable).parent)):
        for each in names:
            if found := shutil.which(each, path=folders):
                return [found, *command[1:]]
    raise UsageError(f"cannot run {name}: it is not in {project}/.venv, nor on PATH")


def _environments(project: Path) -> list[str]:
    """Folders of programs; shell and project may name none."""
    active = os.environ.get("VIRTUAL_ENV")
    roots = [*([Path(active)] if active else []), project / ".venv", project / "venv"]
    return [str(root / "bin") for root in roots if (root / "bin").is_dir()]
