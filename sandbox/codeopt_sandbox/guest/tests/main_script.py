"""Puts a decorator on one function of a file that runs as a program, so that no import shows it.

Python looks for a folder or an archive at the path of a program, by the path hooks of imports. It runs the code found
there as `__main__`. A path hook for this file returns its code with the decorator. So does the loader of `python -m`,
which processes spawned by multiprocessing also use.
"""

from __future__ import annotations

import builtins
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader

from .watched_file import WatchedFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Sequence
    from types import CodeType, ModuleType
    from typing import Any

DECORATOR = "__codeopt_recorded__"
"""A builtin; a name that begins and ends so is not mangled in a class."""
RESET = "__spec__ = __package__ = __cached__ = None"
"""Statement that sets the names of a script, by which multiprocessing finds it again."""


def decorated(source: bytes, path: str, qualname: str, script: bool) -> CodeType:
    """The code of a module, with the decorator on each definition of a function.

    script: it was named by its path, not as a module.
    """
    import ast

    tree = ast.parse(source, path)
    _decorate(ast, tree.body, qualname.split("."))
    if script:
        tree.body[_after_head(ast, tree.body) : 0] = ast.parse(RESET).body
    return compile(tree, path, "exec", dont_inherit=True)


def _decorate(ast: Any, body: Sequence[Any], names: Sequence[str]) -> None:
    for node in body:
        if isinstance(node, ast.ClassDef) and len(names) > 1 and node.name == names[0]:
            _decorate(ast, node.body, names[1:])
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and [node.name] == names:
            name = ast.Name(DECORATOR, ast.Load())
            node.decorator_list.insert(0, ast.copy_location(name, (node.decorator_list or [node])[0]))
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for part in ("body", "orelse", "finalbody"):
                _decorate(ast, getattr(node, part, []), names)
            for handler in getattr(node, "handlers", []):
                _decorate(ast, handler.body, names)


def _after_head(ast: Any, body: Sequence[ast.stmt]) -> int:
    """Return the index for a first statement: after the docstring and imports from `__future__`."""
    for at, node in enumerate(body):
        text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and at == 0
        if not text and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            return at
    return len(body)


class ScriptLoader(SourceFileLoader):
    """Loader of the file, as a program."""

    def __init__(self, path: str, qualname: str, text: bytes | None) -> None:
        super().__init__("__main__", path)
        self.qualname, self.text = qualname, text

    def get_code(self, fullname: str) -> CodeType:
        folder = self.path.rpartition("/")[0] or "."
        if sys.path[:1] == [self.path]:  # as of an archive; a script has its folder there
            sys.path[:1] = [] if getattr(sys.flags, "safe_path", False) else [folder]
        text = self.get_data(self.path) if self.text is None else self.text
        return decorated(text, self.path, self.qualname, script=True)


class ScriptHook:
    """A path hook that knows one file."""

    def __init__(self, watched: WatchedFile, qualname: str, text: bytes | None) -> None:
        self.watched, self.qualname, self.text = watched, qualname, text

    def __call__(self, path: str) -> ScriptFinder:
        """Path hook for the file's path alone."""
        if not self.watched.is_at(path):
            raise ImportError("not a script that is recorded")
        return ScriptFinder(path, self.qualname, self.text)


class ScriptFinder:
    """Finder of `__main__`, given by the path hook."""

    def __init__(self, path: str, qualname: str, text: bytes | None) -> None:
        self.path, self.qualname, self.text = path, qualname, text

    def find_spec(self, name: str, target: ModuleType | None = None) -> ModuleSpec | None:
        """Spec of the program."""
        if name != "__main__":
            return None
        spec = ModuleSpec(name, ScriptLoader(self.path, self.qualname, self.text), origin=self.path)
        spec.has_location = True
        return spec

    def invalidate_caches(self) -> None:
        """Do nothing: there are no caches."""


def install_for_scripts(
    watched: WatchedFile, qualname: str, decorate: Callable[[Any], Any], text: bytes | None = None
) -> None:
    """Install the decorator on the function of any program that is this file, from here on. text: in place of the
    file's own."""
    setattr(builtins, DECORATOR, decorate)
    sys.path_hooks.insert(0, ScriptHook(watched, qualname, text))
