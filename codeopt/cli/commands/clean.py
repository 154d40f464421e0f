"""Empty the cache of a project, and remove copies of its files."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path

from codeopt.cli.command import command
from codeopt.cli.output import tell


def add_arguments(parser: argparse.ArgumentParser) -> None:
    told = "folder or file of the project [default: the current folder]"
    parser.add_argument("project", nargs="?", type=Path, default=Path(), metavar="PROJECT", help=told)
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object")


@command(flags_only=True, examples=("codeopt clean", "codeopt clean path/to/project"))
def run(arguments: argparse.Namespace) -> int:
    """Say how much was removed. Raises UsageError."""
    from codeopt.core.cache import existing_caches
    from codeopt.core.errors import UsageError
    from codeopt.core.sanitize import inline
    from codeopt.core.words import counted
    from codeopt.workloads.sandbox_view.copies import remove_kept
    from codeopt.workloads.sandbox_view.view import locate

    project = arguments.project
    if not project.exists():
        raise UsageError(f"there is no {project}")
    root = locate(project / "any.py" if project.is_dir() else project).root
    found = {}
    for cache in existing_caches(dict.fromkeys([root, *_folders(project.resolve())])):
        try:
            found[cache.file] = cache.clear()
        except OSError as error:
            raise UsageError(f"cannot remove {cache.file}: {error.strerror}") from error
    copies = list(remove_kept(root))
    rows = [{"path": str(path), "values": values, "bytes": size} for path, (values, size) in found.items()]
    rows += [{"path": str(path), "files": files, "bytes": size} for path, files, size in copies]
    if arguments.json:
        print(json.dumps({"schema": "codeopt.clean/1", "removed": rows}))
        return 0
    emptied = [("Emptied the cache", path, counted(values, "result"), size) for path, (values, size) in found.items()]
    removed = [("Removed the copy", path, counted(files, "file"), size) for path, files, size in copies]
    lines = [f"{what} {inline(str(p))}: {count}, {size / 1e6:.1f} MB" for what, p, count, size in emptied + removed]
    tell("\n".join(lines or [f"Nothing is cached for {inline(str(root))}"]) + "\n")
    return 0


def _folders(project: Path) -> Iterator[Path]:
    """A folder and those below it, each of which may be a project of its own. Hidden ones are skipped."""
    for place, folders, _ in os.walk(project):
        yield Path(place)
        folders[:] = [name for name in folders if not name.startswith(".")]
