"""The same is made of the same drafts and versions of a project: rules of its hot functions, what an answer is taken
for, what a next round is shown, two versions and their ruler, what an edit gains.
`python -m tests.codeopt.workloads.project.test_same_drafts` writes the table."""
# looks at codeopt/workloads/project, codeopt/workloads/source/module_graph, codeopt/workloads/source/test_files

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from codeopt.core.errors import UsageError
from codeopt.core.history import Candidate, Draft, History
from codeopt.core.revision import Revision
from codeopt.rules import HotFiles, all_rules
from codeopt.workloads.project.command import read_command
from codeopt.workloads.project.edit_gains import EditGain, changed_places, edit_groups
from codeopt.workloads.project.excerpts import SourcePage, named_places, round_views
from codeopt.workloads.project.masks import given_masks
from codeopt.workloads.project.profile import Sample, make_profile
from codeopt.workloads.project.project_program import find_protected_files, read_both, read_text, read_versions
from codeopt.workloads.project.proposer import ProjectProposer, apply_answer, now_unused, project_rules
from codeopt.workloads.project.public_calls import FunctionFinding
from codeopt.workloads.source.edits import CodeEdit
from codeopt.workloads.source.functions import SpliceError
from codeopt.workloads.source.module_graph import ModuleGraph
from codeopt.workloads.source.test_files import decides_tests, find_test_files, pytest_settings
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.outcome import CaseVerdict, WrittenFile
from codeopt_sandbox.profile import HotFunction, HotLine
from tests.codeopt.workloads.shop import ADD, HEAD, STORE, USELESS
from tests.codeopt.workloads.shop import FIND as FIND_INDEXED
from tests.codeopt.workloads.shop import REPORT as SHOP_REPORT
from tests.codeopt.workloads.test_same_texts import ANSWERS, COMMANDS, FILES, FIND, HELPER, MAIN, NEW, PROJECT, REPORT
from tests.support.candidates import comparison, outcome, profile, run
from tests.support.files import write_files
from tests.support.recorded import Row, compared_with, numbers_of, write_down

TABLE = Path(__file__).with_name("same_drafts.txt")
ORIGINAL = Revision(PROJECT)
GROUND = find_protected_files(read_command(COMMANDS[3], Path("/p")), FILES)
SAMPLES = [
    Sample(stack, stack[-1].line + 1, "", False, seconds)
    for stack, seconds in (((MAIN, REPORT, FIND), 3.0), ((MAIN, REPORT, FIND, HELPER), 4.0), ((MAIN, REPORT), 0.2))
]
PROFILE = make_profile(run(cpu_s=9.0, wall_s=12.0), SAMPLES, [], 0.3, {}, {})


NAMES = "# === file: shop/names.py ===\n"
SHOP = Revision({
    "shop/store.py": STORE, "shop/report.py": SHOP_REPORT, "shop/empty.py": "A = 1\n",
    "shop/names.py": "def _key(name):\n    return name\n\n\ndef label(name):\n    return _key(name)\n\n\n"
    "def twice(name):\n    blocked = name\n    return blocked + blocked\n",
})  # fmt: skip
TOGETHER_OR_NOT = {
    "an attribute": HEAD + ADD + "\n" + FIND_INDEXED + "\n" + USELESS,
    "in another order": HEAD + USELESS + ADD + "\n" + FIND_INDEXED,
    "a parameter": f"{NAMES}def _key(name, upper):\n    return name\n\n"
    "def label(name):\n    return _key(name, False)\n",
    "used as before": f"{NAMES}def _key(name):\n    return name + ''\n\ndef label(name):\n    return _key(name)[:]\n",
    "variables of one name": f"{NAMES}def label(name):\n    found = name\n    return found\n\n"
    "def twice(name):\n    found = name\n    return found + found\n",
    "a constant of another file": "# === file: shop/empty.py ===\n_TABLE = {}\n"
    f"{NAMES}from shop.empty import _TABLE\n\n"
    "def label(name):\n    return _TABLE.setdefault(name, name)\n\ndef twice(name):\n    return name * 2\n",
}  # fmt: skip


PRIVATE = Revision({"store.py": """def _index(rows):
    return {row: at for at, row in enumerate(rows)}


class Store:
    def _find(self, row):
        return _index(self.rows)[row]

    def find(self, row):
        return self._find(row)


def other():
    return 1
"""})  # fmt: skip
FIND_NOTHING = "class Store:\n    def find(self, row):\n        return 0\n"
DELETED = (
    FIND_NOTHING, f"del Store._find\n{FIND_NOTHING}", f"del _index, Store._find\n{FIND_NOTHING}",
    "def other():\n    return 2\n", "del other", "del nothing", "del Store",
)  # fmt: skip


def deleted() -> Iterator[object]:
    """What an answer deletes and leaves without a use; nothing that others may call."""
    for answer in DELETED:
        try:
            after = apply_answer(PRIVATE, answer)
            yield after["store.py"], now_unused(PRIVATE, after)
        except SpliceError as error:
            yield answer, str(error)


def groups() -> Iterator[object]:
    for name, answer in TOGETHER_OR_NOT.items():
        yield name, edit_groups(SHOP, apply_answer(SHOP, answer))


GRID = """\
class Grid:
    size = 3

    def at(self, row):
        return row

    def __len__(self):
        return 9

    def corner(self):
        return 0


def at(a):
    return a


def sum(a):
    return a


def _bare(a):
    return a
"""
RARE = "def seldom(a):\n    return a\n\n\nLIMIT = 3\nimport numpy as np\nfrom shop import grid\n"
CRITIQUES = (
    "`helper` is slow.",
    "Take shop/store.py::helper, then `seldom(a)`",
    "Call Grid.at only once",
    "Call `self.grid.at(3)`",
    "Take `np.helper(a)` and `grid.at(a)`",
    "Give `Grid` slots",
    "The limit in rare.py is low",
    "It is hot at work, and seldom waits",
    "`nowhere` and nowhere.py",
    "`corner` and `sum(corner)`",
    "`grid.corner` and `_bare`",
)


def named() -> Iterator[object]:
    """Which functions, classes and files a critique means: no word of prose, no name that is common or a library's."""
    files = {**PROJECT, "shop/grid.py": GRID, "shop/rare.py": RARE}
    for critique in CRITIQUES:
        page = SourcePage(files, GROUND, PROFILE)
        yield named_places(critique, page), page.add(named_places(critique, page), 900)


def rules() -> Iterator[object]:
    for ground in (GROUND, find_protected_files(read_command(COMMANDS[3], Path("/p")), FILES, ["shop/store.py"])):
        for each in project_rules(all_rules(), PROFILE, ground):
            found = each.revise(ORIGINAL, HotFiles.of(PROFILE))
            yield each.name, each.places, found and found["shop/store.py"]  # type: ignore[attr-defined]
    yield project_rules(all_rules(), replace(PROFILE, functions=()), GROUND)


AT_STORE = "# === file: shop/store.py ===\n"
SEARCH = f"{AT_STORE}<<<<<<< SEARCH\n"
MORE_ANSWERS = (
    AT_STORE + 'class Store:\n    """Another."""\n    pass\n', AT_STORE + 'if __name__ == "__main__":\n    total([])\n',
    AT_STORE + 'class Store:\n    __slots__ = ("rows",)\n    def size(self):\n        return 0\n    __len__ = size\n',
    AT_STORE + "class Base:\n    kind = 'other'\n", AT_STORE + "if LIMIT:\n    EVEN = LIMIT\n",
    *ANSWERS, AT_STORE + "# --- line 4 ---\ndef inner(row, *, most=5):\n    # --- line 10 ---\n    return row\n",
    "", "def helper(row):\n    return row\n", AT_STORE + "del inner\n",
    AT_STORE + "del no\n",
    SEARCH + "    return x\n=======\n    return +x\n>>>>>>> REPLACE\nfaster: yes\ndef g(:\n",
    SEARCH + "import os\n=======\nimport os, re\n>>>>>>> REPLACE\nDone\n",
    AT_STORE + "LIMIT, _HIDDEN = 5, 6\nNAMES: list[str] = []\nimport os as os\nif LIMIT:\n    LIMIT = 3\n",
    AT_STORE + "for each in NAMES:\n    print(each)\n",
    AT_STORE + "@final\nclass Store(Base, object):\n    kind = 'x'\n    SIZES = (1,)\n    def more(self):\n"
    "        return 1\n    LAST = more\n",
    AT_STORE + "class Store:\n    rows: tuple\n    class Inner:\n        a = 1\n",
    AT_STORE + "def helper(row, other):\n    return row\n",
    "# === file: shop/report.py ===\nfrom shop.store import inner as report\n",
    "# === file: tests/test_store.py ===\ndef test_it():\n    pass\n", "# === file: tests/no.py ===\nX = 1\n",
)  # fmt: skip


def answers() -> Iterator[object]:
    proposer = ProjectProposer(None, PROFILE, GROUND)  # type: ignore[arg-type]
    for answer in MORE_ANSWERS:
        for problem in ("", "no code"):
            done = proposer.whole(Draft(Revision.of(answer), "a draft", problem=problem), ORIGINAL)
            yield edit_groups(ORIGINAL, done.revision) if not done.problem and not done.revision.is_one_file else ()
            yield sorted(done.revision.items()), done.changes, done.notes, bool(done.problem), done.summary


def hot(*functions: tuple[str, float, int | None]) -> Any:
    found = tuple(HotFunction(name, 4, share, calls, total=1.5 * share) for name, share, calls in functions)
    lines = tuple(
        HotLine(at, share, 0, 0.1, "    return a", f"shop/store.py:{at}")
        for at, (_, share, _) in enumerate(functions, 40)
    )
    return replace(profile(), functions=found, lines=lines)


def rounds() -> Iterator[object]:
    right, slow = (outcome(cpu_s=2.0),), (outcome(cpu_s=9.0),)
    trace = b'  File "/w/shop/report.py", line 5, in report\n  File "/w/shop/store.py", line 36, in find\nKeyError: 3\n'
    failed = (outcome(verdict=CaseVerdict.RE, exit=1, stderr=trace),)
    before = hot(
        ("shop/store.py::helper", 0.6, 900), ("shop/report.py::report", 0.3, 1), ("shop/store.py::inner", 0.029, 3)
    )
    after = hot(
        ("shop/store.py::helper", 0.2, 900), ("shop/store.py::shown", 0.5, None), ("shop/store.py::inner", 0.03, 3)
    )
    many = hot(*((f"shop/store.py::f{at}", 0.031 + at / 200, at) for at in range(14)))
    draft = ORIGINAL.with_file("shop/store.py", NEW)
    original = Candidate(0, ORIGINAL, "", right, profile=before, critique="`later` is slow")
    first = Candidate(1, draft, "one", right, comparison(ratio=4.0), after, "Store.find and `shown`", parents=(0,))
    second = Candidate(2, ORIGINAL.with_file("shop/report.py", "X = 1\n"), "two", slow, profile=many, parents=(0,))
    third = Candidate(3, draft.with_file("bench.py", "print(1)\n"), "three", failed, profile=after, parents=(1, 2))
    one_file = Candidate(4, Revision.of("x = 1\n"), "four", rejection="wrong")
    for history in (
        History((original, first, second, third, one_file)),
        History((original, third)),
        History((original, second, first)),
    ):
        page = SourcePage(ORIGINAL, GROUND, PROFILE)
        page.original()
        yield from round_views(history, page).items()
        shown = ProjectProposer(None, PROFILE, GROUND).excerpts(history)  # type: ignore[arg-type]
        yield [(each.round, sorted(each.revision.items()), each.profile) for each in shown.candidates]
    empty = replace(PROFILE, functions=())
    shown = ProjectProposer(None, empty, GROUND).excerpts(History((original,)))  # type: ignore[arg-type]
    yield shown.original.source


CHANGES: dict[str, dict[str, str | None]] = {
    "a module": {"shop/store.py": NEW},
    "tests": {"tests/test_store.py": "def test_it():\n    pass\n", "tests/test_more.py": "import more\n",
    "tests/more.py": "A = 1\n", "tests/sub/conftest.py": ""},
    "a benchmark": {"bench.py": PROJECT["bench.py"] + "print(2)\n", "data/rows.csv": "id\n", "other.csv": "1\n"},
    "settings": {"pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-x'\n",
    "setup.cfg": "[metadata]\nname = x\n", "config.toml": None},
    "gone": {"shop/report.py": None, "tests/helpers.py": None, "shop/more.py": "B = 2\n"},
    "not read": {"shop/report.py": "def (", "shop/bin.so": "x", "data/new.bin": "y" * 10},
    "a folder": {"data": "1\n", "data/rows.csv": None},
}  # fmt: skip


def versions() -> Iterator[object]:
    for name, changes in CHANGES.items():
        for text in (COMMANDS[0], COMMANDS[1], COMMANDS[4]):
            with TemporaryDirectory() as folder:
                old, new = Path(folder, "old"), Path(folder, "new")
                write_files(old, PROJECT)
                write_files(new, {path: text for path, text in {**PROJECT, **changes}.items() if text is not None})
                try:
                    found = read_versions(
                        *read_both(old, new, [new / "setup.cfg"]), read_command(text, old), ["shop/report.py"]
                    )
                except UsageError:
                    yield name, "refused"
                    continue
                program, other = found.program, found.new
                yield (
                    name,
                    sorted(program.files),
                    program.open_files,
                    program.ground.to_json(),
                    sorted(program.revision.items()),
                )
                yield (
                    sorted(other.revision.items()),
                    sorted(other.differing),
                    other.tests,
                    other.test_helpers,
                    other.room_mib,
                )
                yield [numbers_of(note) for note in other.notes], sorted(found.old.files), sorted(other.project.files)
                yield sorted(read_text(old, found.old).files), found.old.import_roots, found.old.room_mib


def gains() -> Iterator[object]:
    edit = CodeEdit("shop/store.py", "Store.find")
    finding = FunctionFinding(edit, 30)
    for decision in Decision:
        for ratio in (0.5, 1.02, 1.03, 1.031, 2.123456):
            for more in ({}, {"reason": "wrong"}, {"at": "900", "together": (edit,)}, {"never_called": True}):
                gain = EditGain(edit, comparison(decision, ratio), **more)  # type: ignore[arg-type]
                yield gain.pays, gain.undecided, gain.to_json(["a test"], finding), gain.dropped_json()
    nothing = EditGain(edit, None)
    yield nothing.pays, nothing.undecided, nothing.to_json([], finding), nothing.dropped_json()
    draft = ORIGINAL.with_file("shop/store.py", NEW)
    for rest in (ORIGINAL, draft, *(draft.with_file("shop/store.py", NEW.replace(*change)) for change in (
        ("    return +x\n", "    return x\n"), ("most=6", "most=7"), ('"""Things."""', '"""Other."""'), ("@total\n",
        ""),
        ("SCALE = math.pi", "SCALE = 3"), ("    def first(self):\n        return",
        "    def second(self):\n        return"),
        ("def helper(row):", "def helped(row):"), ("return Counter", "return dict"), ("class Base:",
        "class Base(object):"),
    ))):  # fmt: skip
        for one, two in ((draft, rest), (rest, draft)):
            found = changed_places(one, two)
            yield found and sorted(found)


RUNS = (
    (b"a 1\n", b"a 1\n", b"a 1\n"), (b"took 1.5 s\n", b"took 2 s\n", b"took 30.25 s\n"), (b"id ab1\nx\n",
    b"id 77\nx\n", b"id zz\nx\n"),
    (b"a\nlog x\nb\n", b"a\nb\n", b"log y\na\nb\n"), (b"a, b\n", b"b, a\n", b"a, b\n"), (b"x", b"yy", b"zzz"),
    (b"a 1 b 2\n", b"a 2 b 1\n", b"a - b ?\n"),
    (b"{'b', 'a'}\n1\n", b"{'a', 'b'}\n1\n", b"{'a', 'b'}\n2\n"), (b"\xff1", b"\xff2", b"\xff3"), (b"\x001", b"\x002",
    b"\x003"),
    (b"at 2024-01-02 10:00:00 0x7f01 ok\n", b"at 2024-01-03 11:30:59 0x7e02 ok\n",
    b"at 2025-11-13 01:30:59 0x7e02 ok\n"),
)  # fmt: skip


def masks() -> Iterator[object]:
    """Of the output, and of a file that is written each time, by two runs only, or not."""
    for outputs in RUNS:
        for count in (2, 3):
            for files in RUNS:
                written = [
                    (WrittenFile("a[1].txt", files[at]), WrittenFile("log.tmp", outputs[at])) for at in range(count)
                ]
                written[0] = written[0][: 1 + (files is not outputs)]
                runs = [run(outputs[at], written=written[at]) for at in range(count)]
                found = given_masks(["re:took [0-9]", "*.tmp"] if outputs is files else []).learned(runs)
                yield found.ignored, found.files, found.uncompared, found.output
                yield [numbers_of(str(gap)) for gap in found.gaps], [numbers_of(each.got) for each in found.caveats]
                yield (
                    bool(found.words),
                    found.ignores("a.tmp"),
                    found.ignores("a[1].txt"),
                    [found.seen(each) for each in runs],
                )


CASES = {
    "test_a.py": "", "a_test.py": "", "tests.py": "class A(TestCase):\n    pass\n",
    "check_it.py": "def check():\n    pass\n",
    "pkg/checks.py": "import unittest\nclass B(unittest.TestCase):\n    def test_b(self):\n        pass\n",
    "pkg/cases.py": "from django.test import TestCase\nclass C(TestCase):\n    def test_c(self): pass\n",
    "pkg/text.py": "# TestCase\ndef test_no(): pass\n",
    "pkg/base.py": "class D(TestCase):\n    def helper(self): pass\n",
    "pkg/testing.py": "", "bad.py": "class E(TestCase:\n    def test_e\n",
    "src/lib/__init__.py": "from . import one\n", "src/lib/one.py": "from .two import x\nimport lib.two as t\n",
    "src/lib/two.py": "import pkg.text\nx = 'data/rows.csv'\n", "data/rows.csv": "1\n",
    "Makefile": "all:\n\tpython -m lib.one && pytest check_it.py\n", "conftest.py": "from lib import two\n",
}  # fmt: skip
SETTINGS = {
    "pyproject.toml": "[tool.pytest.ini_options]\npython_files = ['check_*.py', 'a?.py']\n",
    "pytest.ini": "[pytest]\npython_files = check_*.py\n    *_test.py\naddopts = -q\n",
    "tox.ini": "[tox]\n[pytest]\npython_files = pkg/cases.py\n",
    "setup.cfg": "[tool:pytest]\npython_files = check_it.py\n", "noxfile.py": "session.run('python', 'pkg/base.py')\n",
    ".pytest.ini": "[pytest\n",
}  # fmt: skip


def modules() -> Iterator[object]:
    for path, text in {**SETTINGS, "": "", "pyproject.toml ": "x", "tox.ini ": "[tox]\n"}.items():
        files = {name: content.encode() for name, content in {**CASES, path.strip(): text}.items()}
        yield find_test_files(files), find_test_files(files, ["python", "pkg/base.py", "-p", "check_*.py"])
        yield decides_tests(path.strip()), pytest_settings(path.strip(), text.encode()), pytest_settings(path, None)
        graph = ModuleGraph(files)
        for names in (["src/lib/one.py"], ["conftest.py"], ["Makefile"], ["pkg/cases.py", "data/rows.csv"]):
            yield (
                sorted(graph.named_by(names)),
                sorted(graph.with_imported(names, files.keys())),
                sorted(graph.helpers_of({*names}, "import lib.two")),
            )
        for name in files:
            yield sorted(graph.named_texts(name)), sorted(graph.with_text(name.encode()))


ROWS: dict[str, Row] = {"rules": rules, "answers": answers, "rounds": rounds, "versions": versions, "gains": gains}
ROWS |= {
    "masks": masks,
    "modules": modules,
    "groups of edits": groups,
    "deleted": deleted,
    "named": named,
}
test_the_same_is_made, test_the_table_has_these_rows = compared_with(TABLE, ROWS)


if __name__ == "__main__":
    write_down(TABLE, ROWS)
