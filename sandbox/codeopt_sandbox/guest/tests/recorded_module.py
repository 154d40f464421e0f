"""Puts recorders before functions as soon as their module is imported, or its file is run as a program."""

from __future__ import annotations

import builtins
import os
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader

from ..import_hooks import after_import, as_it_was
from .recorder import CallRecorder
from .wrappers import ClassHistory, classes_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import CodeType, ModuleType
    from typing import Any


class RecordedModule:
    """A module and the recorders of some of its functions."""

    def __init__(self, recorders: Sequence[CallRecorder], watched: WatchedFile | None = None) -> None:
        self.recorders, self.watched = recorders, watched
        """`watched` identifies the module by its file, with any name."""
        self.names = [recorder.qualname for recorder in recorders]

    def may_be(self, name: str) -> bool:
        """Return True if a module of that name can be this one."""
        return self.watched.may_be(name) if self.watched else name == self.recorders[0].module

    def wrap(self, module: ModuleType) -> None:
        """Put the recorders before the functions; the module's classes are watched once for all of them."""
        places = [recorder.put_before(module) for recorder in self.recorders]
        histories = [ClassHistory(each, (name for kind, name in places if kind is each)) for each in classes_of(module)]
        for history in histories:
            history.watch()
        for recorder in self.recorders:
            recorder.histories = histories

    def wrap_after(self, loader: Any, origin: str | None) -> None:
        """Once the module has been run; `python -m` asks for its code instead, and gets it with decorators."""

        def get_code(name: str) -> Any:
            as_it_was(loader)
            return decorated(loader.get_data(origin), str(origin), self.names, self.decorate, script=False)

        after_import(loader, self.wrap)
        if self.watched is not None and hasattr(loader, "get_data") and str(origin).endswith(".py"):
            loader.get_code = get_code

    def decorate(self, qualname: str) -> Callable[[Any], Any]:
        """Decorator of a function of the program that is this file."""
        recorder = self.recorders[self.names.index(qualname)]

        def decorator(raw: Any) -> Any:
            recorder.sink("@ loaded __main__")
            return recorder.in_place_of(raw) or raw

        return decorator


class Finder:
    """Wraps functions as soon as their module has been imported."""

    def __init__(self, modules: Sequence[RecordedModule]) -> None:
        self.modules = modules

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Spec from the other finders, with a loader that wraps functions."""
        possible = [module for module in self.modules if module.may_be(name)]
        for finder in sys.meta_path if possible else ():
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                for module in possible:
                    if module.watched is None or module.watched.is_at(spec.origin):
                        module.wrap_after(spec.loader, spec.origin)
                return spec
        return None


def install(recorders: Iterable[CallRecorder]) -> None:
    """Record from the import of the functions' modules on; of a module that is imported already, from now on."""
    by_module: dict[str, list[CallRecorder]] = {}
    for recorder in recorders:
        by_module.setdefault(recorder.module, []).append(recorder)
    modules = {name: RecordedModule(some) for name, some in by_module.items()}
    sys.meta_path.insert(0, Finder([*modules.values()]))
    for name in modules.keys() & sys.modules.keys():
        modules[name].wrap(sys.modules[name])


def install_for_file(path: str, qualname: str, most: int, sink: Callable[[str], None]) -> None:
    """Record one function in a user's own interpreter, at its start."""
    install_for_files({path: [CallRecorder("", qualname, most, sink)]})


def install_in_project(root: str, functions: list[tuple[str, str]], most: int, sink: Callable[[str], None]) -> None:
    """Record functions of a project, each given by the path of its file and its qualified name.

    Each line begins with the number of its function.
    """
    recorders: dict[str, list[CallRecorder]] = {}
    for number, (path, qualname) in enumerate(functions):
        recorder = CallRecorder("", qualname, most, lambda line, at=number: sink(f"{at} {line}"))  # type: ignore[misc]
        recorders.setdefault(os.path.realpath(root) + os.sep + path, []).append(recorder)
    install_for_files(recorders)


def install_for_files(recorders: dict[str, list[CallRecorder]]) -> None:
    """Record in a user's own interpreter, at its start: a file may be imported by any name, or be the program.

    recorders: of each file's functions, by its real path.
    """
    modules = {file: RecordedModule(recorders[file.path], file) for file in map(WatchedFile, recorders)}
    sys.meta_path.insert(0, Finder([*modules.values()]))
    sys.path_hooks[:0] = [ScriptHook(file, module.names, module.decorate) for file, module in modules.items()]


# Decorators on functions of a file that runs as a program, so that no import shows it.
#
# Python looks for a folder or an archive at the path of a program, by the path hooks of imports. It runs the code
# found there as `__main__`. A path hook for this file returns its code with the decorators. So does the loader of
# `python -m`, which processes spawned by multiprocessing also use.


DECORATOR = "__codeopt_recorded__"
"""A builtin: by the path of a file, what returns the decorator of a function by its qualified name. A name that begins
and ends so is not mangled in a class."""


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
        at = int(ast.get_docstring(tree, clean=False) is not None)
        while isinstance(node := (tree.body + [None])[at], ast.ImportFrom) and node.module == "__future__":
            at += 1
        # statement that sets the names of a script, by which multiprocessing finds it again
        tree.body[at:at] = ast.parse("__spec__ = __package__ = __cached__ = None").body
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
