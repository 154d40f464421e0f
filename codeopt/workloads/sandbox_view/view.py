"""The part of the user's project that a sandbox sees, as a read-only copy, and how it is imported.

It has the files that git tracks, without secrets, and further files that the program imports.
"""

from __future__ import annotations

import json
import py_compile
import re
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import Any

from codeopt.core.errors import UsageError
from codeopt.core.git import tracked_files, unadded_files
from codeopt.core.ownership import PACKAGES
from codeopt.core.run_inputs import files_below, is_secret
from codeopt.workloads.sandbox_view.copies import Signature, copy_file, open_copy, signature
from codeopt.workloads.sandbox_view.linked import (
    LARGEST_FILE,
    NO_LINKS,
    Linked,
    copy_beside,
    is_package,
    place_beside,
    project_top,
)
from codeopt.workloads.source.module_graph import imported_files
from codeopt.workloads.source.test_files import READ_BY_PYTEST, USUAL, matches
from codeopt_sandbox.owner import owned_folder
from codeopt_sandbox.plain_files import is_plain, read_bytes, read_text

TESTS = ("tests", "test")
INSIDE = "/project"
"""Path of the copy in an isolating sandbox."""
LARGEST_VIEW = 400 << 20
"""Maximum size of all files that are shown, bytes."""


@dataclass(frozen=True)
class Module:
    """Import name and place of a file."""

    name: str
    """Dotted."""
    root: Path
    """The project: what is shown of it is below this folder."""
    path: Path
    """The file itself, resolved."""
    roots: tuple[Path, ...]
    """Folders for sys.path, the one that `name` starts from first, those of other packages of the project last."""
    beside: tuple[Path, ...] = ()
    """Folders outside of the project that its environment imports from in place."""


def locate(path: Path, linked: Linked = NO_LINKS) -> Module:
    """Return the import name of a file and the project around it.

    The project is git's top level, else a folder with a project file, else the file's folder. `linked` are the folders
    that its environment imports in place.
    """
    path = path.resolve()
    root = project_top(path)
    inside, beside = linked.divided(path, root) if root.name not in PACKAGES else ((), ())
    # The name counts from the folder above the outermost regular package. Namespace packages are found in src/, in
    # site-packages, and in linked folders below a project's top.
    above = path.parent
    while (above / "__init__.py").exists() and above != root:
        above = above.parent
    in_place = (each for each in inside if each in path.parents and not is_package(each) and each != root)
    is_below_src = (root / "src") in path.parents and not (root / "src" / "__init__.py").exists()
    usual = root / "src" if is_below_src else above
    base = root if root.name in PACKAGES else next(in_place, usual)
    parts = list(path.relative_to(base).with_suffix("").parts)
    if parts[-1] == "__init__":
        parts.pop()
    if not parts or not all(part.isidentifier() for part in parts):
        base, parts = path.parent, [path.stem]
    name = ".".join(parts)
    if not all(part.isidentifier() for part in parts):
        name = "".join(c if c.isalnum() else "_" for c in path.stem)
        name = name if name.isidentifier() else f"_{name}"
    others = [folder for folder in (root / "src", root) if folder.is_dir()]
    return Module(name, root, path, tuple(dict.fromkeys((base, *others, *inside))), beside)


def tracked(module: Module) -> list[Path]:
    """Return the paths that may be shown, relative to the project, without secrets.

    They are tracked by git. Without git they are files of the module's own package, or the Python files of its folder
    and those that its text names, and the project's tests.

    Raises:
        UsageError: git fails.
    """
    return _by_git(module.root) or _near(module)


def _by_git(root: Path) -> list[Path]:
    return [path for path in tracked_files(root) or () if not is_secret(path)]


def _near(module: Module) -> list[Path]:
    top = module.path.parent
    while (top / "__init__.py").exists() and top != module.root:
        top = top.parent
    inside = module.path.relative_to(top).parts[0]
    package = (path for path in (top / inside).rglob("*") if path.is_file() and not _is_cache(path.relative_to(top)))
    text = _read(module.path)
    beside = (path for path in top.iterdir() if path.suffix == ".py" or (path.name in text and path.is_file()))
    files = package if (top / inside).is_dir() else beside
    # The tests where they usually are, with the files that they read, and what pytest reads.
    patterns = (*(f"{folder}/**/*" for folder in TESTS), *USUAL, *READ_BY_PYTEST)
    tests = (path for pattern in patterns for path in sorted(module.root.glob(pattern)) if path.is_file())
    shown = [*sorted(files), *(path for path in tests if not _is_cache(path.relative_to(module.root)))]
    near = (path.relative_to(module.root) for path in shown)
    return [path for path in dict.fromkeys(near) if not is_secret(path)]


def _is_cache(path: Path) -> bool:
    return any(part.startswith((".", "__pycache__")) for part in path.parts[:-1])


@dataclass(frozen=True)
class View:
    """A copy of what may be shown, to be mounted read-only."""

    folder: Path
    module: Module
    shown_at: str = INSIDE
    tracked: tuple[Path, ...] = ()
    """As of `tracked`, listed when the view was opened."""
    by_git: bool = False
    """Whether git tracks these: they are the same then for each module of the project."""
    close: Callable[[], None] = lambda: None
    """Ends the use of the copy. Those that share it are closed before it."""

    @cached_property
    def test_folders(self) -> list[Path]:
        """Folders that the project's tests are imported from, and its own folder, as pytest's two ways of importing
        have it."""
        modules = (path for path in self.tracked if path.suffix == ".py")
        tests = {path.parent for path in modules if matches(path.as_posix(), USUAL)}
        return [self.module.root, *(self.module.root / folder for folder in sorted(tests) if folder != Path())]

    def paths(self, isolated: bool) -> tuple[str, ...]:
        """sys.path entries as the sandbox sees them."""
        return tuple(self.inside(root, isolated) for root in (*self.module.roots, *self.beside))

    @property
    def beside(self) -> tuple[Path, ...]:
        """Folders outside of the project of which something is shown."""
        return tuple(each for each in self.module.beside if (self.folder / place_beside(each)).is_dir())

    def inside(self, path: Path, isolated: bool) -> str:
        """A path of the project as the sandbox sees it."""
        base = Path(self.shown_at) if isolated else self.folder
        if path in self.module.beside:
            return str(base / place_beside(path))
        return str(base / path.relative_to(self.module.root)) if self.copied else str(path)

    @property
    def copied(self) -> bool:
        """Installed packages are in the sandbox anyway, with the interpreter, and are not copied."""
        return self.module.root.name not in PACKAGES

    @property
    def mounts(self) -> tuple[tuple[str, str], ...]:
        """For codeopt_sandbox.Options."""
        return ((str(self.folder), self.shown_at),) if self.copied else ()


def open_view(module: Module, shown_at: str = INSIDE, also: Iterable[Path] = (), beside: View | None = None) -> View:
    """Copy what may be shown, and what of the project a user names. Raises UsageError when it is too much.

    beside: a view of another version. If it is of the same project, both have one copy.
    """
    shared = beside if beside is not None and beside.module.root == module.root else None
    view = View(shared.folder if shared else Path(), module, shown_at)
    listed = shared.tracked if shared and shared.by_git else tuple(_by_git(module.root)) if view.copied else ()
    names = listed or tuple(_near(module) if view.copied else ())
    view = replace(view, tracked=names, by_git=bool(listed))
    named = [path.resolve().relative_to(module.root) for path in also if module.root in path.resolve().parents]
    needed = imported_unadded(module.path, module.root, module.roots) if view.copied else []  # not yet added to git
    there = set(shared.tracked if shared else ())
    new = () if listed and shared else (name for name in names if name not in there)
    shown = [*new, *needed, *named] if view.copied else []
    files, signatures = dict[str, str](), dict[str, Signature]()
    for place, path in (built_files(module.root, shown) | {name: name for name in shown}).items():
        found = signature(f"{module.root}/{path}")
        if found is not None and found.size <= LARGEST_FILE and not (shared and (shared.folder / place).exists()):
            files[str(place)], signatures[str(place)] = str(path), found
    _check_size(f"{module.root} tracks", (found.size for found in signatures.values()))
    if shared:
        for name, source in files.items():
            copy_file(module.root / source, shared.folder / name)
    else:
        copy = open_copy(module.root, files, signatures)
        view = replace(view, folder=copy.folder, close=copy.release)
    if not view.copied:
        return view
    folder = view.folder
    try:
        copy_beside(module.beside, folder, (folder / name for name in files))
        roots = tuple(folder / root.relative_to(module.root) for root in module.roots)
        compile_imports(folder / module.path.relative_to(module.root), roots)
    except BaseException:
        view.close()
        raise
    return view


def named_files(paths: Iterable[Path]) -> list[Path]:
    """Files that --with names. Raises UsageError for what is not there."""
    for path in paths:
        if not path.exists():
            raise UsageError(f"--with {path}: there is no such file or folder")
    return [file for path in paths for file in (files_below(path) if path.is_dir() else [path])]


@dataclass(frozen=True)
class Place:
    """The user's files outside of the project that are copied for a run, such as tests of an installed package."""

    path: Path
    folder: Path | None
    """The copy; None where the project's view has them."""
    inside: str
    """Their path in an isolating sandbox."""
    plain: str
    """Their path in any other."""

    def at(self, isolated: bool) -> str:
        """Their path as the sandbox sees it."""
        return self.inside if isolated else self.plain


def open_places(paths: Iterable[Path], view: View) -> list[Place]:
    """Paths that the user named, with copies of those that the project's view has not. Raises UsageError."""
    found = []
    for number, path in enumerate(paths):
        whole = path.resolve()
        if not whole.exists():
            raise UsageError(f"there is no {path}")
        if (
            view.copied
            and view.module.root in whole.parents
            and (view.folder / whole.relative_to(view.module.root)).exists()
        ):
            found.append(Place(whole, None, view.inside(whole, True), view.inside(whole, False)))
            continue
        top = whole if whole.is_dir() else whole.parent
        plain = (file for file in ([whole] if whole.is_file() else sorted(whole.rglob("*"))) if is_plain(file))
        files = [file for file in plain if not is_secret(file.relative_to(top.parent))]
        _check_size(f"{path} has", (file.stat().st_size for file in files))
        folder = owned_folder("view")
        folder.chmod(0o755)
        for file in files:
            copy_file(file, folder / file.relative_to(top.parent if whole.is_dir() else top))
        found.append(Place(whole, folder, f"{INSIDE}-tests{number}/{whole.name}", str(folder / whole.name)))
    return found


def _check_size(who: str, sizes: Iterable[int]) -> None:
    if sum(sizes) > LARGEST_VIEW:
        raise UsageError(f"{who} more than {LARGEST_VIEW >> 20} MiB, which is not copied to a sandbox")


MANAGE = "manage.py"
_SETTINGS = re.compile(r"""DJANGO_SETTINGS_MODULE["']\s*[,\]]\s*(?:=\s*)?["']([\w.]+)["']""")


def settings_module(module: Module) -> str:
    """Return the name of its settings in the nearest manage.py above the module, or an empty text."""
    for folder in module.path.parents:
        if not folder.is_relative_to(module.root):
            break
        text = _read(folder / MANAGE)
        if "django" in text:
            found = _SETTINGS.search(text)
            return found[1] if found else ""
    return ""


def _read(path: Path) -> str:
    return read_text(path, "replace") if path.is_file() else ""


# Compiled modules of a project, which git does not track.
#
# A build leaves them next to the sources, or with meson-python in its build folder.

BUILT = (".so", ".pyd")
"""Ends of the names of compiled modules."""
COMPILED_FROM = (".c", ".cc", ".cpp", ".h", ".hpp", ".pyx", ".pxd", ".rs", ".f", ".f90", "meson.build")
"""Ends of the names of what decides a build: sources of compiled modules, and meson's settings."""
PLANS = "build/*/meson-info/intro-install_plan.json"
"""Files that meson writes about what it installs: places below `{py_platlib}` or `{py_purelib}` by source."""
LIBRARIES = ("{py_platlib}", "{py_purelib}")


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
        # bytes of a plan that is read
        groups: Any = json.loads(read_bytes(plan)) if plan.stat().st_size <= 16 << 20 else {}
    except (OSError, ValueError):
        return
    for group in groups.values() if isinstance(groups, dict) else ():
        for source, about in group.items() if isinstance(group, dict) else ():
            parts = PurePosixPath(str(about.get("destination", "")) if isinstance(about, dict) else "").parts
            if parts[:1] and parts[0] in LIBRARIES:
                yield Path(source), PurePosixPath(*parts[1:])


# Modules of its project that a module imports: those that git does not track, and their bytecode.


def imported_unadded(program: Path, root: Path, roots: tuple[Path, ...]) -> list[Path]:
    """Return Python files that the program imports and git neither tracks nor ignores, relative to the project.

    Indirect imports count. Without git any imported file is returned.
    """
    unadded = unadded_files(root)  # None without git
    there = None if unadded is None else {path for path in unadded if path.suffix == ".py"}
    found: list[Path] = []
    waiting, seen = [program], {program}
    # Modules that are read to find what they import: about two seconds; only where there are files not yet added.
    while there != set() and waiting and len(seen) <= 400:
        path, imported = waiting.pop(), list[Path]()
        with suppress(OSError):
            imported += imported_files(read_bytes(path), path, (program.parent, *roots))
        for each in imported:
            if each in seen or not each.is_relative_to(root):
                continue
            seen.add(each)
            waiting.append(each)
            name = each.relative_to(root)
            if not is_secret(name) and (there is None or name in there):
                found.append(name)
    return found


# The project's copy with compiled modules: it is read-only for a run, and each run would compile them again.


def compile_imports(first: Path, roots: tuple[Path, ...]) -> None:
    """Compile the modules of its own project that a module imports, directly or indirectly. No code of them runs.

    `roots` are the folders on sys.path. The sandbox ignores files that were compiled for another Python.
    """
    # Time limit of compiling them, seconds
    until = time.monotonic() + 20.0
    around = takewhile(lambda folder: folder not in roots, first.parents)  # packages, which are imported before it
    todo, seen = [first, *(path for folder in around if (path := folder / "__init__.py").is_file())], set[Path]()
    # Maximum number of modules that are compiled
    while todo and len(seen) < 3000 and time.monotonic() < until:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                todo += imported_files(read_bytes(path), path, roots)
                if name := py_compile.compile(str(path), quiet=2):
                    compiled = Path(name)
                    compiled.chmod(0o644)  # whatever the umask of this process is
                    compiled.parent.chmod(0o755)
        except OSError:
            continue
