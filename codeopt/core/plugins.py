"""The folder is the registry: a file is a plug-in, and a dotted path or an entry point adds one from outside.

A group of entry points has the name of its folder, except for a few groups that keep older names.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import re
import shlex
import sys
import tomllib
from functools import cache, lru_cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points, requires
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from codeopt.core.errors import UsageError

T = TypeVar("T")

FOLDERS = {
    "codeopt.cases": "codeopt.workloads.program.cases",
    "codeopt.commands": "codeopt.cli.commands",
    "codeopt.datasets": "codeopt.batch.datasets",
    "codeopt.guards": "codeopt.engine.guards",
    "codeopt.reporters": "codeopt.review.reporters",
    "codeopt.searches": "codeopt.engine.searches",
    "codeopt.workloads.function.sources": "codeopt.workloads.function.corpus.sources",
}
"""Groups of entry points whose folder is called otherwise."""
CHECKOUT = Path(__file__).parents[2] / "pyproject.toml"
"""Project file of the checkout that codeopt runs from. It does not exist for an installed package."""
BROKEN = (ImportError, SyntaxError, TypeError, ValueError, NameError, AttributeError)
"""Errors of a plug-in that cannot be imported, such as a misspelt argument of its decorator."""


@cache
def installed(group: str) -> EntryPoints:
    """The entry points of a group, kept: reading all installed packages takes 2 ms, and a command asks thirty times.

    codeopt's own are those of the checkout that it runs from: it may not be installed, or was before they changed.
    """
    found = [*entry_points(group=group), *_of_checkout().get(group, ())]
    return EntryPoints({entry.name: entry for entry in found}.values())


@cache
def _of_checkout() -> dict[str, list[EntryPoint]]:
    """Return entry points of the checkout, by group. Empty if codeopt is an installed package."""
    if not CHECKOUT.is_file():
        return {}
    project = tomllib.loads(CHECKOUT.read_text("utf-8")).get("project", {})
    groups = project.get("entry-points", {}) if project.get("name") == "codeopt" else {}
    return {
        group: [EntryPoint(name=name, value=value, group=group) for name, value in named.items()]
        for group, named in groups.items()
    }


def names(package: str) -> list[str]:
    """The plug-ins of a package: its modules that do not start with an underscore, then installed entry points."""
    return [*_inside(package), *sorted({e.name for e in installed(package)} - {*_inside(package)})]


@cache
def _inside(package: str) -> tuple[str, ...]:
    """Names of the modules in a package's folder, read once: thirty flags ask for some. A group whose built-in sources
    are one module has no folder."""
    home = importlib.import_module(FOLDERS.get(package, package))
    found = pkgutil.iter_modules(getattr(home, "__path__", ()))
    return tuple(sorted(m.name for m in found if not m.name.startswith("_")))


def load_file(path: Path) -> ModuleType:
    """Return the plug-in in a file of the user's own. Raises UsageError if no such plug-in can be imported."""
    try:
        found = path.stat()
    except OSError:
        found = None
    if found is None or not path.is_file():
        raise UsageError(f"cannot read {path}: there is no such file")
    return _loaded(path.resolve(), found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=32)
def _loaded(path: Path, changed_ns: int, size: int) -> ModuleType:
    """The module of a file as it is now: run once, however often it is asked for, and again when it has changed.

    Raises UsageError when it cannot be imported.
    """
    spec = importlib.util.spec_from_file_location(f"codeopt_plugin_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look for their module there
    try:
        spec.loader.exec_module(module)
    except BROKEN as error:
        raise UsageError(f"{path} cannot be imported: {type(error).__name__}: {error}") from error
    return module


def load(package: str, name: str) -> ModuleType:
    """Return the module called `name`: a file of the package, an entry point of the group, or a dotted path.

    Raises UsageError, which names the choices, if there is no such module. Raises it with the cause if a module of
    another package cannot be imported or would hide a built-in one.
    """
    module_name = name.replace("-", "_")
    if module_name in names(package):
        for entry in installed(package).select(name=module_name):
            if module_name in _inside(package):
                raise UsageError(
                    f"the {kind_of_group(package)} {entry.name} ({entry.value}) has the name of a built-in one",
                    hint="give its entry point another name",
                )
            return _entered(entry)
        return importlib.import_module(f"{FOLDERS.get(package, package)}.{module_name}")
    if name.startswith(".") or name.endswith(".py"):
        raise UsageError(
            f"{name} is a file",
            hint=f"name it as my_package.{Path(name).stem}, a module of a package that can be imported",
        )
    if "." in name:
        try:
            return importlib.import_module(name)
        except ImportError as error:
            raise UsageError(f"cannot import {name!r}: {error}") from error
        except BROKEN as error:
            raise UsageError(f"{name} cannot be imported: {type(error).__name__}: {error}") from error
    choices = ", ".join(names(package))
    raise UsageError(f"there is no {kind_of_group(package)} {name!r}", hint=f"choose one of: {choices}")


def kind_of_group(group: str) -> str:
    """Singular name of a group's plug-ins: `search` of `codeopt.searches`."""
    return group.rpartition(".")[2].replace("searches", "search").removesuffix("s")


def _entered(entry: EntryPoint) -> ModuleType:
    """The module of an entry point. Raises UsageError when it cannot be imported."""
    try:
        module: ModuleType = entry.load()
    except BROKEN as error:
        kind = kind_of_group(entry.group)
        raise UsageError(
            f"the {kind} {entry.name} ({entry.value}) cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    return module


def made_by(module: ModuleType, kind: str, name: str, made: type[T], decorator: str) -> T:
    """Return the object that a decorator made of the function `name`. Raises UsageError if it is not decorated."""
    found = vars(module).get(name)
    if not isinstance(found, made):
        raise UsageError(f"{module.__name__} is no {kind}: it decorates no {name} with {decorator}")
    return found


# The extras of codeopt: the packages of each, and the command that installs them.

_OF_AN_EXTRA = re.compile(r"(?P<requirement>[^;]+);.*extra == ['\"](?P<extra>[\w-]+)['\"]")


def extras() -> dict[str, list[str]]:
    """The requirements of each extra that users may want, as this installation declares them."""
    found: dict[str, list[str]] = {}
    for line in requires("codeopt") or ():
        # extras that only the work on codeopt needs
        if (named := _OF_AN_EXTRA.match(line)) and named["extra"] not in ("test", "docs"):
            found.setdefault(named["extra"], []).append(named["requirement"].strip())
    return found


def install_command(extra: str) -> str:
    """Return the command that adds an extra to this installation, which may be a copy."""
    return shlex.join([sys.executable, "-m", "pip", "install", *extras().get(extra, [f"codeopt[{extra}]"])])
