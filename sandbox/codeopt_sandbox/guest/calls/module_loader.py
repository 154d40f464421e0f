"""Imports the module under test from its text and finds the function to call."""

from __future__ import annotations

import builtins
import os
import sys
from _frozen_importlib import BuiltinImporter, FrozenImporter
from _frozen_importlib_external import (
    ExtensionFileLoader,
    PathFinder,
    SourceFileLoader,
    SourcelessFileLoader,
    spec_from_file_location,
)
from os.path import samefile
from time import tzset

from ..import_hooks import after_import, import_library, leave_what_is_missing
from ..request import USUAL, OwnCode

TYPE_CHECKING = False

if TYPE_CHECKING:
    from _frozen_importlib import ModuleSpec
    from collections.abc import Callable, Sequence
    from types import CodeType, ModuleType
    from typing import Any

    from ..request import Environment, FunctionRef
    from .process_state import Leaving


modules = sys.modules
makedirs, chdir = os.makedirs, os.chdir

LINECACHE = "linecache"


class SourceLoader:
    """Gives the module under test from its text, and leaves all others to the usual importers."""

    def __init__(
        self,
        ref: FunctionRef,
        source: str,
        code: CodeType | None = None,
        leaving: Leaving | None = None,
        entered: EnteredEnvironment | None = None,
    ) -> None:
        self.ref, self.source, self.code = ref, source, code
        """code: code object of the text, prepared by a profiler."""
        self.leaving, self.own = leaving, OwnCode(ref)
        """leaving: is notified of each library that is loaded."""
        self.entered = entered or EnteredEnvironment(USUAL)
        self.optimize = self.entered.environment.optimize or -1

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Spec of the module under test, its aliases, and libraries to watch; None for anything else."""
        loader: Any = self  # without load_module, which nobody asks for any more
        file = self.ref.file
        if name == LINECACHE:
            return self.find_linecache(path)
        if name != self.ref.module:
            return self.find_again(name, path) or self.find_library(name, path, target)
        folders = [file.rpartition("/")[0]] if file.endswith("/__init__.py") else None
        return spec_from_file_location(name, file, loader=loader, submodule_search_locations=folders)

    def find_again(self, name: str, path: Sequence[str] | None) -> ModuleSpec | None:
        """Spec of another name for the same file, as `app.trees` and `trees` may be: the same module, so that its
        classes are the ones that the function under test knows."""
        own = self.ref.file.replace("/__init__.py", ".py").rpartition("/")[2]
        if f"{name.rpartition('.')[2]}.py" != own:
            return None
        found = PathFinder.find_spec(name, path)
        if found is None or not found.origin:
            return None
        try:
            is_same = samefile(found.origin, self.ref.file)  # noqa: PTH121  pathlib would count as imported by the module
        except OSError:
            is_same = found.origin == self.ref.file
        if not is_same:
            return None
        loader: Any = OtherName(self.ref.module)
        return spec_from_file_location(name, found.origin, loader=loader)

    def find_library(self, name: str, path: Sequence[str] | None, target: ModuleType | None) -> ModuleSpec | None:
        """Spec from the usual importers. Once the library has run, and before anybody has it, its state is recorded."""
        leaving: Any = self.leaving
        if leaving is None:
            return None
        at = next((at for at, finder in enumerate(sys.meta_path) if finder is self), len(sys.meta_path))
        for finder in sys.meta_path[at + 1 :]:
            find = getattr(finder, "find_spec", None)
            spec = None if find is None else find(name, path, target)
            if spec is not None:
                if self.own.has(spec.origin):
                    if self.optimize > 0 and type(spec.loader) is SourceFileLoader:
                        vars(spec.loader)["get_code"] = self.compiler(spec.loader)
                elif spec.loader is not None:
                    tell_when_loaded(spec, lambda module: self.loaded(name, module))
                return spec  # type: ignore[no-any-return]
        return None

    def loaded(self, name: str, module: ModuleType) -> None:
        """Apply the environment to a library that was loaded, then record its state."""
        self.entered.loaded(name, module)
        if self.leaving is not None:
            self.leaving.loaded(name, module)

    def compiler(self, loader: SourceFileLoader) -> Callable[[str], Any]:
        """The code of another module of the project as the environment has it, in place of its bytecode."""
        read, compiled, level = loader.get_data, loader.source_to_code, self.optimize
        return lambda name: compiled(read(loader.path), loader.path, _optimize=level)

    def find_linecache(self, path: Sequence[str] | None) -> ModuleSpec | None:
        """Spec of linecache, with this text in place of the file's, for decorators that ask for the source by
        `inspect.getsource`. It takes longer to import than most functions run, so it is not imported otherwise."""
        found = PathFinder.find_spec(LINECACHE, path)
        if found is not None and found.loader is not None:
            after_import(found.loader, self.tell)
        return found

    def tell(self, linecache: Any) -> None:
        """Put the lines of the text in the cache."""
        if self.leaving is not None:
            self.leaving.loaded(LINECACHE, linecache)
        file, source = self.ref.file, self.source
        linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file

    def create_module(self, spec: ModuleSpec) -> None:
        """Use the default module type."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the text, with everybody's builtins."""
        if LINECACHE in modules:
            self.tell(modules[LINECACHE])
        vars(module)["__builtins__"] = vars(builtins)  # else exec would give it ours
        code = self.code or compile(self.source, self.ref.file, "exec", dont_inherit=True, optimize=self.optimize)
        exec(code, vars(module))


def tell_when_loaded(spec: Any, then: Callable[[ModuleType], None]) -> None:
    """Have it told when a module was run; a loader of a package's own is left alone."""
    if type(spec.loader) in (SourceFileLoader, SourcelessFileLoader, ExtensionFileLoader):
        after_import(spec.loader, then)
    elif spec.loader is BuiltinImporter or spec.loader is FrozenImporter:
        spec.loader = BuiltIn(spec.loader, then)


class BuiltIn:
    """Loads what the interpreter has within it, whose loaders are classes that all such modules share."""

    def __init__(self, loader: Any, then: Callable[[ModuleType], None]) -> None:
        self.loader, self.then = loader, then

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)  # type: ignore[no-any-return]

    def exec_module(self, module: Any) -> None:
        """Load the module under its own loader's name, then notify."""
        module.__spec__.loader = module.__loader__ = self.loader
        self.loader.exec_module(module)
        self.then(module)


class OtherName:
    """Loads nothing: gives the module under test, imported by its own name."""

    def __init__(self, module: str) -> None:
        self.module = module
        self.spec: Any = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module there is; it may still be in the middle of its own import."""
        __import__(self.module)
        self.spec = modules[self.module].__spec__
        return modules[self.module]

    def exec_module(self, module: ModuleType) -> None:
        """Restore the name that the module has."""
        module.__spec__ = self.spec


def import_target(
    ref: FunctionRef,
    source: str,
    code: CodeType | None = None,
    leaving: Leaving | None = None,
    environment: Environment = USUAL,
) -> tuple[ModuleType, Callable[..., Any]]:
    """The module under test and the function to call."""
    sys.path[:0] = ref.paths
    entered = EnteredEnvironment(environment)
    entered.enter()
    leave_what_is_missing()
    for name in ref.libraries:
        import_library(name, ref)
    for name in ("logging", "decimal"):
        if name in modules:
            entered.loaded(name, modules[name])
    sys.meta_path.insert(0, SourceLoader(ref, source, code, leaving, entered))
    if leaving is not None:
        leaving.start_import()
    if ref.django:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", ref.django)
        __import__("django").setup()
    __import__(ref.module)
    if leaving is not None:
        leaving.end_import()
    sys.path += [path for path in ref.test_paths if path not in sys.path]
    module = modules[ref.module]
    return module, find_target(ref.qualname, module)


def find_target(qualname: str, module: ModuleType) -> Callable[..., Any]:
    """Function to call: functions and static methods as they are, methods with `self` as their first argument. Raises
    TypeError."""
    owner: Any = module
    *classes, name = qualname.split(".")
    for part in classes:
        owner = getattr(owner, part)
    found = getattr(owner, name)
    if classes:
        raw = next(vars(base)[name] for base in owner.__mro__ if name in vars(base))
        if isinstance(raw, property):
            found = raw.fget
        elif type(raw).__name__ == "cached_property":
            found = raw.func
    if not callable(found):
        raise TypeError(f"{qualname} is not callable")
    return found  # type: ignore[no-any-return]


class EnteredEnvironment:
    """An environment as far as it is applied: settings of a library follow once that is loaded."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment

    def enter(self) -> None:
        """Apply it, before the module is imported."""
        here = self.environment
        os.environ.update(here.process_variables())
        if here.timezone:
            tzset()
        if here.recursion_limit:
            sys.setrecursionlimit(here.recursion_limit)
        if here.folder:
            makedirs(here.folder, exist_ok=True)
            chdir(here.folder)
        sys.argv[1:] = here.argv
        if here.thread == "other":
            __import__("threading")  # a process with several threads knows the main one

    def loaded(self, name: str, module: Any) -> None:
        """Apply the settings of a library that is loaded."""
        if name == "logging" and self.environment.log_level:
            module.root.setLevel(self.environment.log_level)
        elif name == "decimal" and self.environment.decimal is not None:
            # the current context, and the one that each thread begins with
            for context in (module.DefaultContext, module.getcontext()):
                context.prec, context.rounding = self.environment.decimal
