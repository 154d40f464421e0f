"""Each rule makes the same of the same programs, hot or not, and leaves others for the same reasons.
`python -m tests.codeopt.rules.test_same_rewrites` rewrites the table."""
# looks at codeopt/rules, codeopt/analysis, codeopt/proposers/rules

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.rules.rule_programs import PATTERNS, program
from codeopt.analysis import parse
from codeopt.core.revision import Revision
from codeopt.proposers.rules import stack
from codeopt.rules import Hot, HotFiles, all_rules, explain, load_rule
from tests.support.recorded import Row, compared_with, write_down

TABLE = Path(__file__).with_name("same_rewrites.txt")
RULES = [rule.name for rule in all_rules()]
PROBLEMS = [path.read_text() for path in sorted(Path(__file__).parents[3].glob("problems/*/slow.py"))]
EXAMPLES = [load_rule(name).example.before for name in RULES]


def made(name: str, count: int) -> Iterator[str]:
    """Programs around the pattern of a rule that are Python."""
    chance = random.Random(f"{name} recorded")
    for _ in range(count if name in PATTERNS else 0):
        text = program(chance, name)
        if parse(text) is not None:
            yield text


def rewritten(name: str) -> Iterator[object]:
    rule = load_rule(name)
    yield rule.safety, rule.scripts_only
    for text in (*made(name, 40), *PROBLEMS, *EXAMPLES):
        yield rule.rewrite(text, Hot())
    for text in (*made(name, 6), *EXAMPLES[:12]):
        whole = parse(text)
        assert whole is not None
        found = explain(rule, whole, Hot())
        yield sorted(found.lines), sorted((str(why), sorted(lines)) for why, lines in found.refused.items())
        lines = text.count("\n") + 1
        yield rule.rewrite(text, Hot(frozenset(range(1, lines // 2))))


def together() -> Iterator[object]:
    rules = tuple(all_rules())
    for text in PROBLEMS:
        yield stack(Revision.of(text), HotFiles(), rules)[0].text


CALLS = """\
import bisect, collections, heapq, itertools, random
rows, more, words, table = [3, 1], [[1], [2]], "a b c".split(" ", 1), {"k": [1], 2: ()}
seen, last, late = {1, 2}, collections.deque([1], 3), collections.defaultdict(list)
rows.append(4); rows.insert(0, 5); rows.sort(key=lambda row: -row); rows.sort(reverse=True); rows.extend(range(*rows))
more.append(rows); more[0].append(1.5); words.append(*words); seen.add(2.5); last.appendleft("x"); late["a"].append(1)
text, other = "{} {n}".format(1, n=2), "a,b".split(sep=","); code = text.encode(); back = code.decode()
first, popped, item = rows.pop(), table.pop("k", None), last.popleft(); pair = table.popitem()
copied, counted, found = rows.copy(), collections.Counter(words), bisect.bisect_left(rows, 2)
table.update(a=[7]); table.setdefault("z", []).append(8); heapq.heappush(rows, 9); rows += [6]; seen |= {"s"}
pairs = [(a, b) for a, b in zip(rows, words)]; kept = dict(pairs); largest = max(rows, key=abs); total = sum(rows, 0.5)
def helper(a, *rest, b=3, **named):
    named["x"] = a
    return [a, b, *rest]
made, chosen = helper(1, 2, b="t"), random.choice(rows)
def outer(n):
    global total
    total = n if n > 2 else n / 2
    return map(helper, itertools.count(n)), (x for x in more), not n, -n, n ** 2, n < 3 and text
class Box:
    def __eq__(self, other): return True
    def put(self, value): self.value = value; return self
box = Box().put(rows); same = box == Box(); given = outer(3); print(*given, sep=text, end="")
for at, row in enumerate(sorted(more)): row.clear(); del table[at]
"""


def kind(value: object) -> str:
    return str(getattr(value, "kind", value if isinstance(value, str) else type(value).__name__))


def named(value: object) -> tuple[object, ...]:
    """A value that an expression may have, by its kind and what it holds."""
    return kind(value), sorted(map(kind, getattr(value, "elements", ()))), getattr(value, "escaped", "")


def facts() -> Iterator[object]:
    """What may be known of each expression and statement of a program."""
    begin, *more = ast.parse(CALLS).body
    first, rest = more[:2], more[2:]
    alone = [ast.unparse(ast.Module([begin, *first, each], [])) for each in rest]
    for text, exported in ((CALLS, True), *((text, False) for text in (CALLS, *alone, *PROBLEMS[:6], *EXAMPLES))):
        program = parse(text, exported=exported)
        for node in ast.walk(program.tree) if program else ():
            if isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), ast.Store):
                yield node.lineno, node.col_offset, sorted(map(str, map(named, program.types.of(node))))
                asked = (
                    program.types.is_int,
                    program.types.is_scalar,
                    program.types.is_hashable,
                    program.types.is_sized,
                )
                yield [ask(node) for ask in (*asked, program.purity.is_plain, program.purity.is_cheap)]
            elif isinstance(node, ast.stmt):
                found = program.effects.of(node)
                sizes = [len(getattr(found, name)) for name in ("stored", "changed", "resized", "called")]
                yield node.lineno, sizes, found.unknown, found.objects, found.io


ROWS: dict[str, Row] = (
    {"facts": facts} | {name: partial(rewritten, name) for name in RULES} | {"all rules together": together}
)


test_the_same_is_made, test_the_table_has_these_rows = compared_with(TABLE, ROWS)


if __name__ == "__main__":
    write_down(TABLE, ROWS)
