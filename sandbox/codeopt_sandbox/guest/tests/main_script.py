"""Puts decorators on functions of a file that runs as a program, so that no import shows it.

Python looks for a folder or an archive at the path of a program, by the path hooks of imports. It runs the code found
there as `__main__`. A path hook for this file returns its code with the decorators. So does the loader of `python -m`,
which processes spawned by multiprocessing also use.
"""

from __future__ import annotations

import builtins
import os
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader

TYPE_CHECKING = False

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Sequence
    from types import CodeType, ModuleType
    from typing import Any


DECORATOR = "__codeopt_recorded__"
"""A builtin: by the path of a file, what returns the decorator of a function by its qualified name. A name that begins
and ends so is not mangled in a class."""
RESET = "__spec__ = __package__ = __cached__ = None"
"""Statement that sets the names of a script, by which multiprocessing finds it again."""


def undecorated(qualname: str) -> Callable[[Any], Any]:
    """Return a decorator that changes nothing."""
    return lambda raw: raw


def decorated(
    source: bytes,
    path: str,
    names: Sequence[str] = (),
    decorate: Callable[[str], Callable[[Any], Any]] = undecorated,
    *,
    script: bool,
) -> CodeType:
    """The code of a module, with the decorator on each definition of some functions.

    Args:
        source: Text of the module.
        path: Its path.
        names: Qualified names of the functions.
        decorate: Returns the decorator of one of them.
        script: It was named by its path, not as a module.
    """
    import ast

    by_path = getattr(builtins, DECORATOR, {})  # one recorded file may run another one as a program
    setattr(builtins, DECORATOR, {**by_path, path: decorate})
    tree = ast.parse(source, path)
    for name in names:
        _decorate(ast, tree.body, name.split("."), f"{DECORATOR}[{path!r}]({name!r})")
    if script:
        tree.body[_after_head(ast, tree.body) : 0] = ast.parse(RESET).body
    return compile(tree, path, "exec", dont_inherit=True)


def _decorate(ast: Any, body: Sequence[Any], names: Sequence[str], expression: str) -> None:
    for node in body:
        if isinstance(node, ast.ClassDef) and len(names) > 1 and node.name == names[0]:
            _decorate(ast, node.body, names[1:], expression)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and [node.name] == names:
            decorator = ast.parse(expression, mode="eval").body
            place = (node.decorator_list or [node])[0]
            for part in ast.walk(decorator):
                ast.copy_location(part, place)
            node.decorator_list.insert(0, decorator)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for part in ("body", "orelse", "finalbody"):
                _decorate(ast, getattr(node, part, []), names, expression)
            for handler in getattr(node, "handlers", []):
                _decorate(ast, handler.body, names, expression)


def _after_head(ast: Any, body: Sequence[ast.stmt]) -> int:
    """Return the index for a first statement: after the docstring and imports from `__future__`."""
    for at, node in enumerate(body):
        text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and at == 0
        if not text and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            return at
    return len(body)


class ScriptLoader(SourceFileLoader):
    def __init__(self, path: str, hook: ScriptHook) -> None:
        super().__init__("__main__", path)
        self.hook = hook

    def get_code(self, fullname: str) -> CodeType:
        folder = self.path.rpartition("/")[0] or "."
        if sys.path[:1] == [self.path]:  # as of an archive; a script has its folder there
            sys.path[:1] = [] if getattr(sys.flags, "safe_path", False) else [folder]
        text = self.get_data(self.path) if self.hook.text is None else self.hook.text
        return decorated(text, self.path, self.hook.names, self.hook.decorate, script=True)


class ScriptHook:
    """A path hook that knows one file, and decorates functions of any program that is this file."""

    def __init__(
        self,
        watched: WatchedFile,
        names: Sequence[str] = (),
        decorate: Callable[[str], Callable[[Any], Any]] = undecorated,
        text: bytes | None = None,
    ) -> None:
        """text: in place of the file's own."""
        self.watched, self.names, self.decorate, self.text = watched, names, decorate, text

    def __call__(self, path: str) -> ScriptFinder:
        """Path hook for the file's path alone."""
        if not self.watched.is_at(path):
            raise ImportError("not a script that is recorded")
        return ScriptFinder(path, self)


class ScriptFinder:
    """Finder of `__main__`, given by the path hook."""

    def __init__(self, path: str, hook: ScriptHook) -> None:
        self.path, self.hook = path, hook

    def find_spec(self, name: str, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != "__main__":
            return None
        spec = ModuleSpec(name, ScriptLoader(self.path, self.hook), origin=self.path)
        spec.has_location = True
        return spec

    def invalidate_caches(self) -> None:
        """Do nothing: there are no caches."""


# The file whose function is recorded, with any path and name under which a program loads it.


class WatchedFile:
    """A file by its real path; the last part of a name is compared first, which is quick."""

    def __init__(self, path: str) -> None:
        self.path = path
        folder, _, base = path.rpartition("/")
        self.base = base
        stem = base.rpartition(".")[0]
        self.name = folder.rpartition("/")[2] if stem == "__init__" else stem

    def is_at(self, path: Any) -> bool:
        """Return True if a path leads to the file. A link may have another name."""
        if not isinstance(path, str) or not (path.endswith(self.base) or os.path.islink(path)):  # noqa: PTH114  quick
            return False
        return os.path.realpath(path) == self.path

    def may_be(self, module: str) -> bool:
        """Return True if a module of that name can be the file."""
        return module.rpartition(".")[2] == self.name
