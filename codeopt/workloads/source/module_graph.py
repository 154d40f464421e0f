"""Imports and mentions among a project's Python files, read from their texts. Each file is read once."""

from __future__ import annotations

import ast
import posixpath
import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cache, cached_property
from pathlib import Path

NAMED_PATH = re.compile(rb"[\w./-]+\.py\b")
"""Path of a Python file within a text of another kind."""
_MAY_IMPORT = (
    rb"""(?:^[ \t]*(?:from|import)\b[^\n]*\b|["'](?:[\w.]*\.)?|^[ \t(\w,]*)\b(?:%s)\b"""
    rb"""[ \t]*(?:["',)\n]|as\b|import\b|$)"""
)
"""Places where a name may be a module: an import, a line of an import list, or a whole string."""
NOTHING = ast.Module([], [])


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
            plain = NAMED_PATH.findall(self.files[path]) if not path.endswith(".py") else []
            words = [posixpath.normpath(text.decode().lstrip("/")) for text in plain]
            for named in self.named_texts(path) if path.endswith(".py") else words:
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

    def helpers_of(self, tests: set[str], code: str) -> Iterator[str]:
        """Yield modules that only tests import, from the tests' folders. `code` is other text that may import them."""
        folders = {posixpath.dirname(path) for path in tests}
        beside = {path for path in self.files if path.endswith(".py") and posixpath.dirname(path) in folders}
        named = {path for path in beside if _stem(path) not in ("__init__", "__main__")}  # others go by their folder's
        beside = named - self.imported(read_module(code.encode()), "")
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

    def with_imported(self, begin: Iterable[str], among: Set[str]) -> set[str]:
        """Some files, and those of others that they import, directly or by another of them."""
        found = {*begin}
        todo = [*found]
        while todo:
            path = todo.pop()
            new = self.imported(self.tree(path), path) & among - found
            found |= new
            todo += new
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
            base = imported_from(node, name, package)
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 200:
            yield node.value


def imported_from(node: ast.ImportFrom, module: str, is_package: bool) -> str:
    """The module that a statement in a module imports from; a relative one counts from there."""
    parts = module.split(".")
    kept = parts[: len(parts) - node.level + is_package] if node.level else []
    return ".".join([*kept, *filter(None, [node.module])])


def module_name(path: str) -> str:
    """Dotted name of a module by its path; of a package without `__init__`."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


# Distance of a project's files from others by their imports, which a pattern finds: no file is parsed.

_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n#;]*)|import[ \t]+([^\n#;]+))", re.M
)
_WORD = re.compile(rb"[.\w]+")


def importers(files: Mapping[str, bytes], roots: Sequence[str] = ()) -> Mapping[str, set[str]]:
    """The files that import a file, by its path.

    roots: folders that are on the path of imports, in addition to the top, `src` and `lib`.
    """
    starts = [f"{root.replace('/', '.')}." for root in ("src", "lib", *roots)]
    by_name: dict[str, str] = {}
    for path in files:
        if path.endswith(".py"):
            name = module_name(path)
            by_name[name] = path
            by_name |= {name.removeprefix(start): path for start in starts if name.startswith(start)}
    users: dict[str, set[str]] = defaultdict(set)
    for path, content in files.items():
        if path.endswith(".py"):
            package = path.split("/")[:-1]
            for source, names, plain in _IMPORT.findall(content):
                text = source.decode()
                level = len(text) - len(text.lstrip("."))
                above = package[: len(package) - level + 1] if level else []
                base = ".".join([*above, *filter(None, [text.lstrip(".")])])
                meant = [part.split()[0].decode() for part in plain.split(b",") if part.split()]
                meant = meant if plain else [base, *(f"{base}.{word.decode()}" for word in _WORD.findall(names))]
                for used in filter(None, map(by_name.get, meant)):
                    users[used].add(path)
    return users


def steps_to(hot: Sequence[str], users: Mapping[str, set[str]]) -> dict[str, int]:
    """Number of imports that lead from a file to the nearest of some, by path. users: as `importers` finds them."""
    steps = dict.fromkeys(hot, 0)
    todo = deque(steps)
    while todo:
        path = todo.popleft()
        for user in users.get(path, ()):
            if user not in steps:
                steps[user] = steps[path] + 1
                todo.append(user)
    return steps


# Imports of a module on the disk.


def imported_files(text: str | bytes, path: Path, roots: tuple[Path, ...]) -> Iterator[Path]:
    """Yield the files that the imports in a text load, at any place in it. `path` is the module's path."""

    @cache  # most imports are of other folders: each folder is read once for all of them
    def names(folder: Path) -> frozenset[str]:
        try:
            return frozenset(each.name for each in folder.iterdir())
        except OSError:
            return frozenset()

    # the parts of each imported name, and the folders that the name is searched in
    found: dict[tuple[tuple[str, ...], tuple[Path, ...]], None] = {}
    for node in ast.walk(read_module(text)):
        if isinstance(node, ast.Import):
            found |= {(tuple(alias.name.split(".")), roots): None for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            home = node.module.split(".") if node.module else []
            places = (path.parents[node.level - 1],) if 0 < node.level <= len(path.parents) else roots
            found |= {((*home, alias.name), places): None for alias in node.names}
    for name, places in found:
        yield from module_files(name, [place for place in places if names(place) & {name[0], f"{name[0]}.py"}])


def module_files(parts: Sequence[str], roots: Iterable[Path]) -> Iterator[Path]:
    """`a/__init__.py` and `a/b.py` for `a.b`; a name that is no module is one of the module before it."""
    for root in roots:
        last = root.joinpath(*parts)
        whole = [each for each in (last.with_suffix(".py"), last / "__init__.py") if each.is_file()]
        before = [root.joinpath(*parts[:end]) for end in range(1, len(parts))]
        packages = [path for each in before for path in (each / "__init__.py", each.with_suffix(".py"))]
        yield from (*(path for path in packages if path.is_file()), *whole)
