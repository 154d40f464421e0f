"""Small projects with a slow place, and two changes of each: one that is right, and a plausible one that is not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from benchmarks import commit_all


@dataclass(frozen=True)
class Replacement:
    """One text of a file in place of another."""

    file: str
    old: str
    new: str


@dataclass(frozen=True)
class ChangedProject:
    """A project and its command."""

    command: str
    """Command that judges it; empty: it is judged by its functions and tests, or by what it prints."""
    files: Mapping[str, str]
    right: tuple[Replacement, ...]
    wrong: tuple[Replacement, ...]
    packages: tuple[str, ...] = ()
    """Distributions that it imports."""
    arguments: tuple[str, ...] = ("--base", "HEAD")
    """The two sides, as `codeopt compare` is given them."""
    installed_in_place: tuple[str, ...] = ()
    """Folders that `pip install -e` puts into its environment."""
    release: str = ""
    """Release of Python that it needs; empty: any."""
    data: Callable[[], Mapping[str, str]] = field(default=dict)
    """Makes the further files, which are large."""


def project_named(name: str) -> ChangedProject:
    """Return the project of a module next to this one."""
    found: ChangedProject = import_module(f"benchmarks.errors.changes.{name}").PROJECT
    return found


def all_names() -> tuple[str, ...]:
    """Names of the projects."""
    return tuple(sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py")))


def write(project: ChangedProject, root: Path) -> Path:
    """Write and commit the project as it was; the folder."""
    for name, text in {**project.files, **project.data()}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    commit_all(root, "as it was")
    return root


def edit(root: Path, change: tuple[Replacement, ...]) -> None:
    """Apply a change to a project. Raises ValueError if a text does not occur in its file exactly once."""
    for each in change:
        path = root / each.file
        text = path.read_text()
        if text.count(each.old) != 1:
            raise ValueError(f"{each.file} has the text {text.count(each.old)} times: {each.old}")
        path.write_text(text.replace(each.old, each.new))
