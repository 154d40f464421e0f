"""Values as text for comparing: the same text only for values of the same type that are equal in every part.

NaN equals NaN, 0.0 is not -0.0, True is not 1, a dictionary keeps its order, a set has none. Objects are shown as
pickle would take them apart, never by their own __repr__ or __eq__, nor by what their classes tell pickle: see
structure.py. What cannot be taken apart is "<not comparable: type>" and makes its call useless as evidence.
"""

from __future__ import annotations

import types

from .arrays import show_array
from .handles import show_handle
from .parts import parts_of
from .plain import (
    MAX_ITEMS,
    NAMED,
    NOT_COMPARABLE,
    all_by_repr,
    count,
    find,
    is_iterator,
    is_simple,
    is_value,
    modules,
    number,
    repeat,
    sha256,
)
from .structure import cached_names, librarys_base, taken_apart

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any


class CanonicalRepr:
    """Shows values as text. `target`: the module under test, whose name is left out so that two versions can differ
    in it. `known`: (path, value) of the arguments, which a result may share."""

    def __init__(self, target: str, known: Sequence[tuple[str, Any]] = (), items: int = MAX_ITEMS) -> None:
        self.target, self.items = target, items
        self.seen: dict[int, str] = {}
        self.kept: list[Any] = []
        self.numbers, self.private = [0, 0], False
        """Numbers of public and private values that were met; whether this is within a private attribute."""
        self.opaque = ""
        """The type of the first value that cannot be compared."""
        self.iterators = 0
        """Number of iterators that were read."""
        self.broken_by = ""
        """The exception that ended the last of them."""
        self.cut_short = False
        """One of them had more items than are read."""
        self.reads = True
        self.whole = False
        """Long arrays are told item by item, beside their digest."""
        self.cached: dict[Any, frozenset[str]] = {}
        """Names of cached properties by class."""
        self.base: tuple[Any, Any] = None, None
        """Class of the last object, and the library's class that it derives from."""
        self.at_first_item: Callable[[], None] | None = None
        """Called when the first of all items is there, or there is none."""
        for path, value in known:
            self.note(path, value, 4)

    def note(self, path: str, value: Any, depth: int) -> None:
        """Remember an argument's mutable parts, so that a result that shares them is told from a copy."""
        kind = type(value)
        if is_simple(kind) or depth < 0 or len(self.kept) > 20_000:
            return
        self.kept.append(value)
        if kind is not tuple:
            self.seen.setdefault(id(value), path)
        if (kind is tuple or kind is list) and all_by_repr(value):
            return  # nothing in it is anybody's; the loop below takes many times as long to find out
        for name, part in parts_of(value, plain=False):
            self.note(path + name, part, depth - 1)

    def show(self, value: Any, depth: int = 100) -> str:
        """The text of any value."""
        kind = type(value)
        if is_simple(kind):
            return number(value) if kind is int else repr(value)
        if depth < 0:
            return self.give_up(kind, "nested deeper than 100")
        if kind is tuple or kind is frozenset:
            return self.builtin(kind, value, depth)
        if issubclass(kind, NAMED):
            return self.name_of(value)
        if is_value(kind):
            return repr(value)
        if _is_enum(kind):  # there is one of each; pickled in two ways
            return f"{self.name_of(kind)}({self.show(value._value_, depth - 1)})"
        place = id(value)  # once: an audit hook hears of it
        if place in self.seen:
            return f"<the same object as {self.seen[place]}>"
        self.seen[place] = self.next_number()
        self.kept.append(value)
        if kind is list or kind is dict or kind is set or kind is bytearray:
            return self.builtin(kind, value, depth)
        if is_iterator(value):
            return self.iterator(value, depth) if self.reads else self.standing(value, depth)
        return show_handle(self, value, depth) or show_array(self, value, depth) or self.object(value, depth)

    def next_number(self) -> str:
        """Number of a value that may be met again. Private values are counted apart: two versions may keep other
        things."""
        self.numbers[self.private] += 1
        return f"#{'_' * self.private}{self.numbers[self.private] - 1}"

    def show_arguments(self, args: Sequence[Any], kwargs: dict[str, Any], rest: bool = False) -> str:
        """Arguments, to see whether they were changed; iterators are left alone, or with `rest` shown by what is
        left."""
        return f"({self.arguments(args, rest)}; {self.arguments(kwargs.values(), rest)})"

    def arguments(self, values: Iterable[Any], rest: bool) -> str:
        """Each argument by its own; what has no text is named by its type and believed to stay as it is if it is
        code."""
        parts = []
        for value in values:
            if is_iterator(value):
                parts.append(self.show(value) if rest else "<iterator>")
                continue
            inner = CanonicalRepr(self.target)
            text = inner.show(value)
            code = isinstance(value, NAMED) or type(value).__name__ in ("partial", "method", "itemgetter", "attrgetter")
            if not code:
                self.opaque = self.opaque or inner.opaque
            parts.append("<code>" if inner.opaque and code else text)
        return ", ".join(parts)

    def show_small(self, value: Any) -> str:
        """A global's value; only its size when it is large. Its iterators are still needed: none is read."""
        self.reads = False
        size = len(value) if isinstance(value, (list, dict, set, tuple, str)) else 0
        return self.show(value) if size <= 2000 else f"{size} items"

    def builtin(self, kind: type, value: Any, depth: int) -> str:
        """Text of a list, tuple, dict, set, frozenset or bytearray."""
        if kind in (list, tuple):
            if all_by_repr(value):
                return repr(value)
            inner = ", ".join([self.show(item, depth - 1) for item in value])
            return "[" + inner + "]" if kind is list else "(" + inner + ("," if len(value) == 1 else "") + ")"
        if kind is dict:
            if all_by_repr(value) and all_by_repr(value.values()):
                return repr(value)
            pairs = [self.show(key, depth - 1) + ": " + self.show(item, depth - 1) for key, item in value.items()]
            return "{" + ", ".join(pairs) + "}"
        if kind is bytearray:
            return repr(value)
        plain = all_by_repr(value)
        items = map(repr, value) if plain else [self.show(item, depth - 1) for item in self.in_order(value, depth)]
        inner = ", ".join(sorted(items))
        return ("frozenset" if kind is frozenset else "set") + "{" + inner + "}"

    def in_order(self, value: Iterable[Any], depth: int) -> Iterable[Any]:
        """A set's items so that their parts are numbered in the same order whatever order the set has them in."""
        if all(is_plain(item, depth) for item in value):
            return value
        return sorted(value, key=lambda item: CanonicalRepr(self.target).show(item, depth - 1))

    def iterator(self, value: Any, depth: int) -> str:
        """Items of an iterator, one by one; inner iterators are read before the next item is asked for."""
        self.iterators += 1
        parts: list[str] = []
        end, number = "", 0
        rest: Any = None
        while True:
            try:
                item = next(value)
            except StopIteration as stop:
                if stop.value is not None:
                    end = " then returns " + self.show(stop.value, depth - 1)
                break
            except BaseException as error:
                name = self.name_of(type(error))
                self.broken_by = name[1:-1]
                end = " then raises " + name
                break
            finally:
                if not number and self.iterators == 1 and self.at_first_item:
                    self.at_first_item()
            number += 1
            if number > self.items:
                self.cut_short, end = True, " and more"
                break
            text = self.show(item, depth - 1)
            if number <= MAX_ITEMS:
                parts.append(text)
                continue
            rest = sha256(b"") if rest is None else rest
            rest.update(b"%b\n" % text.encode("utf-8", "surrogatepass"))
        more = f" and {number - MAX_ITEMS} more, sha256 {rest.hexdigest()}" if rest else ""
        return "<iterator of " + ", ".join(parts) + more + end + ">"

    def standing(self, value: Any, depth: int) -> str:
        """Position of an iterator, found without asking it for an item."""
        kind = type(value)
        if kind is count or kind is repeat:  # other Pythons do not let these be taken apart
            return repr(value)
        return "<iterator " + self.object(value, depth) + ">"

    def object(self, value: Any, depth: int) -> str:
        """Any other object: what pickle would rebuild it from."""
        kind: Any = type(value)
        if kind is not self.base[0]:
            self.base = kind, librarys_base(kind, self.target)
        base = self.base[1]
        if base is kind:
            return self.pickled(kind, value, depth)
        opaque = self.opaque
        text = self.parts(kind, taken_apart(value, base), depth)
        if self.opaque and not opaque:  # it may leave a lock out of what it tells pickle
            self.opaque = ""
            text += " pickled " + self.pickled(kind, value, depth)
        return text

    def pickled(self, kind: Any, value: Any, depth: int) -> str:
        """Text of an object from its pickle protocol."""
        try:
            parts = kind.__reduce_ex__(value, 2)
        except RecursionError:
            raise
        except Exception:
            return self.give_up(kind)
        return self.name_of(value) if type(parts) is str else self.parts(kind, parts, depth)

    def parts(self, kind: Any, parts: tuple[Any, ...], depth: int) -> str:
        """An object by what `__reduce_ex__` says, or would say, of it."""
        maker, arguments, state, items, pairs = (tuple(parts) + (None,) * 5)[:5]
        text = self.name_of(maker)
        if maker is kind or (text == "<copyreg.__newobj__>" and arguments[0] is kind):
            text = self.name_of(kind)
        else:
            text += self.name_of(kind)
        given = arguments[1:] if arguments and arguments[0] is kind else arguments
        text += "(" + ", ".join([self.show(item, depth - 1) for item in given]) + ")"
        for name, part in (("items", items), ("pairs", pairs)):
            if part is not None:
                text += " " + name + self.show(list(part), depth - 1)
        if type(state) is tuple and len(state) == 2 and type(state[1]) is dict and type(state[0]) in (dict, type(None)):
            state = {**(state[0] or {}), **state[1]}  # what stands in slots
        if type(state) is dict:
            cached = self.cached_of(kind)
            if cached:
                state = {f"_cached_{name}" if name in cached else name: part for name, part in state.items()}
            return text + " {" + self.named(state, depth) + "}"
        return text + (" " + self.show(state, depth - 1) if state is not None else "")

    def cached_of(self, kind: type) -> frozenset[str]:
        """Names under which objects of a class keep what they computed."""
        if kind not in self.cached:
            self.cached[kind] = cached_names(kind)
        return self.cached[kind]

    def named(self, state: dict[Any, Any], depth: int) -> str:
        """Public ones first: their parts are numbered without regard to what is private."""
        parts = []
        for name in sorted(state, key=lambda name: (str(name).startswith("_"), str(name))):
            outer, self.private = self.private, self.private or str(name).startswith("_")
            parts.append(f"{name}={self.show(state[name], depth - 1)}")
            self.private = outer
        return ", ".join(parts)

    def name_of(self, value: Any) -> str:
        """<module.qualified name> of a class, function or module; not comparable when the name leads elsewhere."""
        if issubclass(type(value), types.ModuleType):
            return f"<module {value.__name__}>"
        name = getattr(value, "__qualname__", None)
        module = getattr(value, "__module__", None) or "builtins"
        if type(name) is not str or type(module) is not str:
            return self.give_up(type(value))
        shown = ("" if module == self.target else module) + "." + name
        if find(module, name) is value:
            return "<" + (name if module == "builtins" else shown) + ">"
        if issubclass(type(value), type):
            return "<local " + shown + ">"
        return self.give_up(type(value), name)

    def give_up(self, kind: type, why: str = "") -> str:
        """Give up: no text can stand for this value."""
        self.opaque = self.opaque or (kind.__name__ + (" " + why if why else ""))
        return NOT_COMPARABLE + self.opaque + ">"


def is_plain(value: Any, depth: int) -> bool:
    """Whether nothing in it is numbered."""
    kind = type(value)
    if kind is tuple or kind is frozenset:
        return depth > 0 and all(is_plain(item, depth - 1) for item in value)
    return is_simple(kind)


def _is_enum(kind: type) -> bool:
    return issubclass(kind, getattr(modules.get("enum"), "Enum", ()))
