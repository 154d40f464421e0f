"""Packages of the same repository that a package's project files name, and folders of packages in build settings.

They are members of a workspace of uv or hatch, and dependencies by path of uv, poetry, pdm and PEP 508.
"""

from __future__ import annotations

import ast
import configparser
import contextlib
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from codeopt.core.interpreter import PROJECT_FILES
from codeopt_sandbox.plain_files import read_bytes, read_text

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
    others = (folder for each in sorted(seen - {root}) for folder in import_folders(each))
    return tuple(dict.fromkeys((*built_from(root), *others)))


def import_folders(package: Path) -> tuple[Path, ...]:
    """Folders from which the modules of a package count, by its build settings, else `src` or itself."""
    usual = package / "src" if (package / "src").is_dir() else package
    return built_from(package) or (usual,)


def built_from(package: Path) -> tuple[Path, ...]:
    """Folders inside of a package that its build settings take packages from; none where they name none."""
    named = (*_of_project_file(package, _table(package)), *_of_setup_files(package))
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
    for text in _requirements(table):
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


def _requirements(table: Mapping[str, Any]) -> Iterator[str]:
    yield from _texts(_at(table, "project", "dependencies"))
    for where in (("project", "optional-dependencies"), ("dependency-groups",), ("tool", "pdm", "dev-dependencies")):
        for each in _values(_at(table, *where)):
            yield from _texts(each)
    for each in _values(_at(table, "tool", "hatch", "envs")):
        yield from _texts(_at(each, "dependencies"))


def _of_project_file(package: Path, table: Mapping[str, Any]) -> Iterator[Path]:
    """Yield the package folders of setuptools, pdm, poetry and hatch in pyproject.toml."""
    setuptools = _at(table, "tool", "setuptools") or {}
    yield from (package / where for where in _texts(_at(setuptools, "packages", "find", "where")))
    yield from _of_package_dir(package, _at(setuptools, "package-dir"))
    if isinstance(where := _at(table, "tool", "pdm", "build", "package-dir"), str):
        yield package / where
    packages = _at(table, "tool", "poetry", "packages")
    for each in packages if isinstance(packages, list) else ():
        yield package / str(_at(each, "from") or "")
    for each in _texts(_at(table, "tool", "hatch", "build", "targets", "wheel", "packages")):
        yield (package / each).parent


def _of_package_dir(package: Path, places: Any) -> Iterator[Path]:
    """Import folders of setuptools' `package-dir`: of the empty name the folder itself, of `a.b` what `a` lies in."""
    for name, where in places.items() if isinstance(places, Mapping) else ():
        if isinstance(name, str) and isinstance(where, str):
            folder, parts = package / where, tuple(filter(None, name.split(".")))
            if folder.parts[len(folder.parts) - len(parts) :] == parts:  # else no folder gives it that name
                yield Path(*folder.parts[: len(folder.parts) - len(parts)])


def _of_setup_files(package: Path) -> Iterator[Path]:
    """Yield the package folders of setuptools in setup.cfg and, if they are literals, in setup.py."""
    settings = configparser.RawConfigParser(strict=False)
    with contextlib.suppress(configparser.Error, OSError, ValueError):
        settings.read_string(read_text(package / "setup.cfg"))
    lines = settings.get("options", "package_dir", fallback="").split("\n")
    pairs = (line.partition("=") for line in lines if "=" in line)
    yield from _of_package_dir(package, {name.strip(): where.strip() for name, _, where in pairs})
    for where in settings.get("options.packages.find", "where", fallback="").split():
        yield package / where
    with contextlib.suppress(OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        text = read_bytes(package / "setup.py")
        for node in ast.walk(ast.parse(text)) if b"package_dir" in text else ():
            if isinstance(node, ast.keyword) and node.arg == "package_dir" and isinstance(node.value, ast.Dict):
                yield from _of_package_dir(package, ast.literal_eval(node.value))
