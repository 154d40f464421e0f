"""Imports and mentions among a project's Python files, read from their texts. Each file is read once."""

from __future__ import annotations

import ast
import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from codeopt.analysis.import_steps import module_name

NAMED_PATH = re.compile(rb"[\w./-]+\.py\b")
"""Path of a Python file within a text of another kind."""
_MAY_IMPORT = (
    rb"""(?:^[ \t]*(?:from|import)\b[^\n]*\b|["'](?:[\w.]*\.)?|^[ \t(\w,]*)\b(?:%s)\b"""
    rb"""[ \t]*(?:["',)\n]|as\b|import\b|$)"""
)
"""Places where a name may be a module: an import, a line of an import list, or a whole string."""
NOTHING = ast.Module([], [])
PACKAGE = ("__init__", "__main__")
"""Modules that are not imported by their own names."""


class ModuleGraph:
    """Reads each file once at most."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self._trees: dict[str, ast.Module] = {}

    def tree(self, path: str) -> ast.Module:
        """Empty for a file that cannot be read."""
        if path not in self._trees:
            self._trees[path] = read_module(self.files[path]) if path.endswith(".py") else NOTHING
        return self._trees[path]

    def with_text(self, text: bytes) -> Iterator[str]:
        """Python files that hold a text anywhere: most of a large project need not be parsed."""
        yield from (path for path, content in self.files.items() if path.endswith(".py") and text in content)

    def named_by(self, begin: Iterable[str]) -> Iterator[str]:
        """Scripts that files name by their paths, as one that starts others does, and those that these name."""
        todo, seen = list(begin), set[str]()
        while todo:
            path = todo.pop()
            for named in self._named(path):
                if named in self.files and named.endswith(".py") and named != path and named not in seen:
                    seen.add(named)
                    todo.append(named)
                    yield named

    def named_texts(self, path: str) -> Iterator[str]:
        """Yield strings of a module that may be paths, relative to the root and to the module's folder."""
        for node in ast.walk(self.tree(path)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and 0 < len(node.value) < 200:
                for folder in ("", posixpath.dirname(path)):
                    yield posixpath.normpath(posixpath.join(folder, node.value.lstrip("/")))

    def _named(self, path: str) -> Iterator[str]:
        """Whole texts of a module, words of any other file."""
        if path.endswith(".py"):
            yield from self.named_texts(path)
        else:
            yield from (posixpath.normpath(text.decode().lstrip("/")) for text in NAMED_PATH.findall(self.files[path]))

    def helpers_of(self, tests: set[str], code: str) -> Iterator[str]:
        """Yield modules that only tests import, from the tests' folders. `code` is other text that may import them."""
        folders = {posixpath.dirname(path) for path in tests}
        beside = {path for path in self.files if path.endswith(".py") and posixpath.dirname(path) in folders}
        beside = {path for path in beside if _stem(path) not in PACKAGE} - self.imported(read_module(code.encode()), "")
        found, asked = set(tests), set(tests)
        while asked and beside - found:
            asked = self._imported_of(asked, beside - found)
            # what a product module imports is a product module: each one that leaves may make another leave
            while product := {path for path in asked if self._is_used(path, found | asked)}:
                asked -= product
            found |= asked
            yield from asked

    def _imported_of(self, users: set[str], wanted: set[str]) -> set[str]:
        """Return those of `wanted` that some of `users` import.

        A file is parsed only if it has the name of a module that is not found yet: hundreds of tests can name one
        helper.
        """
        found = set[str]()
        may_name = _may_import(wanted)
        for user in sorted(users):
            if may_name.search(self.files[user]) and (new := self.imported(self.tree(user), user) & wanted - found):
                found |= new
                if found == wanted:
                    break
                may_name = _may_import(wanted - found)
        return found

    def _is_used(self, path: str, without: set[str]) -> bool:
        """Return True if a file outside of `without` imports a module."""
        may_name = _may_import({path})
        users = (user for user in self.with_text(_stem(path).encode()) if user not in without and user != path)
        users = (user for user in users if may_name.search(self.files[user]))
        return any(path in self.imported(self.tree(user), user) for user in users)

    def imported(self, tree: ast.Module, path: str) -> set[str]:
        """The project's files that a module may import; a text that is a module's name counts as well."""
        found = set[str]()
        for name in _imports(tree, module_name(path), path.endswith("__init__.py")):
            found |= self._by_name.get(name, set())
            beside = posixpath.join(posixpath.dirname(path), f"{name}.py")
            found |= {beside} & self.files.keys()
        return found

    @cached_property
    def _by_name(self) -> Mapping[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for path in self.files:
            if path.endswith(".py"):
                found[module_name(path)].add(path)
                found[module_name(path.removeprefix("src/"))].add(path)
        return found


def read_module(content: bytes | str) -> ast.Module:
    """Tree of a module; empty where it cannot be parsed."""
    try:
        return ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return NOTHING


def _may_import(paths: set[str]) -> re.Pattern[bytes]:
    """Pattern of texts that may import one of some modules."""
    return re.compile(_MAY_IMPORT % b"|".join(re.escape(_stem(path).encode()) for path in sorted(paths)), re.M)


def _stem(path: str) -> str:
    return posixpath.basename(path).removesuffix(".py")


def _imports(tree: ast.Module, name: str, package: bool) -> Iterator[str]:
    """Dotted names of modules that may be meant."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = name.split(".")
            kept = parts[: len(parts) - node.level + package] if node.level else []
            base = ".".join([*kept, *filter(None, [node.module])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 200:
            yield node.value
