"""The same is made of one function of a module: rules that are kept to it, drafts that are put into it, what is read of
its docstring and its code. `python -m tests.codeopt.workloads.function.test_same_function` writes the table."""
# looks at codeopt/workloads/function/view, codeopt/workloads/contract/function_text, codeopt/workloads/source/names
# looks at codeopt/workloads/contract/seen, codeopt/workloads/source/excerpt

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from codeopt.core.history import Draft, History
from codeopt.core.revision import Revision
from codeopt.rules import Hot, all_rules
from codeopt.workloads.contract.function_text import relied_on, stated_bounds
from codeopt.workloads.contract.seen import seen
from codeopt.workloads.function.view import FunctionProposer, function_rules
from codeopt.workloads.source import names
from codeopt.workloads.source.excerpt import shown
from codeopt_sandbox.profile import HotFunction, HotLine
from tests.support.candidates import original, profile, right
from tests.support.files import write_files
from tests.support.recorded import Row, compared_with, write_down

TABLE = Path(__file__).with_name("same_function.txt")
MODULE = """\
def common(a, b):
    out = []
    for x in a:
        if x in b:
            out.append(x)
    return out


def least(values, best):
    for value in values:
        best = min(best, value)
    return best


class Rows:
    def total(self, rows, more=()):
        found = 0
        for row in rows:
            found += max(len(rows), row) + max(rows)
        return found


if __name__ == "__main__":
    print(common([1, 2], [2, 3]), least([1, 2], 3))
"""
SHOWN = (("a", "list[int]"), ("b", "list[int]"), ("values", "list[int]"), ("rows", "list[int]"))


def rules() -> Iterator[object]:
    """The same module with one function rewritten: by what is sure, and by the types that calls show."""
    for qualname in ("common", "least", "Rows.total", "gone"):
        for types in ((), SHOWN):
            for rule in function_rules(all_rules(), qualname, types):
                yield rule.name, rule.safety, rule.qualname, rule.shown  # type: ignore[attr-defined]
                for hot in (Hot(), Hot((3, 11)), Hot((4, 18))):
                    yield rule.rewrite(MODULE, hot)
                    program, lines = rule.reading(MODULE, hot)
                    yield program is not None, lines


BOOK = "LIMIT = 3\n\n\nclass Book:\n    def total(self):\n        return sum(self.rows)\n"
TOTAL = "    def total(self):\n        return {}\n"
ANSWERS = (
    f"class Book:\n    __slots__ = ('rows',)\n{TOTAL.format('0')}",
    f"LIMIT = 4\n\nclass Book:\n{TOTAL.format('LIMIT')}",
    f"TEXT = '''a\n    \nb'''\n\nclass Book:\n{TOTAL.format('TEXT')}", f"FEW = 4\n\nclass Book:\n{TOTAL.format('FEW')}",
    f"LIMIT = 3\n\nclass Book:\n    'Text.'\n{TOTAL.format('1')}\nif __name__ == '__main__':\n    main()\n",
    TOTAL.format("9"), "def other():\n    pass\n", "def (",
    "import re\nprint(re)\n" + TOTAL.format("re").replace("    ", "", 1),
)  # fmt: skip


def drafts() -> Iterator[object]:
    """What of an answer is put into the module, and what of it is named as not taken."""
    proposer = FunctionProposer(None, "Book.total")  # type: ignore[arg-type]
    for answer in ANSWERS:
        for problem in ("", "no code"):
            found = proposer.whole(Draft(Revision.of(answer), "less", problem=problem), Revision.of(BOOK))
            yield found.source, found.notes, bool(found.problem)


QUICKER = MODULE.replace("    out = []\n", "    out = helper(a)\n").replace(
    "def least", "def helper(a):\n    return LIMIT\n\n\ndef least"
)


def excerpts() -> Iterator[object]:
    """What a proposer sees of the module in each round, with the lines of its profile as they are there."""
    lines = tuple(HotLine(line, 0.1, 1, 0.1, "") for line in range(1, 30))
    functions = tuple(HotFunction(name, 1, share, 9) for name, share in (("least", 0.5), ("Rows.total", 0.01)))
    for found in (None, replace(profile(), functions=()), replace(profile(), lines=lines, functions=functions)):
        for qualname in ("common", "Rows.total", "gone"):
            first = replace(original(MODULE), profile=found)
            drafts = (right(1, QUICKER), replace(right(2, MODULE), profile=found), right(3, "def ("))
            for each in shown(History((first, *drafts)), qualname).candidates:
                yield each.source, each.profile and (each.profile.lines, each.profile.functions)


DOCSTRINGS = (
    "n must be positive.", "`n` must be a non-negative integer.", "1 <= n <= 10**5 and -3 < k < 2.5",
    "n is from 0 to 99.",
    ":param n: between 1 and 12\n:param k: shorter than items", "items is sorted; k is less than the length of items",
    "items: a sorted list, each once", "The distinct list items.", "n should be greater than 3; k at least 2.",
    "n > 0 or k >= 1",
    "0 < len(items) < 100", "- items must be ascending\n- 1 <= len(other) <= 9", ">>> f(3)\nn <= 3\n\nn <= 4",
    "n has to be positive if k",
)  # fmt: skip
BODIES = (
    "return items[k] + other[k]", "for a in items:\n        yield other[a], items[n][k]",
    "return bisect.bisect(items, k), zip(items, other)",
    "for i in range(n):\n        row = items[i]\n        yield row[k], other[i]",
    "return [items[x] for x in other], items[1:k]",
    "return [row[0] for row in items for i in xrange(n + k)]",
    "return items[n - 1][k], heapq.heappop(other), items[k + n]",
)  # fmt: skip
VALUES = (0, 1, -1, 2.5, 100, 10**6, "abc", "", [1, 2], [0], [200, -3], (1, 2.5), [], None, {"a": 1}, [1, "x"], b"ab",
          [*range(200)])  # fmt: skip


def texts() -> Iterator[object]:
    """What the docstring and the code of a function say of its arguments."""
    for docstring in DOCSTRINGS:
        node = ast.parse(f"def f(n, k=1, items=None, *, other=()):\n    {docstring!r}\n").body[0]
        assert isinstance(node, ast.FunctionDef)
        yield relied_on(node)
        for bound in stated_bounds(node):
            yield bound, bound.words, [bound.allows(value) for value in VALUES], bound.breaks("n", -1)
            yield [bound.nearest(value) for value in VALUES if bound.allows(value) is False]
    for body in BODIES:
        node = ast.parse(f"def f(n, k, items, other):\n    {body}\n").body[0]
        assert isinstance(node, ast.FunctionDef)
        found = relied_on(node)
        yield found.indices, sorted(found.ordered), sorted(found.stated), found.equal, found.tables, found.counts


CLASSES = {
    "one.py": """\
from __future__ import annotations
import dataclasses, enum, typing
from typing import TYPE_CHECKING
import pack.deep as deeper
from pack import Base as Root
from . import pack
if TYPE_CHECKING:
    from pack.deep import Deep
try:
    import attrs
except ImportError:
    attrs = None
    class Late: pass

class Color(enum.Enum):
    RED = 1
    GREEN = 2
    _own = 3

@dataclasses.dataclass(kw_only=True)
class Point(Root[int]):
    KIND: typing.ClassVar[int] = 3
    x: int
    y: int = 0
    z: list = dataclasses.field(default_factory=list)
    w: int = dataclasses.field(init=False)
    _: dataclasses.KW_ONLY
    last: "Deep" = None
    class Inner(Color): pass

class Row(typing.TypedDict): a: int
class Pair(typing.NamedTuple):
    a: int
    b: str = ""
class Shape(typing.Protocol):
    def area(self): ...
class Square(Shape):
    def __init__(self, side, /, name="s", *more, scale: float = 1.0, unit): self.side = side
    def area(self): return self.side
    def grow(self, by): self.side += by
    def put(self, item): self.items.append(item)
    def _own(self, item): self.item = item
    def look(self): return self.side
    @property
    def half(self): return 1
    @half.setter
    def half(self, value: int): self.side = value
class Cube(Square, deeper.Deep): pass
Alias = typing.Optional[Point]
from circle import Lost
class One(Three): pass
class Two(One): pass
class Three(Two, One): pass
class Self(Self): pass
""",
    "pack/__init__.py": "from .deep import Deep\nclass Base:\n    def __init__(self, n: int = 1): self.n = n\n",
    "circle.py": "from back import Lost\n", "back.py": "from circle import Lost\n",
    "pack/deep.py": "from . import Base\nclass Deep(Base):\n    size: int = 3\nNAME = 'x'\n",
}  # fmt: skip
LOOKED_UP = """Color Point Point.Inner Row Late Root Deep deeper.Deep deeper.NAME pack.Base
pack.deep.Deep Alias attrs nothing Point.none Lost"""


def classes() -> Iterator[object]:
    """What names stand for in a project, and how objects of its classes are made."""
    with TemporaryDirectory() as folder:
        write_files(Path(folder), CLASSES)
        scope = names.scopes_below([Path(folder)])("one")
        assert scope is not None
        for name in LOOKED_UP.split():
            found = scope.look_up(name)
            yield name, found and (found[0].module, ast.unparse(found[1])[:40])
        for qualname, node in scope.classes.items():
            kind, given = names.parameters(scope, node)
            yield qualname, scope.qualified(node), kind, names.members(scope, node), names.base_names(node)
            for each in given:
                hint, default = (part and ast.unparse(part) for part in (each.hint, each.default))
                yield each.name, hint, default, each.named, each.positional_only, each.scope.module, each.scope.owner
            yield [each.name for each in names.methods(node)], [each.name for each in names.setters(node)]
            yield (
                [each.name for each in scope.heirs(node)],
                [(home.module, each.name) for home, each in scope.bases(node)],
            )
            others = names.stand_ins(scope, node)
            yield others and [each.name for each in others]


KNOWN = (
    [1, 2, 3], [0.5, 2.0], ["a", "b1", ""], [[1, 2], [3]], [{"id": 1, "tags": ["a"]}, {"id": 2, "tags": []}],
    [(1, "a"), (2, "b")],
    [None, 1], [True, False], [b"x"], [{1, 2}, {3}], [{"a": [1]}, {"b": [2, 3]}], ["01", "10", "1100", "0"],
    [10**18, 5], [], [[], []],
    [[[1]], [[2], [3, 4]]], [1j], [{"k": None}, {"k": 1}], ["a/b", "c"], ["é", "x"], [float("inf"), 1.0],
)  # fmt: skip


def kinds() -> Iterator[object]:
    """What known values have in common, and what each other value lacks of it."""
    for some in KNOWN:
        found = seen(some)
        for others in KNOWN:
            for value in (*others, others):
                yield found.missing(value), [each.words for each in found.breaks(value)]


ROWS: dict[str, Row] = {
    "rules": rules,
    "drafts": drafts,
    "excerpts": excerpts,
    "texts": texts,
    "classes": classes,
    "kinds": kinds,
}
test_the_same_is_made, test_the_table_has_these_rows = compared_with(TABLE, ROWS)


if __name__ == "__main__":
    write_down(TABLE, ROWS)
