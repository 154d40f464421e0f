"""The modules of `codeopt_sandbox.guest` as one bundle: what a guest is started with, and our own programs that run in
one."""

from __future__ import annotations

import marshal
from dataclasses import dataclass
from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType
from typing import Any, Literal

from codeopt_sandbox.guest.boot import ROOT

_MARSHAL = 4
"""The format's version that every Python since 3.4 reads."""


@dataclass(frozen=True)
class Libraries:
    """Modules that are imported in a warm interpreter before it forks, once for all runs that name the same ones."""

    modules: tuple[str, ...]
    """Names in the order of import."""
    paths: tuple[str, ...] = ()
    """Put first on sys.path meanwhile."""

    def packed(self) -> bytes:
        """Encoding for the guest."""
        return marshal.dumps((list(self.modules), list(self.paths)), _MARSHAL)


@dataclass(frozen=True)
class GuestProgram:
    """A run of one of our own programs in the guest, in place of a program's text."""

    name: Literal["accept", "calls.__main__", "tests.__main__", "profile.__main__"]
    """Module of the program in codeopt_sandbox.guest, which has `main(bundle, *arguments)`."""
    arguments: tuple[Any, ...] = ()
    """Arguments of `main`, of types that marshal knows."""
    libraries: Libraries | None = None
    """Libraries that are imported before the run is forked, in any mode, from an interpreter with its hash seed.

    If that fails, the run starts without them and says why. They are for calls only: imports are a cost of a program
    itself.
    """

    def packed(self) -> bytes:
        return marshal.dumps((self.name, *self.arguments), _MARSHAL)


@cache
def bundle() -> dict[str, str]:
    """Every module's source by its place: `_codeopt_guest/calls/worker.py`."""
    return {place: file.read_text("utf-8") for place, file in _modules(files("codeopt_sandbox.guest"), ROOT)}


@cache
def compiled() -> dict[str, CodeType]:
    """Code object of every module by its place, compiled once and kept in Python's own cache."""
    found: dict[str, CodeType] = {}
    for place, file in _modules(files("codeopt_sandbox.guest"), ROOT):
        code = SourceFileLoader(place, str(file)).get_code(place) if isinstance(file, Path) else None
        found[place] = _at(place, code) if code else compile(bundle()[place], place, "exec", dont_inherit=True)
    return found


def _at(place: str, code: CodeType) -> CodeType:
    """The code object with `place` for its file name, so that it names no path of this machine."""
    inner = tuple(_at(place, const) if isinstance(const, CodeType) else const for const in code.co_consts)
    return code.replace(co_filename=place, co_consts=inner)


def _modules(folder: Traversable, place: str) -> list[tuple[str, Traversable]]:
    found: list[tuple[str, Traversable]] = []
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir() and entry.name != "__pycache__":
            found += _modules(entry, f"{place}/{entry.name}")
        elif entry.name.endswith(".py"):
            found.append((f"{place}/{entry.name}", entry))
    return found


def boot_program() -> str:
    """Run as `python -I -S -c`: takes the guest's modules from standard input, so that nothing has to be mounted."""
    return bundle()[f"{ROOT}/boot.py"] + "\nstart_supervisor()\n"


@cache
def boot_input() -> bytes:
    """Standard input of `boot_program`: sources, and code objects for an interpreter of this one's version."""
    data = marshal.dumps((bundle(), MAGIC_NUMBER, marshal.dumps(compiled())), _MARSHAL)
    return len(data).to_bytes(4, "big") + data


def loading(*folders: str) -> str:
    """Return Python source that loads modules of the guest as `_bundle`, in an interpreter without codeopt.

    `folders` are the modules' folders. The default is all of them.
    """
    found = bundle()
    begins = tuple(f"{ROOT}/{folder}" for folder in folders or ("",))
    sources = {place: text for place, text in found.items() if place.startswith(begins) or place.count("/") == 1}
    boot = found[f"{ROOT}/boot.py"]
    return f'_space = {{"__name__": "boot"}}\nexec({boot!r}, _space)\n_bundle = _space["Bundle"]({sources!r})\n'
