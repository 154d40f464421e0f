"""The text of a project that a target can reach, and what a run of it misses.

That is the closure of its imports inside the project. Where any of those texts could import or read more than its
import statements say, it is every file that a sandbox shows.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice
from pathlib import Path

from codeopt.core.interpreter import PROJECT_FILES
from codeopt.core.ownership import PACKAGES
from codeopt.workloads.sandbox_view.view import INSIDE, Module, View, locate
from codeopt.workloads.source.module_graph import imported_files, module_files, read_module
from codeopt.workloads.source.test_files import READ_BY_PYTEST
from codeopt_sandbox.plain_files import read_bytes

MOST_FILES = 5000
"""Files that are looked at; of a larger reach no digest is made."""
IMPORTED = (".py", ".so")
"""Endings of files that can be imported."""
_WIDE = re.compile(
    r"\b(?:open|pathlib|Path|fileinput|glob|listdir|scandir|walk|mmap|sqlite3|linecache|read_text|read_bytes|"
    r"__file__|__path__|__spec__|__loader__|__import__|import_module|importlib|pkgutil|runpy|inspect|exec|eval|"
    r"pytest_plugins|ctypes|subprocess|os\.fork|os\.spawn\w*|os\.posix_spawn|sys\.(?:path|modules|meta_path))\b"
)
"""Words of a text that may import or read what its import statements do not name."""
_ELSEWHERE = re.compile(r"""['"](?:/\w|~/|\.\./|file:)""")
"""A path outside of the project."""
_PLUGIN = re.compile(r"(?m)(?:^|[\s\"'=])-p[\s\"',=]")
"""A plug-in of pytest that its settings name."""


@dataclass(frozen=True)
class ReachedText:
    """The project's text from which imports are followed."""

    view: View
    text: str
    """The target's own text, with any content of its file."""
    isolated: bool
    """A run sees the copy alone."""
    beside: tuple[Path, ...] = ()
    """Other files that are run, such as tests, relative to the project."""
    more: Mapping[str, bytes] = field(default_factory=dict)
    """Files outside of the project that a run executes or reads, by name."""
    roots: tuple[Path, ...] = ()
    """Other folders that modules are imported from."""

    def digest(self) -> str | None:
        """SHA-256 of all that the target can reach, in hexadecimal; None where that cannot be known. Raises OSError."""
        found: dict[Path, bytes] = {}
        texts = [self.text, *self._more_texts()]
        wide = False
        for path, content in self._closure():
            found[path] = content
            text = content.decode("utf-8", "replace")
            wide = wide or bool(path.name in READ_BY_PYTEST and _PLUGIN.search(text))
            texts += [text] if path.suffix == ".py" else []
            for each in filter(_WIDE.search, texts):
                wide = True
                if _ELSEWHERE.search(each):
                    return None
            texts.clear()
            if len(found) > MOST_FILES or (wide and not self.isolated):
                return None
        if wide:  # every file that may be read
            places = [root for root in self.roots if not root.is_relative_to(self._top)]
            files = list(islice(_files_below(self._top), MOST_FILES + 1))
            elsewhere = (file for place in places for file in _files_below(place) if file.suffix in IMPORTED)
            files += islice(elsewhere, MOST_FILES + 1)
            if len(files) > MOST_FILES:
                return None
            found = {**{path: read_bytes(path) for path in files}, **found}
        # paths as a run sees them, with their texts
        top = self._top
        named = {str(path.relative_to(top) if path.is_relative_to(top) else path): text for path, text in found.items()}
        named |= {f"beside {name}": text for name, text in self.more.items()}
        total = sha256()
        for name, content in sorted(named.items()):
            for part in (name.encode("utf-8", "surrogateescape"), content):
                total.update(b"%d:%b" % (len(part), part))
        return total.hexdigest()

    @property
    def _top(self) -> Path:
        """Folder of the files, as they are read: the copy, or the package among the installed ones."""
        if self.view.copied:
            return self.view.folder
        module = self.view.module
        return module.root / module.path.relative_to(module.root).parts[0]

    def _here(self, path: Path) -> Path:
        """The place where a file of the project is read."""
        return self.view.folder / path.relative_to(self.view.module.root) if self.view.copied else path

    def _closure(self) -> Iterator[tuple[Path, bytes]]:
        """Yield files with their content, the target's own first."""
        module = self.view.module
        target = self._here(module.path)
        roots = (target.parent, *map(self._here, module.roots), *self.roots)
        always: list[Path] = []  # what Python or pytest always reads: settings, conftest.py, compiled modules
        for place, _, names in os.walk(self.view.folder) if self.view.copied else ():
            found = (name for name in names if name.endswith(".so") or (self.beside and name in READ_BY_PYTEST))
            always += (Path(place, name).relative_to(self.view.folder) for name in found)
        first = [*(self._here(module.root / path) for path in (*self.beside, *always)), target]
        waiting = [path for text in self._more_texts() for path in imported_files(text, target, roots)] + first
        seen: set[Path] = set()
        while waiting:
            path = waiting.pop()
            if path in seen or (path != target and not (self._is_followed(path) and path.is_file())):
                continue
            seen.add(path)
            content = self.text.encode("utf-8", "surrogatepass") if path == target else read_bytes(path)
            yield path, content
            waiting += [each / "__init__.py" for each in path.parents if each != path and self._is_followed(each)]
            if path.suffix == ".py":
                text = content.decode("utf-8", "replace")
                waiting += imported_files(text, path, (path.parent, *roots))
                # of packages of which everything is imported all modules: `__all__` may name them
                for node in ast.walk(read_module(text)):
                    if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
                        parts = node.module.split(".") if node.module else []
                        is_near = 0 < node.level <= len(path.parents)
                        for home in [path.parents[node.level - 1]] if is_near else roots:
                            waiting += sorted(home.joinpath(*parts).glob("*.py"))[:MOST_FILES]

    def _is_followed(self, path: Path) -> bool:
        """Inside the project, or in a folder that is no installed package's."""
        if path.is_relative_to(self._top):
            return True
        elsewhere = any(path.is_relative_to(root) for root in self.roots)
        return elsewhere and not any(part in PACKAGES for part in path.parts)

    def _more_texts(self) -> list[str]:
        return [text.decode("utf-8", "replace") for name, text in self.more.items() if name.endswith(".py")]


def _files_below(folder: Path) -> Iterator[Path]:
    """Files below a folder, those of hidden folders and of installed packages left out."""
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__pycache__")))
        folders[:] = [name for name in folders if not (Path(at) / name / "pyvenv.cfg").exists()]
        yield from (path for name in sorted(names) if (path := Path(at) / name).is_file() and not path.is_symlink())


# Advice about what a run in the sandbox did not find.

_MODULE = re.compile(r"No module named '([\w.]+)'")
_FILE = re.compile(r"(?:No such file or directory|Not a directory): '([^'\n]+)'")


def missing_part(said: str, program: Path, module: Module) -> str:
    """Advice about a module or a file that a run did not find, by the user's name for it; empty if there is none."""
    names = _MODULE.findall(said)
    for name in reversed(names):
        found = list(module_files(name.split("."), (program.resolve().parent, *module.roots)))
        if found:
            return f"--with {os.path.relpath(found[-1])} gives it that module"
    for text in reversed(_FILE.findall(said)):
        path = Path(text)
        if path.is_relative_to(INSIDE):
            path = module.root / path.relative_to(INSIDE)
        elif path.is_absolute() and not path.exists():
            path = program.absolute().parent / path.name
        if path.exists():
            return f"--with {os.path.relpath(path)} gives it that file"
    return f"--python PATH names a Python that has {names[-1]}" if names else ""


# A version of a module that lies outside of its project: without the modules around it that it imports.

PROJECT = (".git", *PROJECT_FILES)
"""Names of which the top folder of a project has one."""


def is_outside_package(text: str, path: Path, home: Path) -> bool:
    """Return True if a module imports files at the place of `home` that its own path lacks.

    A module at the same place of another checkout is not a stray: the other checkout does not have those files.
    """
    there, here = locate(home), locate(path)
    if there.path == here.path or (there.name == here.name and any((here.root / name).exists() for name in PROJECT)):
        return False
    return bool(set(_found(text, there)) - set(_found(text, here)))


def _found(text: str, module: Module) -> Iterator[str]:
    """Yield the project's modules that a text imports at a module's place, relative to their import folder."""
    for each in imported_files(text, module.path, module.roots):
        root = next((root for root in module.roots if each.is_relative_to(root)), None)
        if root is not None:
            yield each.relative_to(root).as_posix()
