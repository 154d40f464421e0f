"""Records real calls of one function while a program, a test run or doctests use it.

It runs in the sandbox, with existing tests and doctests. In `codeopt record` it runs with the user's own command, in
the interpreter that the command starts. Its pickles are loaded in a sandbox only.
"""

from __future__ import annotations

import _thread
import io
import os
import types
from _collections import deque  # type: ignore[import-not-found]  # collections takes 3 ms of a start

from ..calls.repr.shown import shown_text
from ..calls.repr.source import MAX_CELLS, call_to_source, iterator_to_source, name_to_source, to_source
from ..calls.repr.structure import (
    LOCK,
    PROXY,
    REF,
    RLOCK,
    count,
    digest,
    find,
    is_held,
    is_iterator,
    is_simple,
    islice,
    parts_of,
    pickled,
)  # fmt: skip
from ..calls.repr.tree import Encoder, written
from .wrappers import Schedule, wrapper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import ModuleType
    from typing import Any

    from .wrappers import ClassHistory


class CallRecorder:
    """Stands before the function, passes everything on, and keeps a bounded, varied sample; from any thread."""

    def __init__(self, module: str, qualname: str, most: int, sink: Callable[[str], None]) -> None:
        self.module, self.qualname, self.most, self.sink = module, qualname, most, sink
        self.seen: set[str] = set()
        self.shapes: dict[tuple[tuple[type, int], ...], int] = {}
        self.schedule = Schedule()
        self.size = 0
        self.numbers = count()
        self.lost: dict[str, int] = {}
        """Number of calls that cannot be recorded, by reason."""
        self.of_class = False
        """A class method: the class is no argument of the call."""
        self.histories: Sequence[ClassHistory] = ()
        self.inside: set[int] = set()
        """Threads within the function: of a recursion the outermost call is written down."""
        self.writing = False
        self.after_fork()
        os.register_at_fork(after_in_child=self.after_fork)

    def after_fork(self) -> None:
        """The other threads are gone, and with them what they held."""
        self.lock = _thread.RLock()
        self.inside &= {_thread.get_ident()}
        self.writing = False

    def note(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> NotedCall:
        """Write down a call before it is made: the function may change its arguments."""
        read = [ItemsRead(value, next(self.numbers)) for value in (*args, *kwargs.values()) if type(value) in LAZY]
        if not read:
            return NotedCall(self, self.text(function, args, kwargs), args, kwargs)
        by_value = {id(each.value): each for each in read}
        some = [by_value.get(id(value), value) for value in args]
        named = {name: by_value.get(id(value), value) for name, value in kwargs.items()}
        text = self.text(function, some, named)
        if not text:
            return NotedCall(self, text, args, kwargs)
        return NotedCall(self, text, some, named, read, lambda: self.lose(function, args, kwargs, None))

    def text(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        """Text of a call that is kept; empty for any other."""
        with self.lock:
            if self.writing:  # an argument's own code, by which it is pickled, calls the function
                return ""
            self.writing = True
            try:
                largest = self.schedule.taken(function, args, kwargs)
                if self.of_class:
                    function, args = function.__get__(args[0]), args[1:]
                # Characters of all calls after which no more are kept
                # Minimum number of calls that are kept, of any length
                if not largest and len(self.seen) >= (self.most if self.size < 1_500_000 else 12):
                    return ""
                shape = tuple(_shape(value) for value in (*args, *kwargs.values()))
                number = self.shapes[shape] = self.shapes.get(shape, 0) + 1
                if not largest and number % max(1, 1 << number.bit_length() >> 4):
                    return ""  # all of the first 16 are kept, then about 8 each time it doubles
                text = write_call(args, kwargs, self.history)
                # characters of a call
                if text is None or len(text) >= 1_000_000:
                    self.lose(function, args, kwargs, text)
                elif text not in self.seen:
                    self.seen.add(text)
                    self.size += len(text)
                    return text
                return ""
            finally:
                self.writing = False

    def lose(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], text: str | None) -> None:
        """Count a call that has no text, or too long a one; to find out why takes time, and is done for the first."""
        if text is None and sum(self.lost.values()) < 20:
            why = write_blocker(function, args, kwargs)
        else:
            why = LARGE if text is not None else next(iter(self.lost))
        if why not in self.lost:
            self.sink("# " + why)
        self.lost[why] = self.lost.get(why, 0) + 1

    def history(self, value: Any) -> list[bytes]:
        """Constructor and method calls of an object; empty where they are not known."""
        return next((steps for history in self.histories if (steps := history.of(value))), [])

    def put_before(self, module: ModuleType) -> tuple[Any, str]:
        """Put it before the function of a module that was just imported; returns where that is found, and its name
        there."""
        if not self.module:
            self.sink("@ loaded " + module.__name__)
        owner: Any = module
        *classes, name = self.qualname.split(".")
        for part in classes:
            owner = getattr(owner, part)
        new = self.in_place_of(vars(owner).get(name))
        if new is not None:
            setattr(owner, name, new)
        return owner, name

    def in_place_of(self, raw: Any) -> Any:
        """Attribute of a class or module with the recorder before it; None where there is nothing to call."""
        if type(raw).__name__ == "cached_property":
            raw.func = wrapper(self, raw.func)
            return raw
        if isinstance(raw, property):
            return property(wrapper(self, raw.fget), raw.fset, raw.fdel, raw.__doc__)
        if isinstance(raw, staticmethod):
            return staticmethod(wrapper(self, raw.__func__))
        if isinstance(raw, classmethod):
            self.of_class = True
            return classmethod(wrapper(self, raw.__func__))
        return wrapper(self, raw) if callable(raw) else None


class NotedCall:
    """A call that is being made. It is written down at its end, with what it gave: that may depend on more than its
    arguments."""

    result: Any = None

    def __init__(
        self, recorder: CallRecorder, text: str, args: Sequence[Any], kwargs: Mapping[str, Any],
        read: Sequence[ItemsRead] = (), lose: Callable[[], None] = lambda: None,
    ) -> None:  # fmt: skip
        self.recorder, self.text, self.read, self.lose = recorder, text, read, lose
        self.args, self.kwargs = args, kwargs

    def __enter__(self) -> NotedCall:
        return self

    def __exit__(self, kind: type[BaseException] | None, *about: object) -> None:
        if not self.text:
            return
        end = write_end(self.result, kind, (self.args, self.kwargs))
        self.text += RECORDED + end if end else ""
        self.keep()
        if end and not all([each.at_end for each in self.read]):
            self.lose()
        for each in self.read if not end else ():  # a generator reads its arguments after the call
            each.then = self.keep

    def keep(self) -> None:
        """Write it down, when its iterators are read to the end."""
        if not all([each.at_end for each in self.read]):
            return
        texts = [each.text for each in self.read]
        for each, text in zip(self.read, texts):  # noqa: B905  strict= is not in Python 3.9
            self.text = self.text.replace(each.mark, text or "")
        if all(texts):
            self.recorder.sink(self.text)
        else:
            self.lose()


LAZY = (types.GeneratorType, map, filter, zip, enumerate)
"""Iterators that cannot be copied, and may read what others read also."""


class ItemsRead:
    """Passes the items of an iterator on to the function, and writes them down as it takes them."""

    def __init__(self, value: Iterator[Any], number: int) -> None:
        self.value, self.at_end = value, False
        self.then: Callable[[], None] = lambda: None
        self.texts: list[str | None] = []
        self.mark = f"<items {number}>"

    @property  # type: ignore[misc]
    def __class__(self) -> Any:  # for isinstance
        return type(self.value)

    def __iter__(self) -> ItemsRead:
        return self

    def __next__(self) -> Any:
        try:
            item = next(self.value)
        except StopIteration:
            if not self.at_end:
                self.at_end = True
                self.then()
            raise
        if len(self.texts) <= MAX_CELLS:
            self.texts.append(to_source(item))
        return item

    def __getattr__(self, name: str) -> Any:
        if name in ("close", "send", "throw"):
            self.texts.append(None)  # which the text of its items has not
        return getattr(self.value, name)

    @property
    def text(self) -> str | None:
        """None where an item has no text, where there are too many, or where more is done than to read it."""
        texts = [each for each in self.texts if each is not None]
        return f"iter([{', '.join(texts)}])" if len(texts) == len(self.texts) <= MAX_CELLS else None


def _shape(value: Any) -> tuple[type, int]:
    """Return type and size class of a value. Values with equal ones count as similar."""
    try:
        size = len(value).bit_length()
    except Exception:
        size = 0
    return type(value), size


# Calls as expressions that make them again, with any arguments, or the reason why one cannot be written.


def write_call(
    args: Sequence[Any], kwargs: Mapping[str, Any], history: Callable[[Any], Sequence[bytes]] = lambda value: ()
) -> str | None:
    """Return the call as an expression, in which objects without one are pickled. None if that fails.

    `history` returns how an object was made and what was done with it, if that is known.
    """
    return call_to_source(args, kwargs, lambda value: write(value, history(value)))


def write(value: Any, steps: Sequence[bytes] = ()) -> str | None:
    """Return an expression for the value, which may unpickle it. None if neither is possible."""
    if type(value) is ItemsRead:
        return value.mark
    try:
        text = to_source(value) or name_to_source(value) or iterator_to_source(value)
        if text is not None or hasattr(type(value), "__next__"):
            return text
        import base64

        pickles = [pickled(value), *([pickled((type(value), list(steps)))] if steps else [])]
        return f"unpickle({', '.join([repr(base64.b64encode(data).decode()) for data in pickles])})"
    except Exception:
        return None


RECORDED = "\t# "
"""Between a call and what it gave when it was recorded: no text of a value has a tabulator."""
RETURNED = "returned"


def write_end(result: Any, raised: type[BaseException] | None, arguments: tuple[Any, Any]) -> str:
    """Return what a call did: `returned`, digest and text of its value; `returned` alone where that is not plain;
    `raised` and a name. Empty where it says nothing, as the code of a generator has not run yet."""
    if raised is not None:
        return f"raised {raised.__name__}" if issubclass(raised, Exception) else ""
    if any(hasattr(type(result), name) for name in ("__next__", "__await__", "__anext__")):
        return ""
    plain = is_simple(type(result))
    encoder = Encoder("", () if plain else [("", each) for each in arguments])  # whose parts are other than copies
    if not plain and (type(result) not in (list, tuple, dict) or encoder.plain_parts(result) is None):
        return RETURNED
    tree = encoder.tree(result)
    try:
        return f"{RETURNED} {digest(written(tree))} {shown_text(tree)}"
    except ValueError:  # nested deeper than marshal goes
        return RETURNED


# Reason why a call cannot be recorded: the kind of object without a text, and its place in the arguments.
#
# The search is breadth first, so it finds the shortest path: `self._file: an open file`.

MAX_PARTS = 200
"""Most parts of a value that are looked at."""
LARGE = "more than 1 MB of arguments"


def write_blocker(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """Return in a few words why a call has no text."""
    code = getattr(function, "__code__", None)
    names = list(code.co_varnames[: code.co_argcount]) if code is not None else []
    names = names[isinstance(function, types.MethodType) :]
    names += [f"argument {at + 1}" for at in range(len(names), len(args))]
    todo: deque[tuple[str, Any]] = deque([*zip(names, args), *kwargs.items()])  # noqa: B905  strict= is not in Python 3.9
    seen: set[int] = set()
    # most values that are looked at
    while todo and len(seen) < 3_000:
        way, value = todo.popleft()
        if id(value) in seen or is_simple(type(value)):
            continue
        seen.add(id(value))
        parts = islice(parts_of(value, plain=False), MAX_PARTS)
        inner = [(step, part) for step, part in parts if not is_simple(type(part))]
        inner += [(".default_factory", value.default_factory)] if hasattr(value, "default_factory") else []
        try:
            what = unwritable(value, not inner)
        except Exception:
            what = f"a {type(value).__name__}"
        if what:
            # most characters of the path to a part
            return f"{way}: {what}" if len(way) <= 60 else what
        todo.extend((way + step, part) for step, part in inner)
    return "an object that pickle does not know"


def unwritable(value: Any, is_leaf: bool) -> str:
    """Describe a value that has no text with any parts. Empty for other values."""
    kind: Any = type(value)
    if isinstance(value, types.FunctionType):
        local = "a lambda" if value.__name__ == "<lambda>" else "a function inside a function"
        return "" if find(value.__module__, value.__qualname__) is value else local
    if isinstance(value, type):
        return "" if find(value.__module__, value.__qualname__) is value else "a class inside a function"
    if is_leaf and write(value) is not None:
        return ""
    if isinstance(value, io.TextIOWrapper) or (is_leaf and isinstance(value, io.IOBase)):
        return "an open file"
    if kind is types.GeneratorType or kind is types.AsyncGeneratorType:
        return "a generator"
    if is_leaf and is_iterator(value):
        return "an iterator"
    if (kind is LOCK or kind is RLOCK) and is_held(value):
        return "a lock that is held"
    named = find(kind.__module__, kind.__qualname__) is kind or kind.__module__ == "builtins"
    if not named and not (kind is LOCK or kind is REF or kind is PROXY):
        return f"an object of {kind.__name__}, a class inside a function"
    shown = kind.__name__
    return f"a{'n' * (shown[0].lower() in 'aeiou')} {shown}" if is_leaf else ""
