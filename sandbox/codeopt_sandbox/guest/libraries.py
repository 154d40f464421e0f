"""Libraries of a warm interpreter: imported before it forks, and looked at so that patches are found."""

from __future__ import annotations

import posix
import sys
from _frozen_importlib import BuiltinImporter, FrozenImporter
from _frozen_importlib_external import PathFinder
from _operator import attrgetter, is_

from .syscalls import PR_SET_DUMPABLE

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from ctypes import CDLL
    from typing import Any


class PreloadFailure(Exception):
    """Error: each run has to import for itself, for this reason."""


class Preloaded:
    """Libraries that were imported before the fork, with what each run has to do about them."""

    def __init__(self) -> None:
        self.generators: list[Any] = []
        """Random generators that seeded themselves while they were made."""
        self.path = tuple(sys.path)
        """The rest of sys.path, as the libraries have left it."""

    def load(self, preload: dict[str, Any], libc: CDLL) -> None:
        """Import, with the user, folder and arguments that a run has. Raises PreloadFailure."""
        files = open_files()
        posix.chdir(preload["cwd"])
        sys.argv[:] = [preload["program"]]
        ahead = [*preload["paths"], preload["program"].rpartition("/")[0]]
        sys.path[:] = [*ahead, *self.path]
        sys.modules["__main__"] = type(sys)("__main__")
        uid = preload["uid"]
        if uid:  # the user of a run for a while: no capability is in effect then
            posix.setgroups([])
            posix.setresgid(uid, uid, 0)
            posix.setresuid(uid, uid, 0)
            libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)  # or /proc/self would be root's
        try:
            self.import_all(preload["modules"])
        finally:
            if uid:
                posix.setresuid(0, 0, 0)
                posix.setresgid(0, 0, 0)
        if sys.path[: len(ahead)] != ahead:
            raise PreloadFailure("they change the import path")
        self.path = tuple(sys.path[len(ahead) :])
        require_nothing_open(files)

    def import_all(self, names: list[str]) -> None:
        """One after another, in the order in which the module under test caused it. Raises PreloadFailure."""
        watched = self.watch_generators() if "random" in names else None
        try:
            for name in names:
                if name in sys.modules:
                    continue
                try:
                    __import__(name)
                except ImportError:  # a name without a file of its own, which its package creates
                    continue
                except BaseException as error:
                    why = f"{name} cannot be imported by itself: {type(error).__name__}: {error}"
                    raise PreloadFailure(why[:300]) from None
        finally:
            if watched is not None:
                watched[0].seed = watched[1]

    def watch_generators(self) -> tuple[Any, Any]:
        """Return (the class, its method). From now on generators that are seeded by time or kernel are noted."""
        from random import Random

        seed = Random.seed

        def noting(generator: Any, a: Any = None, version: int = 2) -> None:
            self.generators = [each for each in self.generators if each is not generator]
            if a is None:
                self.generators.append(generator)
            seed(generator, a, version)

        Random.seed = noting  # type: ignore[assignment,method-assign]
        return Random, seed

    def start_run(self) -> None:
        """Give a process that was forked for a run the rest of what a fresh interpreter would have."""
        if "atexit" in sys.modules:
            sys.modules["atexit"]._clear()  # those of the libraries are for the process that makes the calls
        for generator in self.generators:
            generator.seed()
        if "numpy.random" in sys.modules:  # `random` does so by itself
            sys.modules["numpy.random"].seed()


def open_files() -> frozenset[str]:
    """The numbers of this process's descriptors, without the one that lists them."""
    found = posix.listdir("/proc/self/fd")
    return frozenset(fd for fd in found if posix.access(f"/proc/self/fd/{fd}", posix.F_OK))


def require_nothing_open(before: frozenset[str]) -> None:
    """Raise PreloadFailure where a fork would leave something behind, or a run close it."""
    if len(posix.listdir("/proc/self/task")) > 1:
        raise PreloadFailure("they start threads")
    try:
        posix.waitpid(-1, posix.WNOHANG)
    except ChildProcessError:
        pass
    else:
        raise PreloadFailure("they leave a process running")
    for fd in open_files() - before:
        raise PreloadFailure(f"they keep a file open: {posix.readlink('/proc/self/fd/' + fd)}")


# Functions and classes of loaded libraries in their original state, so that patches are found by identity.
#
# The loader of a later module records it as soon as it has run (`calls/module_loader.py`), before its importer can
# patch it. Nothing is imported here, as a warm interpreter also records its libraries.

modules = sys.modules

Function, Module = type(lambda: None), type(sys)
MEMBERS = frozenset((Function, property, classmethod, staticmethod))
INNER = tuple([attrgetter(name) for name in ("__code__", "__defaults__", "__kwdefaults__")])
GONE = object()


class ModuleCode:
    """Callables of one module, the members of its classes, and the parts of functions."""

    def __init__(self, name: str, module: Any) -> None:
        self.module = module
        space = vars(module)
        callables = {key: value for key, value in space.items() if callable(value)}
        self.parts: list[tuple[str, Any, dict[str, Any]]] = [(name, space, callables)]
        """Prefix, namespace and objects by name of the module and of each of its classes."""
        home = space.get("__name__")
        for kind in callables.values():
            # Bit of `type.__flags__` that marks classes that can be changed, unlike those of the
            # interpreter's own code in C
            if issubclass(type(kind), type) and kind.__flags__ & (1 << 9) and kind.__module__ == home:
                members = {key: value for key, value in vars(kind).items() if type(value) in MEMBERS}
                self.parts.append((f"{name}.{kind.__qualname__}", vars(kind), members))
        found = [value for _, _, values in self.parts for value in values.values()]
        self.functions = [value for value in found if type(value) is Function]
        self.inner = [list(map(get, self.functions)) for get in INNER]

    def is_as_it_was(self, inside: bool) -> bool:
        """Return True if everything is the same object. With `inside` the parts of functions are compared also. No line
        of Python runs for each name."""
        if not all([all(map(is_, map(space.get, was), was.values())) for _, space, was in self.parts]):
            return False
        return not inside or all([all(map(is_, map(get, self.functions), was)) for get, was in zip(INNER, self.inner)])

    def changes(self, ours: tuple[dict[str, Any], ...]) -> Iterator[tuple[str, str]]:
        """Names that were replaced, or taken out. A new name is nobody's yet, so it does not count."""
        inner = zip(self.functions, *self.inner)
        others = [each for each, *was in inner if not all(map(is_, [get(each) for get in INNER], was))]
        for prefix, space, values in self.parts:
            for name, value in values.items():
                now = space.get(name, GONE)
                if now is value and not any([now is each for each in others]):
                    continue
                if now is value or type(now) is not Function or not any([now.__globals__ is each for each in ours]):
                    yield f"{prefix}.{name}", "gone" if now is GONE else "another"


class LibraryCode:
    """State of libraries when they were loaded."""

    def __init__(self) -> None:
        self.kept: dict[str, ModuleCode] = {}
        self.builtins = frozenset(vars(modules["builtins"]))
        self.keep_new()

    def keep_new(self) -> None:
        """Record modules that are new."""
        for name, module in list(modules.items()):
            if name != "__main__" and name not in self.kept:
                self.keep(name, module)

    def keep(self, name: str, module: Any) -> None:
        """Record a module as it is now; an object that replaced it in sys.modules while it ran counts as the module."""
        module = modules.get(name, module)
        if issubclass(type(module), Module):
            self.kept[name] = ModuleCode(name, module)

    def patched(self, ours: tuple[dict[str, Any], ...] = (), inside: bool = True) -> Iterator[tuple[str, str]]:
        """Yield (name, present state) of everything that was patched, and of modules under the name of a library's that
        were not imported.

        Args:
            ours: Namespaces of functions of the harness, which replace others on purpose.
            inside: Look into functions. Audit hooks see this.
        """
        for name, was in list(self.kept.items()):
            module = modules.get(name)
            if module is not None and module is not was.module:  # one that is gone may be imported again
                yield name, "another"
            elif module is not None and not was.is_as_it_was(inside):
                yield from was.changes(ours)
        for name in vars(modules["builtins"]):
            if name not in self.builtins and name != "_":  # of an interactive interpreter
                yield f"builtins.{name}", "new"
        known = {id(each.module) for each in self.kept.values()}
        standard = sys.stdlib_module_names if sys.version_info >= (3, 10) else ()
        tops = {name.partition(".")[0] for name in self.kept}.union(standard)
        for name, module in list(modules.items()):
            new = name not in self.kept and module is not None and id(module) not in known
            if new and name.partition(".")[0] in tops and is_other(name):
                yield name, "put in its place, not imported"


def is_other(name: str) -> bool:
    """Return True if an import of that name gives another module.

    Most modules without a file are created by the package whose name they have.
    """
    parent = modules.get(name.rpartition(".")[0])
    path = vars(parent).get("__path__") if issubclass(type(parent), Module) else None
    if "." in name and path is None:
        return False
    finders = (BuiltinImporter, FrozenImporter, PathFinder) if path is None else (PathFinder,)
    found = [spec for spec in [finder.find_spec(name, path) for finder in finders] if spec is not None]
    return bool(found) and found[0].origin is not None
