"""Parts of calls that functions make in place of their texts: recipes of large arguments, packed numbers, shared
objects.

`recipe('list', 100000, 1, ('int', 0, 99))` is a list of 100,000 ints between 0 and 99. The same recipe gives equal
values in every process and with every Python. The host builds them as well: what is checked is what is called.

Kinds of items:

    ('int', low, high), ('float', low, high)
    ('str', alphabet, shortest, longest)
    ('one of', values)                       plain values without containers
    ('either', kinds)                        each item of one of these
    ('list', kind, shortest, longest), ('tuple', kind, shortest, longest)
    ('record', kinds)                        a tuple of one item of each
    ('dict', keys, kinds)                    a dict with these keys
"""

from __future__ import annotations

from _random import Random
from marshal import dumps, loads

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Call = tuple[tuple[Any, ...], dict[str, Any]]


RECIPE = "recipe"
"""Name of `built` in the expression of a call."""
SORTED = "sorted"
_53_BITS = 1 << 53


def built(container: str, size: int, seed: int, kind: Any, order: str = "", distinct: bool = False) -> Any:
    """The value of a recipe, a new one each time.

    container: list, tuple, set, frozenset, dict, str or bytes. The kind of a dict is the pair of the kinds of its keys
    and values; that of str or bytes is the kind of the pieces that are joined until there are so many characters.
    order: SORTED, or else as the items are drawn. distinct: no item occurs twice, though there are then fewer where the
    kind has no more.
    """
    draw = Draw(seed)
    if container == "str" or container == "bytes":
        return draw.joined("" if container == "str" else b"", kind, size)
    several = container in ("list", "tuple") and not distinct
    items = (draw.items if several else draw.distinct)(kind[0] if container == "dict" else kind, size)
    if order == SORTED:
        try:  # noqa: SIM105  contextlib, imported here, would change what a program is seen to give
            items = sorted(items)
        except TypeError:  # numbers and texts, of calls that have the one or the other, stay as they are drawn
            pass
    if container == "dict":
        return dict(zip(items, draw.items(kind[1], len(items))))
    makers: dict[str, Callable[[list[Any]], Any]] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
    return makers[container](items)


class Draw:
    """Draws items by kind, many at once."""

    def __init__(self, seed: int) -> None:
        generator = Random()
        generator.seed(seed)  # the constructor of Python 3.8 takes its arguments in another way
        self.random = generator.random

    def items(self, kind: Any, count: int) -> list[Any]:
        makers: dict[str, Callable[..., list[Any]]] = {
            "int": self.whole,
            "float": self.real,
            "str": self.text,
            "one of": self.one_of,
            "either": self.either,
            "list": self.rows,
            "tuple": lambda count, *rest: [*map(tuple, self.rows(count, *rest))],
            "record": self.records,
            "dict": lambda count, keys, kinds: [dict(zip(keys, row)) for row in self.records(count, kinds)],
        }
        return makers[kind[0]](count, *kind[1:])

    def whole(self, count: int, low: int, high: int) -> list[int]:
        random, width = self.random, high - low + 1
        if width < _53_BITS:
            return [low + int(random() * width) for _ in range(count)]
        return [low + (int(random() * _53_BITS) * width >> 53) for _ in range(count)]

    def real(self, count: int, low: float, high: float) -> list[float]:
        random, width = self.random, high - low
        return [low + random() * width for _ in range(count)]

    def text(self, count: int, alphabet: str, shortest: int, longest: int) -> list[str]:
        """Texts of such lengths."""
        lengths = self.whole(count, shortest, longest)
        return parts("".join(self.one_of(sum(lengths), alphabet)), lengths)

    def one_of(self, count: int, values: Any) -> list[Any]:
        """Some of the values, each as likely as another."""
        random, width = self.random, len(values)
        return [values[int(random() * width)] for _ in range(count)] if width > 1 else [*values] * count

    def either(self, count: int, kinds: Any) -> list[Any]:
        """Items of some kinds, mixed."""
        columns = [self.items(kind, count) for kind in kinds]
        return [column[at] for at, column in enumerate(self.one_of(count, columns))]

    def rows(self, count: int, kind: Any, shortest: int, longest: int) -> list[list[Any]]:
        """Lists of such lengths."""
        lengths = self.whole(count, shortest, longest)
        return parts(self.items(kind, sum(lengths)), lengths)

    def records(self, count: int, kinds: Any) -> list[tuple[Any, ...]]:
        """Tuples with an item of each kind."""
        return [*zip(*[self.items(kind, count) for kind in kinds])]

    def distinct(self, kind: Any, count: int) -> list[Any]:
        """Items of which none is equal to another; fewer where the kind has no more."""
        found: dict[Any, None] = {}
        # number of times that items are drawn until there are enough distinct ones
        for _ in range(8):
            found.update(dict.fromkeys(self.items(kind, count)))
            if len(found) >= count:
                break
        return [*found][:count]

    def joined(self, empty: Any, kind: Any, size: int) -> Any:
        """Pieces one after another, whole ones, until there are so many characters."""
        found = empty
        while len(found) < size:
            one = self.items(kind, 1)[0]
            found += one + empty.join(self.items(kind, (size - len(found)) // max(1, len(one)) - 1))
        return found


def parts(values: Any, lengths: list[int]) -> list[Any]:
    """Values cut into parts of such lengths."""
    found, at = [], 0
    for length in lengths:
        found.append(values[at : at + length])
        at += length
    return found


# Calls that a function makes in the place of their texts: those of long calls of numbers take twenty times as long to
# compile as to read, recipes of large arguments as long to build, and those of deep values no parser reads.

UNPACKED = "unpacked"
"""Name of the function by which the expression of a packed call makes it."""
DEEPENED = "deepened"
"""Name of the function by which an expression makes a nested value: no parser reads so many brackets."""


def with_packed_recipes(text: str) -> Any:
    """Tree of a call in which a packed value represents each recipe: to build that takes many times as long as to read
    it. Recipes of bytes stay: what is packed is taken for a value without any (plain_arguments.py)."""
    import ast

    class Packed(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            if not isinstance(node.func, ast.Name) or node.func.id != RECIPE:
                return self.generic_visit(node)
            given = [ast.literal_eval(each) for each in node.args]
            constants = (each.value for each in ast.walk(node) if isinstance(each, ast.Constant))
            if given[0] == "bytes" or any(type(each) is bytes for each in constants):
                return node
            packed = ast.Constant(dumps(built(*given)), None)
            return ast.Call(ast.Name(UNPACKED, ast.Load()), [packed], [])

    return ast.fix_missing_locations(Packed().visit(ast.parse(text, mode="eval")))


def unpacked(packed: bytes) -> Any:
    """A fresh copy of a packed call or argument."""
    return loads(packed)


def deepened(level: Callable[[Any], Any], value: Any, times: int) -> Any:
    """A value with levels of containers around it."""
    for _ in range(times):
        value = level(value)
    return value


# Objects that several calls are made with, as one object: those that are written the same way are made once.


def with_one_object(call: str) -> str:
    """A call in which `same('...')` represents each object that a constructor's call makes, as it is written."""
    if "load(" not in call:
        return call
    import ast

    try:
        tree = ast.parse(call, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return call
    data = call.encode()
    parts, end = [], 0
    for node in outermost(ast, tree.body):
        parts += [
            data[end : node.col_offset],
            b"same(%b)" % repr(data[node.col_offset : node.end_col_offset].decode()).encode(),
        ]
        end = node.end_col_offset
    return b"".join([*parts, data[end:]]).decode()


def outermost(ast: Any, node: Any) -> list[Any]:
    """Constructor calls that are not inside of another one, from left to right."""
    if isinstance(node, ast.Call) and makes_an_object(ast, node.func):
        return [node]
    found = [each for child in ast.iter_child_nodes(node) for each in outermost(ast, child)]
    return sorted(found, key=lambda each: each.col_offset)  # a dictionary's keys come before its values


def makes_an_object(ast: Any, maker: Any) -> bool:
    """Whether what is called is a class, as `load('m', 'C')`, or what calls methods of an object, `used`."""
    loaded = isinstance(maker, ast.Call) and isinstance(maker.func, ast.Name) and maker.func.id == "load"
    return loaded or (isinstance(maker, ast.Name) and maker.id == "used")
