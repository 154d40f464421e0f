"""Trees as text for people: their beginning, on one line."""

from __future__ import annotations

from .structure import modules, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

LIMIT = 200
"""Characters that are shown."""


class Full(Exception):
    """There is enough."""


class TreeWriter:
    """The text of a tree, up to a limit."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.left = LIMIT

    def add(self, text: str) -> None:
        """Write more. Raises Full."""
        self.parts.append(text[: self.left])
        self.left -= len(text)
        if self.left < 0:
            raise Full

    def all(self, *parts: Any) -> None:
        """Texts as they are; trees in tuples or lists of one."""
        for part in parts:
            if type(part) is str:
                self.add(part)
            else:
                self.tree(part[0])

    def tree(self, tree: Any) -> None:
        if type(tree) is list:
            self.items("[", "]", tree)
        elif type(tree) is not tuple or not tree or type(tree[0]) is not str:
            self.simple(tree)
        elif tree[0] in WRITERS:
            WRITERS[tree[0]](self, *tree[1:])
        else:
            self.items(f"{tree[0]}(", ")", [part for part in tree[1:] if part is not None])

    def simple(self, value: Any) -> None:
        """A number, a text or None; a long text by its beginning."""
        kind = type(value)
        if (kind is str or kind is bytes) and len(value) > self.left:
            self.add(repr(value[: self.left + 1]))
        else:
            self.add(number(value) if kind is int else repr(value))

    def plain(self, value: Any) -> None:
        """Lists, tuples and dictionaries of plain values."""
        kind = type(value)
        if kind is dict:
            self.add("{")
            for at, (key, item) in enumerate(value.items()):
                self.add(", " * bool(at))
                self.plain(key)
                self.add(": ")
                self.plain(item)
            self.add("}")
        elif kind is list or kind is tuple:
            self.add("[" if kind is list else "(")
            self.separated(value, self.plain)
            self.add("]" if kind is list else ",)" if len(value) == 1 else ")")
        else:
            self.simple(value)

    def separated(self, items: Iterable[Any], write: Any) -> None:
        for at, item in enumerate(items):
            if at:
                self.add(", ")
            write(item)

    def items(self, begin: str, end: str, trees: Any) -> None:
        """Trees between brackets."""
        self.add(begin)
        self.separated(trees, self.tree)
        self.add(end)

    def pairs(self, pairs: Any) -> None:
        self.add("{")
        self.separated(pairs, lambda pair: self.all([pair[0]], ": ", [pair[1]]))
        self.add("}")

    def named(self, pairs: Any) -> None:
        self.add("{")
        self.separated(pairs, lambda pair: self.all(f"{pair[0]}=", [pair[1]]))
        self.add("}")

    def iterator(self, items: Any = (), end: Any = None) -> None:
        self.items("<iterator of ", "", items)
        if end is not None:
            self.all(" and more" if end[0] == "more" else f" then {end[0]} ")
            if len(end) > 1:
                self.tree(end[1])
        self.add(">")

    def object(self, made_by: Any, name: Any, given: Any, items: Any, pairs: Any, state: Any) -> None:
        self.tree(made_by)
        if made_by != name:
            self.tree(name)
        self.items("(", ")", given)
        for word, part in ((" items", items), (" pairs", pairs)):
            if part is not None:
                self.all(word, [part])
        if type(state) is tuple and state[0] == "state":
            if state[1]:
                self.add(" ")
                self.named(state[1])
        elif state is not None:
            self.all(" ", [state])

    def array(self, kind: str, shape: Any, data: bytes) -> None:
        """The first items of an array."""
        self.add(f"array({kind!r}, {shape!r}, ")
        try:
            numpy: Any = modules["numpy"]
            count = 1
            for size in shape:
                count *= size
            few = min(count, 100)
            items = numpy.frombuffer(data[: few * len(data) // max(1, count)], numpy.dtype(kind))
            self.plain((items.reshape(shape) if few == count else items).tolist())
        except (ValueError, TypeError, KeyError):
            self.add(f"{len(data)} bytes")
        self.add(")")

    def ndarray(self, tree: Any, writeable: bool, owner: str) -> None:
        """An array with whose memory it is."""
        self.all([tree], "" if writeable else " read-only", f" in the memory of {owner}" if owner else "")

    def handle(self, kind: str, *parts: Any) -> None:
        """A lock and the like: `<lock, held>`, `<Condition <RLock, free>, 0>`."""
        self.add(f"<{kind}")
        for part in parts:
            self.add(" " if type(part) is tuple else ", ")
            self.all(part if type(part) is str else [part])
        self.add(">")

    def exception(self, name: Any, parts: Any) -> None:
        """An exception's type and data."""
        self.add(name[1])
        if parts:
            self.add("(")
            self.separated(parts, lambda part: self.all(part[0], [part[1]]))
            self.add(")")

    def private(self, objects: Any) -> None:
        """Private attributes of several objects."""
        for at, each in enumerate([each for each in objects if each]):
            self.add("; " * bool(at))
            if type(each) is tuple:
                self.tree(each)
            else:
                self.named(each[1][1] if type(each[1]) is tuple else each[1])


WRITERS: dict[str, Any] = {
    "=": TreeWriter.plain,
    "list": lambda shown, items: shown.items("[", "]", items),
    "tuple": lambda shown, items: shown.items("(", ",)" if len(items) == 1 else ")", items),
    "set": lambda shown, items: shown.items("set{", "}", items),
    "frozenset": lambda shown, items: shown.items("frozenset{", "}", items),
    "dict": TreeWriter.pairs,
    "bytearray": lambda shown, data: shown.all("bytearray(", [data], ")"),
    "value": lambda shown, text: shown.add(text),
    "enum": lambda shown, name, value: shown.all([name], "(", [value], ")"),
    "same": lambda shown, path: shown.add(f"<the same object as {path}>"),
    "name": lambda shown, name: shown.add(f"<{name}>"),
    "module": lambda shown, name: shown.add(f"<module {name}>"),
    "local": lambda shown, name: shown.add(f"<local {name}>"),
    "opaque": lambda shown, kind: shown.add(f"<not comparable: {kind}>"),
    "iterator": TreeWriter.iterator,
    "standing": lambda shown, tree: shown.all("<iterator ", [tree], ">"),
    "pickled": lambda shown, tree, other: shown.all([tree], " pickled ", [other]),
    "object": TreeWriter.object,
    "state": TreeWriter.named,
    "array": TreeWriter.array,
    "objects": lambda shown, kind, shape, tree: shown.all(f"array({kind!r}, {shape!r}, ", [tree], ")"),
    "ndarray": TreeWriter.ndarray,
    # values before labels: a line has room for 200 characters, and labels differ seldom
    "DataFrame": lambda shown, columns, index, data, more: (
        shown.all("DataFrame(", [data], ", ", [columns], ", ", [index]),
        shown.items("", ")", [more] if more else []),
    ),
    "scalar": lambda shown, kind, item: shown.all(f"numpy {kind} ", [item]),
    "handle": TreeWriter.handle,
    "code": lambda shown: shown.add("<code>"),
    "arguments": lambda shown, args, kwargs: (shown.items("(", "; ", args), shown.items("", ")", kwargs)),
    "receiver": lambda shown, tree: shown.all("generator to send to ", [tree]),
    "raises": TreeWriter.exception,
    "private": TreeWriter.private,
}


def shown_text(tree: Any) -> str:
    shown = TreeWriter()
    try:
        shown.tree(tree)
    except Full:
        return "".join(shown.parts) + "..."
    return "".join(shown.parts)
