"""Empty the store of evidence, from which the next command takes what it knows of an unchanged original."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from codeopt.cli.command import command


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags."""
    parser.add_argument(
        "project", nargs="?", type=Path, default=Path(), metavar="PROJECT",
        help="folder or file of the project (default: the current folder)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON object")


@command(6.4, flags_only=True, examples=("codeopt clean", "codeopt clean path/to/project"))
def run(arguments: argparse.Namespace) -> int:
    """Say how much was removed. Raises UsageError."""
    from codeopt.core.errors import UsageError
    from codeopt.core.evidence_place import FILE, stores_of
    from codeopt.core.sanitize import inline
    from codeopt.core.words import counted
    from codeopt.workloads.sandbox_view.view import locate

    project = arguments.project
    if not project.exists():
        raise UsageError(f"there is no {project}")
    root = locate(project / "any.py" if project.is_dir() else project).root
    found = {}
    for store in stores_of(root, project.resolve() if project.is_dir() else None):
        try:
            found[store.path] = store.clear()
        except OSError as error:
            raise UsageError(f"cannot remove {store.path}: {error.strerror}") from error
    rows = [{"path": str(path), "values": size.values, "bytes": size.size} for path, size in found.items()]
    if arguments.json:
        print(json.dumps({"schema": "codeopt.clean/1", "removed": rows}))
        return 0
    for path, size in found.items():
        print(f"{inline(str(path))}: {counted(size.values, 'value')}, {size.size / 1e6:.1f} MB removed")
    if not found:
        places = " or ".join(dict.fromkeys(inline(str(place)) for place in (project.resolve(), root)))
        print(f"no {FILE} below {places}, nor in the user's cache folder: nothing to remove")
    return 0
