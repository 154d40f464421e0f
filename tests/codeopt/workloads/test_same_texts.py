"""The same is read from the same texts, and the same is put into them: functions, excerpts, edits, answers, commands,
protected files, profiles. `python -m tests.codeopt.workloads.test_same_texts` rewrites the table."""
# looks at codeopt/workloads/source, codeopt/workloads/project

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

from codeopt.core.revision import Revision
from codeopt.report.stacks import Frame
from codeopt.workloads.project.briefing import brief
from codeopt.workloads.project.command import read_command
from codeopt.workloads.project.command_probes import larger_commands, mutated_commands, smaller_commands
from codeopt.workloads.project.edit_gains import edit_groups
from codeopt.workloads.project.excerpts import ROOM, SourcePage, diff, named_places
from codeopt.workloads.project.impact import ImportedNames, callers_of, impact_of, text_names
from codeopt.workloads.project.masks import given_masks, learn
from codeopt.workloads.project.page import command_page, next_step, profile_text
from codeopt.workloads.project.profile import (
    CalledBy,
    GivenArgument,
    ProjectProfile,
    QueryLine,
    Sample,
    WaitLine,
    given_back,
    make_profile,
    with_sampled_lines,
)
from codeopt.workloads.project.project_program import entry_files, find_protected_files
from codeopt.workloads.project.proposer import apply_answer, now_unused
from codeopt.workloads.source.edits import (
    CodeEdit,
    added,
    bound_in,
    commented,
    edits_of,
    functions_of,
    replaced,
    span_of,
    with_constant,
    with_definition,
    with_import,
    without,
)
from codeopt.workloads.source.excerpt import excerpt
from codeopt.workloads.source.functions import ModuleFunctions, SpliceError
from codeopt.workloads.source.module_graph import ModuleGraph
from codeopt.workloads.source.names import imported_names, settings, subclasses
from codeopt.workloads.source.splice import splice
from tests.support.candidates import run
from tests.support.recorded import Row, compared_with, numbers_of, write_down

TABLE = Path(__file__).with_name("same_texts.txt")
ROOT = Path(__file__).parents[3]
PAIRS = {
    path.parent.name: (path.read_text(), path.with_name("fast.py").read_text())
    for path in sorted(ROOT.glob("problems/*/slow.py"))
}
OLD = '''\
#!/usr/bin/env python
"""A module."""
from __future__ import annotations

import os
from collections import deque

LIMIT, _HIDDEN = 3, 4
NAMES: list[str] = ["a", "b"]


class Base:
    kind = "base"

    def size(self):
        return LIMIT


@total
class Store(Base):
    """Things."""

    rows: list[int]

    def __init__(self, rows):
        self.rows = rows

    @property
    def first(self):
        return self.rows[0]

    @first.setter
    def first(self, value):
        self.rows[0] = value

    def find(self, name):
        return [row for row in self.rows if helper(row) == name]

    def size(self):
        return len(self.rows)


def helper(row):
    """Long.

    Text.
    """
    global _HIDDEN
    _HIDDEN = row
    return inner(row) + LIMIT


def inner(row, *, most=5):
    def nested():
        return row
    return nested() % most


async def later(store: Store):
    return store.find(NAMES[0])


@overload
def shown(x: int) -> int: ...
def shown(x):
    return x


if __name__ == "__main__":
    print(Store([1, 2]).find(3))
'''
NEW = OLD.replace("from collections import deque", "from collections import Counter, deque\nimport math").replace(
    "    def find(self, name):\n        return [row for row in self.rows if helper(row) == name]\n",
    "    def find(self, name):\n        return self._index(name)\n\n    def _index(self, name):\n        return Counter(map(helper, self.rows))[name] * SCALE\n",
).replace("LIMIT, _HIDDEN = 3, 4", "LIMIT, _HIDDEN = 3, 4\nSCALE = math.pi").replace("    return x\n", "    return +x\n").replace("most=5", "most=6")  # fmt: skip
PROJECT = {
    "shop/__init__.py": "", "shop/store.py": OLD, "shop/report.py": "from shop.store import Store\n\n\ndef report(n):\n    return Store(range(n)).find(1)\n",
    "bench.py": "import argparse\nfrom shop.report import report\nSIZE, SEED = 300, 7\nprint(report(SIZE), open('data/rows.csv').read())\n",
    "tests/test_store.py": "from helpers import made\nfrom shop.store import Store\n\ndef test_it():\n    assert Store(made()).size()\n",
    "tests/helpers.py": "def made():\n    return [1]\n", "tests/conftest.py": "", "data/rows.csv": "id,price\n1,2.5\n2,3.5\n", "setup.cfg": "[metadata]\n",
    "Makefile": "bench:\n\tpython bench.py data/rows.csv\n", "pyproject.toml": "[project]\nname = 'shop'\n", "config.toml": "size = 3\n",
}  # fmt: skip
FILES = {path: text.encode() for path, text in PROJECT.items()}
COMMANDS = ("python bench.py --size 200 --rate=0.5 -v", "SIZE=40 python -m shop.report 12 data/rows.csv", "python -c 'from shop.report import report; report(900)'",
            "python bench.py", "python -m pytest tests -q", "A=1 B=x python tests/test_store.py 3 4 5 --top 10 a-7.csv")  # fmt: skip


def read(text: str) -> Iterator[object]:
    found = ModuleFunctions(Path("m.py"), text, ast.parse(text))
    for each in found.usable():
        yield replace(each, source="")
        yield settings(each), each.name
        yield span_of(text, each.qualname)
        for hot in (None, frozenset(), frozenset({"helper", each.qualname})):
            yield excerpt(text, each.qualname, hot)
        yield excerpt(text, each.qualname, frozenset(), frozenset({"inner", "LIMIT"}))
    yield from functions_of(text).items()
    yield subclasses(text), imported_names(text)


def changed(old: str, new: str) -> Iterator[object]:
    before, after = Revision({"m.py": old, "n.py": "x = 1\n"}), Revision({"m.py": new, "n.py": "x = 2\n"})
    edits = edits_of(before, after)
    yield edits, edit_groups(before, after), sorted(after.changed_files(before))
    for each in edits:
        yield without(before, after, each)["m.py"]
    yield commented(after, edits)["m.py"]
    for name in functions_of(new):
        try:
            yield splice(old, name, new)
        except SpliceError as error:
            yield str(error)
    for node in ast.parse(new).body:
        text = ast.unparse(node)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield with_definition(old, text, node)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield with_import(old, text, node), bound_in(old, node)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            yield with_constant(old, text, node), bound_in(old, node)
    yield added(old, "more", "def more():\n    pass"), replaced(old, (2, 3), "x = 1")
    yield re.sub(r"(\[\.\.\. \d+ )[a-z ]+?( \.\.\.\])", r"\1\2", diff(before, after))


def commands() -> Iterator[object]:
    for text in COMMANDS:
        command = read_command(text, Path("/p"))
        yield command, command.line, command.given(command.line), entry_files(command, FILES)
        for seed in (1, 2):
            yield from islice(mutated_commands(command, FILES, seed), 25)
        yield from mutated_commands(command, FILES, 1, ["bench.py", "data/rows.csv"])
        yield from larger_commands(command, FILES)
        yield from smaller_commands(command, FILES)
        yield from (each.case(f"c{at}") for at, each in enumerate(islice(larger_commands(command, FILES), 2)))
        yield find_protected_files(command, FILES).to_json(), find_protected_files(command, FILES, ["data"]).files


HAS = {
    "report": frozenset({"is 1", "has own"}),
    "ROWS": frozenset({"holds a", "holds b"}),
    "_own": frozenset({"holds c"}),
}
HAD = {"report": frozenset({"is 1"}), "ROWS": frozenset({"holds b"}), "_own": frozenset(), "new": frozenset({"is 2"})}


def graph() -> Iterator[object]:
    found = ModuleGraph(FILES)
    yield sorted(found.with_text(b"shop")), sorted(found.named_by(["bench.py", "Makefile"]))
    yield sorted(found.named_texts("bench.py"))
    yield sorted(found.helpers_of({"tests/test_store.py"}, ""))
    yield sorted(found.helpers_of({"tests/test_store.py"}, "import helpers"))
    original = Revision(PROJECT)
    for edit in edits_of(original, original.with_file("shop/store.py", NEW)):
        yield edit, callers_of(edit, original, "bench.py", ["tests/test_store.py"])
    many = "".join(f"def f{n}():\n    return helper({n})\n" for n in range(22))
    wide = original.with_file("shop/wide.py", f"from shop.store import helper, inner\n{many}")
    for before in (original, wide):
        after = Revision(
            {
                **before.with_file("shop/store.py", NEW).with_file("bench.py", "print(1)\n"),
                "shop/report.py": "def report(n, m=1):\n    return n\n",
            }
        )
        names = ImportedNames(
            before, {"shop/store.py": text_names(OLD), "gone.py": {}, "shop/report.py": HAS}, {"gc": "on", "same": "1"}
        )
        drafts = (
            ImportedNames(after),
            replace(
                names,
                revision=after,
                modules={"shop/store.py": text_names(NEW), "shop/report.py": HAD},
                settings={"gc": "off", "same": "1", "new": "2"},
            ),
        )
        for draft in drafts:
            for gone in ((), ("shop/report.py",)):
                for seen in (
                    (),
                    (
                        CodeEdit("shop/report.py", "report"),
                        CodeEdit("shop/wide.py", "f21"),
                        CodeEdit("shop/store.py", "Store.find"),
                    ),
                ):
                    found = impact_of(names, draft, "bench.py", gone, seen=seen, tests=["tests/test_store.py"])
                    yield found.judged, found.caveats, [numbers_of(str(each)) for each in found.gaps]
                    yield [(each.place, sorted(each.lost), sorted(each.gained)) for each in found.changed]
                    yield [sorted(found.classes_without(place)) for place in found.judged]


ANSWERS = (
    "# === file: shop/report.py ===\ndef report(n):\n    return n\n",
    "# === file: shop/store.py ===\nimport math\n\nSCALE = math.pi\n\nclass Store(Base):\n    def find(self, name):\n        return SCALE\n",
    "# === file: shop/store.py ===\n<<<<<<< SEARCH\n    return x\n=======\n    return +x\n>>>>>>> REPLACE\n",
    "# === file: shop/new.py ===\nX = 1\n", "# === file: nowhere/a.py ===\ndef f(:\n", "no file", "# === file: bench.py ===\nprint(1)\n",
)  # fmt: skip


def answered() -> Iterator[object]:
    before = Revision(PROJECT)
    ground = find_protected_files(read_command(COMMANDS[0], Path("/p")), FILES)
    for answer in ANSWERS:
        for fixed in ((), (ground,)):
            try:
                after = apply_answer(before, answer, *fixed)
                yield sorted(after.items()), now_unused(before, after)
            except ValueError as error:
                yield type(error)


TEXTS = (
    (b"a\nb\n", b"a\nb\n"), (b"took 1.5 s\nok\n", b"took 2.25 s\nok\n", b"took 9 s\nok\n"), (b"{3, 1, 2}\n", b"{1, 2, 3}\n"),
    (b"x\ny\nz\n", b"z\ny\nx\n"), (b"1\nlog 5\n2\n", b"1\n2\n", b"1\nlog 6\nlog 7\n2\n"), (b"a\n", b"b\n"), (b"", b"x"),
    (b'{"time": 1.2, "n": 3}\n', b'{"time": 3.4, "n": 3}\n'), (b"id 0x7f12 ok 5\n", b"id 0x7f99 ok 5\n"), (b"a 1 b 2\n", b"a 3 b 4\n"),
)  # fmt: skip


def masked() -> Iterator[object]:
    for texts in TEXTS:
        found = learn(texts)
        yield found.lines, found.moving, found.nothing, round(found.masked_share, 6), len(found.rules)
        yield len(found.left_out)
        yield from (found.seen(text) for some in TEXTS for text in some)
    yield given_masks(["re:[0-9]+ s", "out.txt"])


MAIN, REPORT, FIND = (
    Frame("<module>", "bench.py", 0),
    Frame("report", "shop/report.py", 4),
    Frame("Store.find", "shop/store.py", 34),
)
HELPER, LOADED = Frame("helper", "shop/store.py", 41), Frame("<module>", "shop/store.py", 0)


WAITS = (
    WaitLine("bench.py", "<module>", 4, "json", 2.0, 0.25, False), WaitLine("shop/store.py", "helper", 43, "", 0.1, 0.0125, False),
    WaitLine("", "", 0, "", 4.0, 0.5, True),
)  # fmt: skip
QUERIES = (
    QueryLine("bench.py", "<module>", 4, 900, 450, 3),
    QueryLine("shop/store.py", "helper", 43, 12, 1, 12, "report"),
)


def screens(found: ProjectProfile) -> Iterator[object]:
    """A profile on a terminal and as a page, of a command that works and of one that waits."""
    before = found.stacks("before")
    waits = replace(found, waits=WAITS, queries=QUERIES, waiting_share=0.8, queued_s=2.5, notes=("a note of 7",))
    little = replace(found, functions=found.functions[2:], lines=found.lines[:1], queued_s=2.4, seconds=12.0)
    for each in (found, waits, little, replace(little, functions=())):
        for verbose in (False, True):
            for command, folder in (("python bench.py 5", "."), ("make", "sub")):
                yield [
                    numbers_of(line)
                    for line in profile_text(command, each, FILES, verbose=verbose, folder=folder).split("\n")
                ]
                yield len(next_step(command, each, folder).split())
        for earlier in (None, before, replace(before, unit="samples")):
            page = "".join(command_page("python bench.py", each, FILES, "3.11", ("a note of 8",), earlier))
            yield re.findall(
                r"[\d.,]+(?: ms|%| s)|(?<=<td>)[^<]+", re.sub(r"(?s)<(style|script|footer).*?</\1>", "", page)
            )


def profiled() -> Iterator[object]:
    stacks = (
        ((MAIN, REPORT, FIND), 3.0),
        ((MAIN, REPORT, FIND, HELPER), 4.0),
        ((MAIN, REPORT), 1.0),
        ((MAIN, LOADED, HELPER), 2.0),
        ((), 0.5),
    )
    samples = [
        Sample(stack, 35, library, loading, seconds)
        for stack, seconds in stacks
        for library, loading in (("", False), ("json", True), ("re", False))
    ]
    calls = [
        CalledBy(FIND, REPORT, 900),
        CalledBy(HELPER, FIND, 20),
        CalledBy(REPORT, MAIN, 1),
        CalledBy(HELPER, LOADED, 3),
    ]
    given = {FIND: (GivenArgument("name", "str", 1, 9), GivenArgument("self", "Store"))}
    plain = run(cpu_s=9.0, wall_s=12.0)
    for known in (calls, calls[:2], None):
        found = with_sampled_lines(make_profile(plain, samples, known, 0.3, {HELPER: 0.5, FIND: 0.2}, given))
        yield found.to_json(), found.targets
        told = brief(found, "python bench.py", "3.11", "", Revision(PROJECT)).measured_facts
        yield numbers_of(told)
        yield from screens(found)
        page = SourcePage(Revision(PROJECT), find_protected_files(read_command(COMMANDS[3], Path("/p")), FILES), found)
        yield page.original(), len(page.original()) < ROOM
        for words in (
            "`helper` is slow",
            "Store.find and report.py",
            "take shop/store.py::inner, then `later(store)`",
            "nothing",
        ):
            yield named_places(words, page), page.add(named_places(words, page), 500)
    yield given_back(samples, {REPORT: 0.5, FIND: 0.1, HELPER: 3.0}, [(REPORT, FIND), (FIND, HELPER)])


ROWS: dict[str, Row] = {f"read: {name}": partial(read, old) for name, (old, _) in PAIRS.items()}
ROWS |= {f"changed: {name}": partial(changed, *pair) for name, pair in PAIRS.items()}
ROWS |= {
    "read: a module": partial(read, OLD),
    "changed: a module": partial(changed, OLD, NEW),
    "changed: back": partial(changed, NEW, OLD),
}
ROWS |= {"commands": commands, "modules": graph, "answers": answered, "masks": masked, "profiles": profiled}


test_the_same_is_made, test_the_table_has_these_rows = compared_with(TABLE, ROWS)


if __name__ == "__main__":
    write_down(TABLE, ROWS)
