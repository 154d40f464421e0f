"""Makes the package `_codeopt_guest` out of modules that came over a channel, as sources or as code objects.

Nothing is installed inside. This module's text is the first code of a guest's interpreter (`boot_program` in
sandbox/codeopt_sandbox/guest_bundle.py), and of a recorded program's. A module has builtins of its own. Once all its
imports are loaded, no name leads to it. Code in the same process cannot import or shadow it, and patches of `builtins`
do not reach it.
"""

from __future__ import annotations

import builtins
import marshal
import os
import sys
import time
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER

TYPE_CHECKING = False  # typing takes longer to import than all of the guest
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from ctypes import CDLL
    from types import CodeType, ModuleType
    from typing import Any

    from .libraries import LibraryCode

os_read, os_write = os.read, os.write  # a module under test can patch `os`
ROOT = "_codeopt_guest"
BUNDLE_FD = 4
"""File descriptor from which a fresh interpreter reads its modules, marshalled."""
STARTER = f"""
import marshal, sys
with open({BUNDLE_FD}, "rb") as file:
    modules = marshal.loads(file.read())
space = {{"__name__": "boot"}}
exec(modules["{ROOT}/boot.py"], space)
"""
"""Program for `python -c`, to be followed by a call of a function of this module, e.g. `space["run_tool"](modules)`."""


class Bundle:
    """Modules by their place, `_codeopt_guest/calls/worker.py`; finds and loads them."""

    def __init__(self, modules: dict[str, Any]) -> None:
        self.modules = modules
        """Source texts or code objects."""
        self.builtins = dict(vars(builtins))
        self.loaded: dict[str, tuple[ModuleType, dict[str, ModuleType]]] = {}
        """Loaded modules by name, each with the other modules that it imported."""
        self.libc: CDLL | None = None
        """The C library, if a forked interpreter has it open from before."""
        self.library_code: LibraryCode | None = None
        """State of the loaded libraries, recorded by the interpreter that this one was forked from."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A module of ours; None for all others."""
        loader: Any = self  # without load_module, which nobody asks for any more
        home = name.replace(".", "/")
        for place in (f"{home}.py", f"{home}/__init__.py"):
            if place in self.modules:
                return ModuleSpec(name, loader, origin=place, is_package=place.endswith("/__init__.py"))
        return None

    def create_module(self, spec: ModuleSpec) -> None:
        """Use the default module type."""

    def exec_module(self, module: ModuleType) -> None:
        """Run its code, with builtins that nobody else has."""
        vars(module)["__builtins__"] = self.builtins
        assert module.__spec__ is not None
        exec(self.code(str(module.__spec__.origin)), vars(module))

    def code(self, place: str) -> CodeType:
        """Compiled when it is first asked for."""
        code = self.modules[place]
        if isinstance(code, str):
            code = self.modules[place] = compile(code, place, "exec", dont_inherit=True)
        return code  # type: ignore[no-any-return]

    def load(self, name: str) -> Any:
        """A module with all that it imports, which then no name leads to; what it imports of others stays. A process
        that was forked from one that has loaded it finds everything so, and need not load it again."""
        if name not in self.loaded:
            before = frozenset(sys.modules)
            sys.meta_path.insert(0, self)
            try:
                __import__(f"{ROOT}.{name}")
                module = sys.modules[f"{ROOT}.{name}"]
            finally:
                sys.meta_path.remove(self)
                for each in [each for each in sys.modules if each.partition(".")[0] == ROOT]:
                    del sys.modules[each]
            self.loaded[name] = module, {each: found for each, found in sys.modules.items() if each not in before}
        module, others = self.loaded[name]
        for each, found in others.items():
            sys.modules.setdefault(each, found)
        return module

    def pack(self, *parts: str) -> bytes:
        """Code objects of the modules whose places begin so, marshalled."""
        begins = tuple(f"{ROOT}/{part}" for part in parts)
        return marshal.dumps({place: self.code(place) for place in self.modules if place.startswith(begins)})


def read_exactly(fd: int, size: int) -> bytes:
    """`size` bytes, or fewer where they end."""
    parts = []
    while size:
        part = os_read(fd, min(size, 1 << 20))
        if not part:
            break
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def write_all(fd: int, data: bytes) -> None:
    """Write all of it, of which a pipe may take a part at a time."""
    left = memoryview(data)
    while left:
        left = left[os_write(fd, left) :]


def fitting(data: bytes) -> dict[str, Any]:
    """The code objects if they are of this interpreter's version, else the sources."""
    sources, magic, codes = marshal.loads(data)
    return marshal.loads(codes) if magic == MAGIC_NUMBER else sources  # type: ignore[no-any-return]


def start_supervisor() -> None:
    """Start a guest's first process, which gets all modules on standard input."""
    size = int.from_bytes(read_exactly(0, 4), "big")
    data = read_exactly(0, size)
    if not size or len(data) < size:
        sys.exit("no guest code arrived")
    bundle = Bundle(fitting(data))
    bundle.load("supervisor.server").main(bundle)
    os._exit(0)  # an interpreter that takes itself apart takes 20 ms, for which the host waits


def open_tool(bundle: Bundle, path: str) -> Callable[[], None]:
    """One of our own programs, loaded; the file at `path` holds which one, and what it is to do."""
    with open(path, "rb") as file:  # noqa: PTH123  pathlib would take longer than all that follows
        name, *arguments = marshal.loads(file.read())
    main = bundle.load(name).main
    return lambda: main(bundle, *arguments)


def run_tool(modules: dict[str, Any]) -> None:
    """Run one of our own programs as `python program.py` would, in an interpreter that was started with STARTER."""
    del sys.argv[0]  # "-c"
    sys.path[0] = sys.argv[0].rpartition("/")[0]
    sys.modules["__main__"] = type(sys)("__main__")
    open_tool(Bundle(modules), sys.argv[0])()


class CallLog:
    """One file of whole lines for each recording process, so that no process waits and no line is torn.

    It is opened at the process's first line. A process that is forked opens its own.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.pid = self.fd = -1

    def write(self, line: str) -> None:
        """Append a line. If that fails, the line is lost, and the user's command continues."""
        data = (line.replace("\n", " ") + "\n").encode("utf-8", "surrogatepass")
        try:
            if os.getpid() != self.pid:
                self.pid = os.getpid()
                path = f"{self.folder}/{self.pid}-{time.time_ns()}.txt"
                self.fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            write_all(self.fd, data)
        except OSError:
            return
