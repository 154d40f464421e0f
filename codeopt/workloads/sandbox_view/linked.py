"""Sources that a project's environment imports in place, at their places in a sandbox.

Those of the project are at their folder in the tested version. The imported ones of other projects are copies next to
it.
"""

from __future__ import annotations

import ast
import configparser
import contextlib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codeopt.core.errors import UsageError
from codeopt.core.git import tracked_files
from codeopt.core.interpreter import PROJECT_FILES, Interpreter
from codeopt.core.ownership import PACKAGES, linked_folders
from codeopt.core.run_inputs import is_secret
from codeopt.workloads.sandbox_view.copies import copy_file
from codeopt_sandbox.plain_files import read_bytes, read_text

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
        for folder in self.folders:
            # the folder in the tested checkout, if that has it
            if self.same_as and folder.is_relative_to(self.same_as) and not folder.is_relative_to(root):
                here = root / folder.relative_to(self.same_as)
                folder = here if here.is_dir() else folder
            if folder.is_relative_to(root):
                inside.append(folder)
            elif not root.is_relative_to(folder):
                beside.append(folder)
        inside += workspace_roots(path, root)
        return tuple(dict.fromkeys(each for each in inside if each.is_dir())), tuple(beside)


# Packages of the same repository that a package's project files name, and folders of packages in build settings.
#
# They are members of a workspace of uv or hatch, and dependencies by path of uv, poetry, pdm and PEP 508.

MOST = 200
"""Maximum number of packages that are followed."""
_BY_PATH = re.compile(r"(?:@\s*|-e\s+)(?:(?:file:/*)?\$?\{(?:PROJECT_ROOT|root|root:uri)\}/|file:(?://(?=/))?)([^#;]+)")
"""`core @ file:///${PROJECT_ROOT}/../core` and what is like it."""


def workspace_roots(path: Path, root: Path) -> tuple[Path, ...]:
    """Return import folders of the project's build settings, and of packages below `root`.

    The packages are those that the package around a path names, directly or indirectly.
    """
    homes = [folder for folder in path.parents if folder.is_relative_to(root) and (folder / PROJECT_FILES[0]).is_file()]
    waiting, seen = list(homes), set(homes)
    while waiting and len(seen) < MOST:
        home = waiting.pop(0)
        for each in _named(home, _table(home)):
            if each not in seen and each.is_relative_to(root) and is_package(each):
                seen.add(each)
                waiting.append(each)
    others: list[Path] = []
    for each in sorted(seen - {root}):
        others += built_from(each) or [each / "src" if (each / "src").is_dir() else each]
    return tuple(dict.fromkeys((*built_from(root), *others)))


def built_from(package: Path) -> tuple[Path, ...]:
    """Folders inside of a package that its build settings take packages from; none where they name none. They are those
    of setuptools, pdm, poetry and hatch in pyproject.toml, and of setuptools in setup.cfg and, if they are literals, in
    setup.py."""
    table = _table(package)
    setuptools, packages = _at(table, "tool", "setuptools"), _at(table, "tool", "poetry", "packages")
    named = [package / where for where in _texts(_at(setuptools, "packages", "find", "where"))]
    named += _of_package_dir(package, _at(setuptools, "package-dir"))
    if isinstance(where := _at(table, "tool", "pdm", "build", "package-dir"), str):
        named.append(package / where)
    named += [package / str(_at(each, "from") or "") for each in (packages if isinstance(packages, list) else ())]
    wheel = _texts(_at(table, "tool", "hatch", "build", "targets", "wheel", "packages"))
    named += [(package / each).parent for each in wheel]
    settings = configparser.RawConfigParser(strict=False)
    with contextlib.suppress(configparser.Error, OSError, ValueError):
        settings.read_string(read_text(package / "setup.cfg"))
    lines = settings.get("options", "package_dir", fallback="").split("\n")
    pairs = (line.partition("=") for line in lines if "=" in line)
    named += _of_package_dir(package, {name.strip(): where.strip() for name, _, where in pairs})
    named += [package / where for where in settings.get("options.packages.find", "where", fallback="").split()]
    with contextlib.suppress(OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        text = read_bytes(package / "setup.py")
        for node in ast.walk(ast.parse(text)) if b"package_dir" in text else ():
            if isinstance(node, ast.keyword) and node.arg == "package_dir" and isinstance(node.value, ast.Dict):
                named += _of_package_dir(package, ast.literal_eval(node.value))
    found = (each.resolve() for each in named)
    return tuple(dict.fromkeys(each for each in found if each.is_dir() and each.is_relative_to(package)))


def is_package(folder: Path) -> bool:
    """Return True if a folder is the top of a package that can be installed."""
    return any((folder / name).is_file() for name in PROJECT_FILES)


def _table(folder: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(read_text(folder / PROJECT_FILES[0]))
    except (OSError, ValueError):
        return {}


def _at(table: Any, *names: str) -> Any:
    """Return a value of nested tables, or None."""
    for name in names:
        table = table.get(name) if isinstance(table, Mapping) else None
    return table


def _texts(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _named(home: Path, table: Mapping[str, Any]) -> Iterator[Path]:
    """Folders of other packages that a project file names, resolved."""
    uv, poetry, hatch = (_at(table, "tool", name) or {} for name in ("uv", "poetry", "hatch"))
    left_out = {each for pattern in _texts(_at(uv, "workspace", "exclude")) for each in _matching(home, pattern)}
    patterns = _texts(_at(uv, "workspace", "members"))
    for each in _values(_at(hatch, "envs")):
        members = _at(each, "workspace", "members")
        patterns += [_at(member, "path") or member for member in members if member] if isinstance(members, list) else []
    for pattern in filter(lambda each: isinstance(each, str), patterns):
        yield from (each for each in _matching(home, pattern) if each not in left_out)
    groups = [_at(poetry, "dependencies"), _at(poetry, "dev-dependencies")]
    groups += [_at(each, "dependencies") for each in _values(_at(poetry, "group"))]
    for group in (*groups, _at(uv, "sources")):
        paths = (_at(each, "path") for each in _values(group))
        yield from (_inside(home, path) for path in paths if isinstance(path, str))
    places = (("project", "optional-dependencies"), ("dependency-groups",), ("tool", "pdm", "dev-dependencies"))
    required = [
        _at(table, "project", "dependencies"),
        *(each for where in places for each in _values(_at(table, *where))),
    ]
    required += [_at(each, "dependencies") for each in _values(_at(hatch, "envs"))]
    for text in (text for each in required for text in _texts(each)):
        if found := _BY_PATH.search(text):
            yield _inside(home, found[1].strip())


def _values(table: Any) -> list[Any]:
    return list(table.values()) if isinstance(table, Mapping) else []


def _matching(home: Path, pattern: str) -> list[Path]:
    try:
        return sorted(each.resolve() for each in home.glob(pattern.rstrip("/")) if each.is_dir())[:MOST]
    except (ValueError, NotImplementedError):  # an absolute or an empty pattern
        return []


def _inside(home: Path, path: str) -> Path:
    return (home / path).resolve()


def _of_package_dir(package: Path, places: Any) -> Iterator[Path]:
    """Import folders of setuptools' `package-dir`: of the empty name the folder itself, of `a.b` what `a` lies in."""
    for name, where in places.items() if isinstance(places, Mapping) else ():
        if isinstance(name, str) and isinstance(where, str):
            folder, parts = package / where, tuple(filter(None, name.split(".")))
            if folder.parts[len(folder.parts) - len(parts) :] == parts:  # else no folder gives it that name
                yield Path(*folder.parts[: len(folder.parts) - len(parts)])


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


def copy_beside(folders: Iterable[Path], copy: Path, files: Iterable[Path]) -> None:
    """Copy of each folder what some of these files in a project's copy imports, directly or by another of them."""
    texts = (read_bytes(path) for path in files if path.suffix == ".py")
    for folder, name in imported_beside(folders, texts):
        copy_file(folder / name, copy / place_beside(folder) / name)


def imported_beside(folders: Iterable[Path], texts: Iterable[bytes]) -> Iterator[tuple[Path, Path]]:
    """Files of folders outside of a project that these texts import, directly or by another of them: the folder, and
    the file relative to it. Raises UsageError for a package of too many files."""
    # Packages and modules in a folder by name; a folder, a file and a compiled one may have the same.
    waiting: dict[Path, dict[str, list[Path]]] = {}
    for folder in folders:
        offered = waiting.setdefault(folder, {})
        with contextlib.suppress(OSError):
            entries = sorted(folder.iterdir())
            modules = [each for each in entries if each.suffix in (".py", ".so")]
            named = (each for each in entries if each.name.isidentifier() and each.name not in LEFT_OUT)
            for each in (*modules, *(each for each in named if each.is_dir())):
                offered.setdefault(each.name.partition(".")[0], []).append(each)
    names = set[str]().union(*map(_imported, texts)) if waiting else set()
    while found := [folder for folder, offered in waiting.items() if names & offered.keys()]:
        for folder in found:
            tops = waiting.pop(folder)
            for path in _files(folder, [each for entries in tops.values() for each in entries]):
                yield folder, path
                if path.suffix == ".py":
                    names |= _imported(read_bytes(folder / path))


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
        plain = (path for path in below if path.is_file() and not path.is_symlink())
        names = [path.relative_to(folder) for path in plain if path.stat().st_size <= LARGEST_FILE]
        # Without git nothing is known: then an import may need these.
        likely = (".so",) if known else (".so", ".py", ".pyi", ".json")
        shown = [name for name in names if (name in known or name.suffix in likely) and not is_secret(name)]
        if len(shown) > MOST_FILES:
            raise UsageError(
                f"{folder / top}, an editable install, has {len(shown):,} files: at most {MOST_FILES:,} can be shown",
                hint=f"install it without -e: pip install {folder}",
            )
        found += shown
    return found
