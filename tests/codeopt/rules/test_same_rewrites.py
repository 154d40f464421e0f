"""Each rule makes the same of the same programs, hot or not, and leaves others for the same reasons.
`python -m tests.codeopt.rules.test_same_rewrites` rewrites the table."""
# looks at codeopt/rules, codeopt/analysis, codeopt/proposers/rules

from __future__ import annotations

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


ROWS: dict[str, Row] = {name: partial(rewritten, name) for name in RULES} | {"all rules together": together}


test_the_same_is_made, test_the_table_has_these_rows = compared_with(TABLE, ROWS)


if __name__ == "__main__":
    write_down(TABLE, ROWS)
