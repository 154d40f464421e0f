"""Compiled modules of a project, which git does not track.

A build leaves them next to the sources, or with meson-python in its build folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from codeopt.core.run_inputs import is_secret
from codeopt_sandbox.plain_files import is_plain, read_bytes

BUILT = (".so", ".pyd")
"""Ends of the names of compiled modules."""
COMPILED_FROM = (".c", ".cc", ".cpp", ".h", ".hpp", ".pyx", ".pxd", ".rs", ".f", ".f90", "meson.build")
"""Ends of the names of what decides a build: sources of compiled modules, and meson's settings."""
PLANS = "build/*/meson-info/intro-install_plan.json"
"""Files that meson writes about what it installs: places below `{py_platlib}` or `{py_purelib}` by source."""
LIBRARIES = ("{py_platlib}", "{py_purelib}")
LARGEST_PLAN = 16 << 20
"""Bytes of a plan that is read."""


def built_files(root: Path, shown: Iterable[Path]) -> dict[Path, Path]:
    """Return files by their place in a run, both relative to the project. Links are skipped.

    `shown` are the sources of a run, also relative.
    """
    root = root.resolve()
    folders = dict.fromkeys(path.parent for path in shown if path.suffix == ".py")
    beside = (
        path.relative_to(root) for folder in folders if (root / folder).is_dir()
        for path in (root / folder).iterdir() if path.suffix in BUILT
    )  # fmt: skip
    found = {path: path for path in sorted(beside)}
    for plan in sorted(root.glob(PLANS)):  # the last is that of the newest Python
        found |= {place: path for place, path in _planned(root, plan) if place.parent in folders}
    return {place: path for place, path in found.items() if is_plain(root / path)}


def _planned(root: Path, plan: Path) -> Iterator[tuple[Path, Path]]:
    """Yield modules of a plan in its build folder, with a place next to the sources of their package."""
    build, homes, made = plan.parent.parent, dict[PurePosixPath, Path](), list[tuple[PurePosixPath, Path]]()
    for source, place in _installed(plan):
        path = source.relative_to(root) if source.is_relative_to(root) else None
        if path is None:
            continue
        if not source.is_relative_to(build):
            homes[place.parent] = path.parent
        elif source.suffix in (*BUILT, ".py") and not is_secret(path):
            made.append((place, path))
    yield from ((homes.get(place.parent, Path(place.parent)) / place.name, path) for place, path in made)


def _installed(plan: Path) -> Iterator[tuple[Path, PurePosixPath]]:
    """Sources with their places among the packages; nothing where the plan is not as meson writes it."""
    try:
        groups: Any = json.loads(read_bytes(plan)) if plan.stat().st_size <= LARGEST_PLAN else {}
    except (OSError, ValueError):
        return
    for group in groups.values() if isinstance(groups, dict) else ():
        for source, about in group.items() if isinstance(group, dict) else ():
            parts = PurePosixPath(str(about.get("destination", "")) if isinstance(about, dict) else "").parts
            if parts[:1] and parts[0] in LIBRARIES:
                yield Path(source), PurePosixPath(*parts[1:])
