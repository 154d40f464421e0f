"""Fresh arguments from the text of a call."""

from __future__ import annotations

import builtins
import sys
import types
from io import BytesIO, StringIO

from .recipes import DEEPENED, RECIPE, UNPACKED, built, deepened, unpacked
from .repr.structure import pickled, with_items
from .repr.tree import same

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import CodeType
    from typing import Any

    from ..request import FunctionRef

    Call = tuple[tuple[Any, ...], dict[str, Any]]
    KnownCall = dict[str, Any]
else:
    KnownCall = dict  # which takes no types before 3.9


modules = sys.modules
HOMES = {"Decimal": "decimal", "Fraction": "fractions", "deque": "collections"}
"""Names that an expression may use without an import."""


class Arguments:
    """Makes the arguments of calls, new ones each time."""

    def __init__(self, ref: FunctionRef) -> None:
        self.names = CallNamespace(ref)

    def fresh(self, code: CodeType) -> Call:
        return self.names.made(code)  # type: ignore[no-any-return]

    def share(self) -> None:
        """Make arguments with the same text one object from here on: the calls then share it."""
        self.names.shared = {}


class CallNamespace(KnownCall):
    """Names that the expression of a call may use; modules are imported when they are needed."""

    def __init__(self, ref: FunctionRef) -> None:
        super().__init__(inf=float("inf"), nan=float("nan"), Ellipsis=Ellipsis, f=lambda *a, **k: (a, k))
        self.update(load=self.load, unpickle=self.unpickle, same=self.same, replaced=replaced, used=used, do=Steps())
        self.update({UNPACKED: unpacked, DEEPENED: deepened, RECIPE: built})
        self.ref = ref
        self.makers = {kind.__name__: kind for kind in (set, frozenset, bytearray, range, slice, iter, complex)}
        self.codes: dict[str, CodeType] = {}
        """Compiled expressions of objects; to compile one takes many times as long as to make it."""
        self.reader: Any = None
        """Unpickler; made when it is first needed, as pickle takes 5 ms to import."""
        self.user: dict[str, Any] | None = None
        self.shared: dict[Any, Any] | None = None
        """Objects by how they are written, if each is made once for all calls."""
        self.remade: set[str] = set()
        """Texts of objects that their constructors rebuild as they were recorded."""
        self.histories: dict[str, tuple[type, bytes]] = {}
        """Recorded histories by the object's text: the class, and all steps in one pickle."""

    def __missing__(self, name: str) -> Any:
        if name in HOMES:
            return self.load(HOMES[name], name)
        if name == "datetime":
            return __import__(name)
        if name in ("CALLS", "BIG"):
            return CallsOfFile(self, name)
        raise KeyError(name)

    def user_namespace(self, fresh: bool = False) -> dict[str, Any]:
        """The calls file, run."""
        if self.user is None or fresh:
            aliases = [each for each in self.ref.aliases if each not in modules and self.ref.module in modules]
            path = [*sys.path]
            try:
                self.user = self.run_calls_file(aliases)
            except (ImportError, AttributeError):
                if not aliases:
                    raise
                sys.path[:] = path
                self.user = self.run_calls_file([])  # it names something that only the original's module has
        return self.user

    def run_calls_file(self, aliases: Sequence[str]) -> dict[str, Any]:
        """Names that the calls file defines. aliases: names under which it finds the module under test, whose classes
        the function knows.
        """
        assert self.ref.calls_file is not None
        user: dict[str, Any] = {"__name__": "codeopt_calls", "__file__": "calls.py", "__builtins__": builtins}
        sys.path += self.ref.calls_paths
        streams, sys.stdout, sys.stderr = (sys.stdout, sys.stderr), StringIO(), StringIO()
        code = compile(self.ref.calls_file, "calls.py", "exec", dont_inherit=True)
        modules.update({each: modules[self.ref.module] for each in aliases})
        try:  # what it prints and warns of is no output of the call that needs it first
            exec(code, user)
        finally:
            for alias in aliases:
                del modules[alias]
            sys.stdout, sys.stderr = streams
            for path in reversed(self.ref.calls_paths):
                if sys.path[-1:] == [path]:
                    sys.path.pop()
        return user

    def module_name(self, name: str) -> str:
        """The module under test may have had another one when a call was written down."""
        return self.ref.module if name in self.ref.aliases else name

    def load(self, module: str, name: str) -> Any:
        module = self.module_name(module)
        __import__(module)
        found: Any = modules[module]
        for part in name.split("."):
            found = getattr(found, part)
        return found

    def prepare(self, calls: Sequence[str]) -> None:
        """Run the calls file and import the modules that calls name, before the time of a call counts."""
        if any("CALLS[" in call or "BIG[" in call for call in calls):
            self.user_namespace()
        for name in sorted({part.partition("'")[0] for call in calls for part in call.split("load('")[1:]}):
            try:
                __import__(self.module_name(name))
            except BaseException:  # noqa: BLE001, PERF203  the call that names it ends in the same way
                continue

    def made(self, expression: str | CodeType) -> Any:
        return eval(expression, {"__builtins__": self.makers}, self)

    def same(self, text: str) -> Any:
        """Evaluate the text of an expression; one object where those that are written the same way are shared."""
        if self.shared is not None and text in self.shared:
            return self.shared[text]
        if text not in self.codes:
            self.codes[text] = compile(text, "call", "eval")
        found = self.made(self.codes[text])
        if self.shared is not None:
            self.shared[text] = found
        return found

    def unpickle(self, text: str, history: str = "") -> Any:
        """An object that a recording pickled in a sandbox. history: what it was made with and asked since, by which it
        is made with the module's own class; the recorded parts are taken where that class refuses."""
        if self.shared is not None and text in self.shared:
            return self.shared[text]
        made = self.replay(history) if history else None
        found = self.restore(text) if made is None else made
        if self.shared is not None:
            self.shared[text] = found
        return found

    def replay(self, history: str) -> Any:
        """Rebuild an object by its history; None where its class refuses."""
        if history not in self.histories:
            kind, steps = self.read(history)
            self.histories[history] = kind, pickled([self.read(step) for step in steps])
        kind, packed = self.histories[history]
        return replayed(kind, self.read(packed))

    def restore(self, text: str) -> Any:
        """Rebuild an object from its recording, by constructors where that gives the same."""
        reconstructor = Reconstructor(self.ref.module, text in self.remade)
        found = reconstructor.make(self.read(text))
        if not reconstructor.refused:
            self.remade.add(text)
        return found

    def read(self, text: str | bytes) -> Any:
        """Unpickle a value; the module under test may have had another name when it was recorded."""
        import base64
        import pickle

        if self.reader is None:
            rename = self.module_name

            class CallUnpickler(pickle.Unpickler):
                def find_class(self, module: str, name: str) -> Any:
                    return super().find_class(rename(module), name)

            self.reader = CallUnpickler
        return self.reader(BytesIO(base64.b64decode(text) if isinstance(text, str) else text)).load()


class CallsOfFile:
    """`CALLS[i]`: a fresh copy of that call of the calls file; the file is run again where a copy cannot be made."""

    def __init__(self, names: CallNamespace, name: str) -> None:
        self.names, self.name = names, name

    def __getitem__(self, at: int) -> Call:
        shared = self.names.shared
        if shared is None:
            return self.fresh(at)
        if (self.name, at) not in shared:
            shared[self.name, at] = self.fresh(at)
        return shared[self.name, at]  # type: ignore[no-any-return]

    def fresh(self, at: int) -> Call:
        """A copy of what the file has there."""
        import copy

        call = as_call(self.names.user_namespace()[self.name][at])
        try:
            return copy.deepcopy(call)
        except (TypeError, ValueError, copy.Error):
            return as_call(self.names.user_namespace(fresh=True)[self.name][at])


def as_call(entry: Any) -> Call:
    """(args, kwargs) of an entry of CALLS, which may leave out what is empty. Raises TypeError."""
    if type(entry) is tuple and len(entry) == 2 and type(entry[0]) in (tuple, list) and type(entry[1]) is dict:
        return tuple(entry[0]), entry[1]
    if type(entry) in (tuple, list):
        return tuple(entry), {}
    raise TypeError(f"an entry of CALLS must be (args, kwargs), not {type(entry).__name__}")


def replaced(call: Call, new: dict[int, Any]) -> Call:
    """A call with some positional arguments replaced."""
    args = list(call[0])
    for at, value in new.items():
        args[at] = value
    return tuple(args), call[1]


class Steps:
    """`do.add(1)`: a method's name and what it is called with; `do.__setattr__('level', 1)` is one too."""

    def __getattribute__(self, name: str) -> Callable[..., tuple[str, Any, Any]]:
        return lambda *args, **kwargs: (name, args, kwargs)


def used(value: Any, *steps: Iterable[Any]) -> Any:
    """An object after some of its methods were called; what they return or raise does not matter."""
    for name, args, kwargs in steps:
        try:
            getattr(value, name)(*args, **kwargs)
        except Exception:
            continue
    return value


# Objects that a recording pickled, made by the constructor of the version that runs: it may keep more than was
# recorded, such as an index of a list.

MAX_DEPTH = 4
"""Depth to which parts of a value are compared."""
MAX_ITEMS = 200
"""Most items of a container that are compared."""
NOTHING = object()


class Reconstructor:
    """Makes the objects of a value by their constructors, if that gives them all that was recorded."""

    def __init__(self, target: str, sure: bool = False) -> None:
        self.target, self.sure = target, sure
        """target: name of the module; sure: a value of constructors needs no comparison, as an equal one had one."""
        self.refused = False
        """A constructor gives something else."""

    def make(self, value: Any, depth: int = MAX_DEPTH) -> Any:
        """The value with other objects in it."""
        kind: Any = type(value)
        if kind is list or kind is tuple or kind is dict:
            few = depth and len(value) <= MAX_ITEMS
            return with_items(value, lambda item: self.make(item, depth - 1)) if few else value
        if kind.__module__ != self.target or type(getattr(value, "__dict__", None)) is not dict:
            return value
        return self.by_constructor(value)

    def by_constructor(self, value: Any) -> Any:
        """Rebuild an object whose constructor takes its attributes under the same names; any other object is returned
        itself."""
        kind: Any = type(value)
        init = kind.__init__
        if type(init) is not types.FunctionType or kind.__new__ is not object.__new__:
            return value
        state, code = vars(value), init.__code__
        names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
        needed = set(names[: code.co_argcount - 1 - len(init.__defaults__ or ())])
        given = {name: state.get(name, state.get("_" + name, NOTHING)) for name in names}
        given = {name: part for name, part in given.items() if part is not NOTHING}
        if not needed <= given.keys():
            return value
        try:
            made = kind(**copied(given))
            now = vars(made)
            if self.sure or all(name in now and same(self.target, now[name], state[name]) for name in state):
                return made
        except Exception:
            pass
        self.refused = True
        return value


def replayed(kind: Any, steps: Sequence[tuple[str, Sequence[Any], dict[str, Any]]]) -> Any:
    """An object of a class that is made, and asked since, as another one was; None where it cannot be made."""
    (_, args, kwargs), *later = steps
    try:
        return used(kind(*args, **kwargs), *later)
    except Exception:
        return None


def copied(given: dict[str, Any]) -> dict[str, Any]:
    """Copy of unpickled arguments: pickle is ten times as fast as a deep copy, where it works."""
    import copy
    import pickle

    try:
        return pickle.loads(pickle.dumps(given, 4))  # type: ignore[no-any-return]  # noqa: S301  our own
    except Exception:
        return copy.deepcopy(given)
