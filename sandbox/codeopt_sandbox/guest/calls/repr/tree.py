"""Values as trees of tagged tuples: the same tree only for values of the same type that are equal in every part.

0.0 is not -0.0, True is not 1, a dictionary keeps its order, a set does not. Objects are taken apart as pickle would
take them apart, never by their own __repr__ or __eq__, nor by what their classes tell pickle: see structure.py. What
cannot be taken apart makes its call useless as evidence.

A number, a text or None is its own tree. A list, tuple or dict of nothing else is ("=", value); all others are
(tag, parts...), if several parts of one kind are a list. So a tuple is a tree, except below "=".
"""

from __future__ import annotations

import marshal
import types
from _operator import is_

from .structure import (
    MAX_ITEMS,
    NAMED,
    all_by_repr,
    array_tree,
    cached_names,
    chain,
    count,
    find,
    handle_tree,
    is_held_lock,
    is_iterator,
    is_simple,
    is_value,
    librarys_base,
    modules,
    parts_of,
    repeat,
    taken_apart,
)

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from ...request import Ordered


dumps = marshal.dumps
loads = marshal.loads
FORMAT = 2
"""Version of marshal's format that writes the same even if others hold a part, such as a result."""


class Encoder:
    """Makes the trees of values. `target`: the module under test, whose name is left out so that two versions can
    differ in it. `known`: (path, value) of the arguments, which a result may share. Containers that are not `ordered`
    are sorted."""

    def __init__(
        self, target: str, known: Sequence[tuple[str, Any]] = (), items: int = MAX_ITEMS, ordered: Ordered = "all"
    ) -> None:
        self.target, self.items, self.ordered = target, items, ordered
        self.seen: dict[int, str] = {}
        self.kept: list[Any] = []
        self.numbers, self.private = [0, 0], False
        """Numbers of public and private values that were met; whether this is within a private attribute."""
        self.hidden: list[tuple[Any, bool, dict[str, Any]]] = []
        """(object, whether its class is asked by pickle where needed, attributes) of what objects keep private."""
        self.others: list[Any] = []
        """Private parts of separate arguments."""
        self.names: set[str] = set()
        """Names of private attributes."""
        self.opaque = ""
        """The type of the first value that cannot be encoded."""
        self.floats = False
        """A float was met."""
        self.iterators = 0
        self.broken_by = ""
        """The exception that ended the last of them."""
        self.cut_short = False
        """One of them had more items than are read."""
        self.reads = True
        self.live = False
        """Whether what is read now may be changed before the tree is written."""
        self.cached: dict[Any, frozenset[str]] = {}
        """Names of cached properties by class."""
        self.base: tuple[Any, Any] = None, None
        """Class of the last object, and the library's class that it derives from."""
        self.own: dict[str, Any] = {}
        """Classes of the project's public objects, by name."""
        self.at_first_item: Callable[[], None] | None = None
        """Called when the first of all items is there, or the iterator is empty."""
        for path, value in known:
            self.note(path, value, 4)

    def another(self) -> Encoder:
        """Encoder of a value by itself, in the same way."""
        return Encoder(self.target, ordered=self.ordered)

    def note(self, path: str, value: Any, depth: int) -> None:
        """Remember an argument's mutable parts, so that a result that shares them is distinguished from a copy."""
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

    def tree(self, value: Any, depth: int = 100) -> Any:
        kind = type(value)
        if is_simple(kind):
            self.floats = self.floats or kind is float or kind is complex
            return value
        if depth < 0:
            return self.give_up(kind, "nested deeper than 100")
        if self.ordered == "all" and (kind is list or kind is tuple or kind is dict):
            inner = self.plain_parts(value)
            if inner is not None:
                return self.plain(value, inner, depth)
        if kind is tuple or kind is frozenset:
            return self.builtin(kind, value, depth)
        return self.named_value(kind, value, depth) or self.numbered(kind, value, depth)

    def named_value(self, kind: Any, value: Any, depth: int) -> Any:
        """The tree of a value that represents itself; None for any other."""
        if issubclass(kind, NAMED):
            return self.name_of(value)
        if is_value(kind):
            return "value", repr(value)
        if issubclass(kind, getattr(modules.get("enum"), "Enum", ())):  # there is one of each; pickled in two ways
            return "enum", self.name_of(kind), self.tree(value._value_, depth - 1)
        return None

    def numbered(self, kind: Any, value: Any, depth: int) -> Any:
        """The tree of a value that may be met again."""
        place = id(value)  # once: an audit hook hears of it
        if place in self.seen:
            return "same", self.seen[place]
        self.seen[place] = self.next_number()
        self.kept.append(value)
        if kind is list or kind is dict or kind is set or kind is bytearray:
            return self.builtin(kind, value, depth)
        if is_iterator(value):
            return self.iterator(value, depth) if self.reads else self.standing(value, depth)
        return handle_tree(self, value, depth) or array_tree(self, value, depth) or self.object(value, depth)

    def next_number(self) -> str:
        """Number of a value that may be met again. Private values are counted apart: two versions may keep other
        things."""
        self.numbers[self.private] += 1
        return f"#{'_' * self.private}{self.numbers[self.private] - 1}"

    def plain_parts(self, value: Any, sets: bool = False) -> list[Any] | None:
        """Lists and dictionaries of a value that has nothing in it but these, tuples and simple values, each once; None
        for any other. Deeper than any recursion may go. sets: they are such values, too."""
        found: list[Any] = []
        ids: set[int] = set()
        todo: list[Any] = [value]
        while todo:
            one = todo.pop()
            kind = type(one)
            if kind is not tuple:
                if id(one) in ids or id(one) in self.seen:
                    return None
                ids.add(id(one))
                found.append(one)
            if kind is dict:
                rows: tuple[Sequence[Any], ...] = ([*one], [*one.values()]) if one else ()
            else:
                rows = ([*one] if kind is set or kind is frozenset else one,)
            for items in rows:
                inner = self.containers(items, sets)
                if inner is None:
                    return None
                todo += inner
        return found

    def containers(self, items: Sequence[Any], sets: bool = False) -> Sequence[Any] | None:
        """Lists, tuples and dictionaries among items, and sets if they count; None where one is neither such nor
        simple."""
        first = type(items[0]) if items else str
        while first is tuple and all(map(is_, map(type, items), repeat(tuple))):  # rows, of which there may be many
            items = list(chain.from_iterable(items))
            first = type(items[0]) if items else str
        if is_simple(first) and all(map(is_, map(type, items), repeat(first))):
            self.floats = self.floats or first is float or first is complex
            return ()
        inner: list[Any] = []
        for item in items:
            kind = type(item)
            if kind is float or kind is complex:
                self.floats = True
            elif kind is list or kind is tuple or kind is dict or (sets and (kind is set or kind is frozenset)):
                inner.append(item)
            elif not is_simple(kind):
                return None
        return inner

    def plain(self, value: Any, inner: list[Any], depth: int) -> Any:
        """The tree of a plain value; what may be met again is remembered."""
        if depth < 100 or self.live:
            for part in inner:
                self.seen[id(part)] = self.next_number()
                self.kept.append(part)
        return "=", loads(dumps(value, FORMAT)) if self.live and inner else value

    def arguments(self, args: Sequence[Any], kwargs: dict[str, Any], rest: bool = False) -> Any:
        """Arguments, to see whether they were changed; iterators are left alone, or with `rest` encoded by what is
        left."""
        return "arguments", self.each(args, rest), self.each(kwargs.values(), rest)

    def each(self, values: Iterable[Any], rest: bool) -> Any:
        """Each argument by its own; what cannot be encoded is believed to stay as it is if it is code."""
        found = []
        for value in values:
            if is_iterator(value):
                found.append(self.tree(value) if rest else ("iterator",))
                continue
            inner = self.another()
            tree, private = inner.tree(value), inner.private_tree()
            code = isinstance(value, NAMED) or type(value).__name__ in ("partial", "method", "itemgetter", "attrgetter")
            if inner.opaque and code:
                found.append(("code",))
                continue
            self.opaque, self.floats = self.opaque or inner.opaque, self.floats or inner.floats
            self.names |= inner.names
            self.others.append(private)
            found.append(tree)
        return found

    def builtin(self, kind: type, value: Any, depth: int) -> Any:
        """Tree of a list, tuple, dict, set, frozenset or bytearray that is not plain."""
        if kind is dict:
            return "dict", self.entries(value.items(), depth)
        if (kind is list or kind is tuple) and self.ordered != "none":
            return kind.__name__, [self.tree(item, depth - 1) for item in value]
        if kind is bytearray:
            return "bytearray", bytes(value)
        self.containers(list(value))  # only for its floats
        return kind.__name__, self.in_order(value, depth)

    def entries(self, pairs: Iterable[tuple[Any, Any]], depth: int) -> list[Any]:
        """Trees of the keys and values of a dictionary."""
        if self.ordered != "all":
            pairs = sorted(pairs, key=lambda pair: written(self.another().tree(pair[0], depth - 1)))
        return [[self.tree(key, depth - 1), self.tree(item, depth - 1)] for key, item in pairs]

    def pairs(self, pairs: list[Any], depth: int) -> Any:
        """Tree of what an object has by keys."""
        return self.tree(pairs, depth - 1) if self.ordered == "all" else ("dict", self.entries(pairs, depth))

    def in_order(self, value: Iterable[Any], depth: int) -> list[Any]:
        """Trees of items in an order that does not depend on that of the items; last bits of numbers rarely change
        it."""
        items = list(value)
        kinds = {id(type(item)) for item in items}
        if kinds <= {id(str)} or kinds <= {id(int)}:
            return sorted(items)
        if kinds <= {id(float), id(int), id(bool)}:
            return sorted(items, key=lambda item: (item != item, item if item == item else 0.0, dumps(item, FORMAT)))
        if all(is_plain(item, depth) for item in items):
            return sorted([self.tree(item, depth - 1) for item in items], key=written)
        ordered = sorted(items, key=lambda item: written(self.another().tree(item, depth - 1)))
        return sorted([self.tree(item, depth - 1) for item in ordered], key=written)

    def iterator(self, value: Any, depth: int) -> Any:
        """Items of an iterator, one by one; inner iterators are read before the next item is asked for."""
        self.iterators += 1
        items: list[Any] = []
        end: Any = None
        outer, self.live = self.live, True
        while True:
            try:
                item = next(value)
            except StopIteration as stop:
                if stop.value is not None:
                    end = "returns", self.tree(stop.value, depth - 1)
                break
            except BaseException as error:
                name = self.name_of(type(error))
                self.broken_by = name[1]
                end = "raises", name
                break
            finally:
                if not items and self.iterators == 1 and self.at_first_item:
                    self.at_first_item()
            if len(items) >= self.items:
                self.cut_short, end = True, ("more",)
                break
            items.append(self.tree(item, depth - 1))
        self.live = outer
        return "iterator", sorted(items, key=written) if self.ordered == "none" else items, end

    def standing(self, value: Any, depth: int) -> Any:
        """Position of an iterator, found without asking it for an item."""
        kind = type(value)
        if kind is count or kind is repeat:  # other Pythons do not let these be taken apart
            return "value", repr(value)
        return "standing", self.object(value, depth)

    def object(self, value: Any, depth: int) -> Any:
        """Any other object: what pickle would rebuild it from."""
        kind: Any = type(value)
        if kind is not self.base[0]:
            self.base = kind, librarys_base(kind, self.target)
            if self.base[1] is not kind and not self.private:
                self.own[kind.__qualname__] = kind
        base = self.base[1]
        if base is kind:
            return self.pickled(kind, value, depth)
        opaque = self.opaque
        tree = self.parts(kind, taken_apart(value, base), depth, value, True)
        if self.opaque and not opaque:  # it may leave a lock out of what it tells pickle
            self.opaque = ""
            tree = "pickled", tree, self.pickled(kind, value, depth)
        return tree

    def pickled(self, kind: Any, value: Any, depth: int) -> Any:
        """Tree of an object from its pickle protocol."""
        try:
            parts = kind.__reduce_ex__(value, 2)
        except RecursionError:
            raise
        except Exception:
            return self.give_up(kind)
        return self.name_of(value) if type(parts) is str else self.parts(kind, parts, depth, value, False)

    def parts(self, kind: Any, parts: tuple[Any, ...], depth: int, value: Any, apart: bool) -> Any:
        """An object by what `__reduce_ex__` says, or would say, of it."""
        maker, arguments, state, items, pairs = (tuple(parts) + (None,) * 5)[:5]
        name = made_by = self.name_of(maker)
        if maker is not kind:
            name = self.name_of(kind)
            made_by = name if made_by == ("name", "copyreg.__newobj__") and arguments[0] is kind else made_by
        given = arguments[1:] if arguments and arguments[0] is kind else arguments
        tree = [
            "object", made_by, name, [self.tree(item, depth - 1) for item in given],
            self.tree(list(items), depth - 1) if items is not None else None,
            self.pairs(list(pairs), depth) if pairs is not None else None,
        ]  # fmt: skip
        if type(state) is tuple and len(state) == 2 and type(state[1]) is dict and type(state[0]) in (dict, type(None)):
            state = {**(state[0] or {}), **state[1]}  # what is in slots
        if type(state) is dict:
            return (*tree, ("state", self.named(kind, state, depth, value, apart)))
        return (*tree, self.tree(state, depth - 1) if state is not None else None)

    def named(self, kind: Any, state: dict[Any, Any], depth: int, value: Any, apart: bool) -> Any:
        """Attributes by their names; private ones are put aside, until all that is public is encoded. A lock that is
        held is public: others wait for it."""
        if kind not in self.cached:
            self.cached[kind] = cached_names(kind)
        names = {f"_cached_{name}" if name in self.cached[kind] else str(name): part for name, part in state.items()}
        private = sorted([name for name, part in names.items() if name.startswith("_") and not is_held_lock(part)])
        public = sorted(names.keys() - {*private})
        if private and not self.private:
            self.hidden.append((value, apart, {name: names[name] for name in private}))
            private = []
        return [[name, self.tree(names[name], depth - 1)] for name in (*public, *private)]

    def private_tree(self) -> Any:
        """Tree of all that was put aside, in the order in which it was met; empty where nothing was."""
        trees, self.private = list(self.others), True
        for value, apart, state in self.hidden:
            opaque = self.opaque
            self.names.update(state)
            tree: Any = [[name, self.tree(part, 90)] for name, part in state.items()]
            if self.opaque and not opaque and apart:
                self.opaque = ""
                tree = "pickled", tree, self.pickled(type(value), value, 90)
            trees.append([self.seen.get(id(value), ""), tree])
        self.private = False
        return ("private", trees) if any(trees) else ()

    def whole(self, value: Any) -> bytes:
        """Encoding of a value with what it keeps private."""
        return written([self.tree(value), self.private_tree()])

    def name_of(self, value: Any) -> Any:
        """Qualified name of a class, function or module; what it leads to must be the value."""
        if issubclass(type(value), types.ModuleType):
            return "module", value.__name__
        name = getattr(value, "__qualname__", None)
        module = getattr(value, "__module__", None) or "builtins"
        if type(name) is not str or type(module) is not str:
            return self.give_up(type(value))
        shown = ("" if module == self.target else module) + "." + name
        if find(module, name) is value:
            return "name", name if module == "builtins" else shown
        if issubclass(type(value), type):
            return "local", shown
        return self.give_up(type(value), name)

    def give_up(self, kind: type, why: str = "") -> Any:
        """Give up: there is no tree of this value."""
        self.opaque = self.opaque or (kind.__name__ + (" " + why if why else ""))
        return "opaque", self.opaque


def written(tree: Any) -> bytes:
    """A tree as bytes: the encoding of a value."""
    return dumps(tree, FORMAT)


def is_plain(value: Any, depth: int) -> bool:
    """Whether nothing in it is numbered."""
    kind = type(value)
    if kind is tuple or kind is frozenset:
        return depth > 0 and all(is_plain(item, depth - 1) for item in value)
    return is_simple(kind)


def same(target: str, one: Any, other: Any, surely: bool = False) -> bool:
    """Whether two values have the same encoding, with what they keep private. surely: nothing in them is without
    one."""
    encoders = Encoder(target), Encoder(target)
    left, right = [encoder.whole(value) for encoder, value in zip(encoders, (one, other))]
    return left == right and not (surely and any([encoder.opaque for encoder in encoders]))


# Data of an exception in addition to its text, as code that catches it can read it.
#
# Texts may be worded in another way; numbers, keys and attributes are data. The interpreter's own exceptions say the
# same thing in many ways (`x ** y` and `math.pow` overflow with other arguments).

BY_ITSELF = (ArithmeticError, OSError, UnicodeError, SyntaxError, ImportError, MemoryError, RecursionError)
TEXTS = ("message", "msg", "reason", "detail", "details", "text", "description", "hint")


def exception_trees(encoder: Encoder, error: BaseException) -> tuple[Any, Any]:
    """Trees of an exception's type with what is no text of its arguments and public attributes; and of these texts."""
    kind: Any = type(error)
    name = encoder.name_of(kind)
    if kind.__module__ == "builtins" and issubclass(kind, BY_ITSELF):
        return ("raises", name, []), ()
    given: tuple[Any, ...] = BaseException.args.__get__(error)  # type: ignore[attr-defined]
    named = [("", value) for value in given if type(value) is not str or is_key(kind, value)]
    held: Any = getattr(error, "__dict__", None)
    state: dict[str, Any] = held if type(held) is dict else {}
    for key in sorted(state):
        value = state[key]
        told = type(value) is str and (key in TEXTS or value in given or any(map(str.isspace, value)))
        if not key.startswith("_") and not told:
            named.append((f"{key}=", value))
    parts: list[Any] = []
    for key, value in named:
        inner = encoder.another()
        tree = inner.tree(value)
        if not inner.opaque:
            encoder.floats = encoder.floats or inner.floats
            parts.append([key, tree])
    texts = [value for value in given if type(value) is str and not is_key(kind, value)]
    return ("raises", name, parts), (("=", texts) if texts else ())


def is_key(kind: type, text: str) -> bool:
    """A KeyError's text is the key, unless somebody wrote a sentence."""
    return kind is KeyError and not any(map(str.isspace, text))
