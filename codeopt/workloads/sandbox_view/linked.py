"""Sources that a project's environment imports in place, at their places in a sandbox.

Those of the project are at their folder in the tested version. The imported ones of other projects are copies next to
it.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from codeopt.core.errors import UsageError
from codeopt.core.git import tracked_files
from codeopt.core.interpreter import PROJECT_FILES, Interpreter
from codeopt.core.linked_packages import PACKAGES, linked_folders
from codeopt.core.run_inputs import is_secret
from codeopt.workloads.sandbox_view.workspace import workspace_roots
from codeopt_sandbox.plain_files import read_bytes

BESIDE = ".codeopt-beside"
"""Folder in a copy of the project for sources from outside of it."""
MOST_FILES = 5000
"""Maximum number of files of one package outside of the project."""
LARGEST_FILE = 20 << 20
"""Maximum size of a file that is shown, bytes."""
LEFT_OUT = frozenset({"tests", "test", "docs", "doc", "examples", "benchmarks", "node_modules", "build", "dist"})
"""Names of folders next to packages that are not imported."""
_IMPORT = re.compile(rb"(?m)^[ \t]*(?:from[ \t]+([\w]+)|import[ \t]+([^#\n]+))")


@dataclass(frozen=True)
class Linked:
    """Folders that an environment imports from in place."""

    folders: tuple[Path, ...] = ()
    same_as: Path | None = None
    """Top of another checkout of the project: its folders count here by their place in it."""

    @classmethod
    def of(cls, python: Interpreter | None, same_as: Path | None = None) -> Linked:
        """Folders that an interpreter imports from in place. Raises OSError."""
        return cls(linked_folders(python.libraries) if python else (), same_as)

    def divided(self, path: Path, root: Path) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
        """Folders to import from for a file of a project: inside of it, with what its project files name, and
        outside."""
        inside: list[Path] = []
        beside: list[Path] = []
        for folder in map(lambda each: self._here(each, root), self.folders):
            if folder.is_relative_to(root):
                inside.append(folder)
            elif not root.is_relative_to(folder):
                beside.append(folder)
        inside += workspace_roots(path, root)
        return tuple(dict.fromkeys(each for each in inside if each.is_dir())), tuple(beside)

    def _here(self, folder: Path, root: Path) -> Path:
        """Return the folder in the tested checkout, if that has it."""
        if self.same_as is None or not folder.is_relative_to(self.same_as) or folder.is_relative_to(root):
            return folder
        here = root / folder.relative_to(self.same_as)
        return here if here.is_dir() else folder


NO_LINKS = Linked()


def project_top(path: Path) -> Path:
    """Top folder of the project that a file or folder is in: git's, else that with a project file, else above its
    packages."""
    path = path.resolve()
    folders = (path, *path.parents) if path.is_dir() else tuple(path.parents)
    for folder in folders:
        if (folder / ".git").exists():
            return folder
        if folder.name in PACKAGES:
            return folder
    for folder in folders:
        if any((folder / name).exists() for name in PROJECT_FILES):
            return folder
    folder = folders[0]
    while (folder / "__init__.py").exists() and folder.parent != folder:
        folder = folder.parent
    return folder


def place_beside(folder: Path, top: Path | None = None) -> Path:
    """Path of a folder's copy below the project's. top: of the repository, of which all checkouts have it at the same
    place."""
    inside = top is not None and folder.is_relative_to(top)
    return Path(BESIDE, *(folder.relative_to(top).parts if inside and top else folder.parts[1:]))


def copy_beside(folders: Iterable[Path], copy: Path) -> None:
    """Copy of each folder what some module in a project's copy imports, directly or by another of them."""
    texts = (read_bytes(path) for path in copy.rglob("*.py") if path.is_file())
    for folder, name in imported_beside(folders, texts):
        target = copy / place_beside(folder) / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / name, target)


def imported_beside(folders: Iterable[Path], texts: Iterable[bytes]) -> Iterator[tuple[Path, Path]]:
    """Files of folders outside of a project that these texts import, directly or by another of them: the folder, and
    the file relative to it. Raises UsageError for a package of too many files."""
    waiting = {folder: _offered(folder) for folder in folders}
    names = set[str]().union(*map(_imported, texts)) if waiting else set()
    while found := [folder for folder, offered in waiting.items() if names & offered.keys()]:
        for folder in found:
            tops = waiting.pop(folder)
            for path in _files(folder, [each for entries in tops.values() for each in entries]):
                yield folder, path
                if path.suffix == ".py":
                    names |= _imported(read_bytes(folder / path))


def _offered(folder: Path) -> Mapping[str, Sequence[Path]]:
    """The packages and modules in a folder by name; a folder, a file and a compiled one may have the same."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return {}
    modules = [each for each in entries if each.suffix in (".py", ".so")]
    packages = [each for each in entries if each.name.isidentifier() and each.name not in LEFT_OUT and each.is_dir()]
    found: dict[str, list[Path]] = {}
    for each in (*modules, *packages):
        found.setdefault(each.name.partition(".")[0], []).append(each)
    return found


def _imported(text: bytes) -> set[str]:
    """Return the top-level names that a module imports anywhere."""
    names: set[str] = set()
    for from_, plain in _IMPORT.findall(text):
        parts = [from_] if from_ else plain.split(b",")
        names |= {part.strip().partition(b".")[0].partition(b" ")[0].decode("ascii", "replace") for part in parts}
    return names


def _files(folder: Path, offered: Iterable[Path]) -> list[Path]:
    """Files of a folder's packages, relative to it: what git tracks and is compiled in place, without git Python files;
    no secrets. Raises UsageError."""
    tops = {path.name for path in offered if not (path.is_dir() and (path / "pyvenv.cfg").exists())}
    known = set(tracked_files(folder) or ())
    found: list[Path] = []
    for top in sorted(tops):
        below = [folder / top] if (folder / top).is_file() else sorted((folder / top).rglob("*"))
        names = [path.relative_to(folder) for path in below if _is_plain(path)]
        shown = [name for name in names if _is_shown(name, known) and not is_secret(name)]
        if len(shown) > MOST_FILES:
            raise UsageError(
                f"{folder / top}, an editable install, has {len(shown):,} files: at most {MOST_FILES:,} can be shown",
                hint=f"install it without -e: pip install {folder}",
            )
        found += shown
    return found


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink() and path.stat().st_size <= LARGEST_FILE


def _is_shown(name: Path, known: set[Path]) -> bool:
    """Return True if git tracks a file, or an import may need it. Without git, `known` is empty."""
    return name in known or name.suffix == ".so" or (not known and name.suffix in (".py", ".pyi", ".json"))
