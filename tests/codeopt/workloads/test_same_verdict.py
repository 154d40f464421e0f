"""Walks through a program and through a command of a project say the same: by how much a draft is judged, in which
order, what a model is told, and what becomes of right and wrong drafts.
`python -m tests.codeopt.workloads.test_same_verdict` rewrites the texts."""
# looks at codeopt/workloads/program, codeopt/workloads/project, codeopt/workloads/_

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from codeopt.core.options import ImproveOptions
from codeopt.core.program import Target, read_program
from codeopt.core.revision import Revision
from codeopt.core.session import Session
from codeopt.engine.judge import MAX_FAILURES, Judge
from codeopt.workloads import Stage, Workload, WorkloadRequest, kind_of
from codeopt_sandbox.outcome import Caveat, CaveatKind
from tests.codeopt.command import FAST, SLOW, WRONG
from tests.codeopt.workloads.shop import ADD, FIND, REPORT, TEST, write_shop
from tests.support.files import write_files
from tests.support.recorded import Row, data_of, tell, told_by

TEXTS = Path(__file__).with_name("same_verdict")
INPUTS = {"1": "3\na\nb\na\n", "2": "1\nword\n", "3": "5\nx\nx\ny\nx\nz\n", "4": "2\nred\nblue\n"}
ANSWERS = {"1": "1 2\n", "2": "0 1\n", "3": "2 3\n", "4": "0 2\n"}
PROGRAM = {
    "slow.py": SLOW,
    "statement.md": "Count words.\n\n1 <= n <= 1000\n",
    **{f"input.{name}.txt": text for name, text in INPUTS.items()},
    **{f"output.{name}.txt": text for name, text in ANSWERS.items()},
}
PROGRAM_DRAFTS = {
    "fast": FAST,
    "wrong": WRONG,
    "wrong for many": FAST.replace("len(words) - distinct", "min(len(words) - distinct, 2)"),
    "fails at a line": FAST.replace("    distinct", "    lines[6]\n    distinct"),
    "another without assertions": FAST + "if not __debug__:\n    print('done')\n",
    "says more": FAST + "print('done', file=sys.stderr)\n",
}
BENCH = "import sys\n\nfrom shop.report import report\n\nn = int(sys.argv[1])\nprint(n, sum(report(n)))\n"
OTHER = "class Store:\n" + ADD + "\n" + FIND + "\n    def size(self):\n        return len(self.rows)\n"
PROJECT_DRAFTS = {
    "an index": {"shop/store.py": OTHER},
    "the command": {"bench.py": "print(1)\n"},
    "wrong for small numbers": {"shop/report.py": REPORT.replace("return [", "return [] if n < 100 else [")},
    "a test": {"tests/test_report.py": TEST.replace("== [", "!= [")},
}


def shown(caveat: Caveat) -> object:
    """A caveat but for what depends on times: the number of inputs that show it besides, and the case that stands for
    an environment, one that was quick."""
    shows = "" if caveat.kind is CaveatKind.ENVIRONMENT else caveat.input
    return caveat.kind, caveat.tier, shows, caveat.expected, caveat.got


def judged(found: Workload, drafts: dict[str, Revision]) -> Iterator[object]:
    """What is known of a target, and of some drafts."""
    judge = Judge(found, profiled=False)
    yield from found.evidence().gaps
    for case in (*found.suite.known, *found.unseen_cases()):
        yield case.name, case.title, case.environment.name, case.held_out, case.args, case.stdin[:80], case.expected
    yield [(case.name, case.stdin[:60], case.args) for case in found.similar_inputs(found.suite.cases[0])]
    for name, draft in drafts.items():
        done = judge.check(draft, "a person's", failures=MAX_FAILURES)
        yield name, done.correct, done.rejection, done.rejection_detail, done.notes
        yield from ((each.case, each.verdict.name, each.detail) for each in done.outcomes if each.detail)
        yield from map(shown, done.caveats)
        if name not in PROJECT_DRAFTS:
            again = found.check(draft, Stage.CONFIRMATION)
            yield again.rejection, [(each.case, each.verdict.name) for each in again.outcomes]
            yield from map(shown, again.caveats)
        elif name != "the command":
            tested = found.run_tests(draft, Stage.REFERENCE, None, lambda count: None)
            yield tested.rejection, tested.tests, tested.notes, tested.caveats


def program(*names: str, **options: object) -> Iterator[object]:
    with TemporaryDirectory() as folder:
        write_files(Path(folder), PROGRAM)
        target = Target(Path(folder, "slow.py"))
        given = ImproveOptions.of({"sandbox": "bubblewrap", "input_seed": 1, "max_examples": 30, **options})
        held = {name: name in "13" for name in INPUTS}  # else those that take longest, which are others each time
        request = WorkloadRequest(target, read_program(target.path), given, Session(), needs_time=False, held_out=held)
        with kind_of(target, given).open_workload(request) as opened:
            yield opened.title, opened.name, opened.other
            found = opened.measure()
            yield from (found.evidence().cases, found.evidence().input_seed)
            yield data_of(found.briefing().source_facts)
            yield from judged(found, {name: Revision.of(PROGRAM_DRAFTS[name]) for name in names})


def project() -> Iterator[object]:
    with TemporaryDirectory() as folder:
        root = write_shop(Path(folder, "shop"))
        (root / "bench.py").write_text(BENCH)
        given = ImproveOptions.of({"sandbox": "bubblewrap", "input_seed": 1, "run": "python bench.py 1200"})
        target = Target(root)
        kind = kind_of(target, given)
        request = WorkloadRequest(target, kind.read(target), given, Session())
        with kind.open_workload(request) as opened:
            yield opened.name, opened.other
            found = opened.measure()
            command = found.evidence().command
            yield replace(command, profile={}, sandbox_seconds={}) if command else None
            before = found.baseline.revision
            drafts = {name: Revision({**before, **files}) for name, files in PROJECT_DRAFTS.items()}
            yield from judged(found, drafts)
            yield found.evidence().gaps


ROWS: dict[str, Row] = {
    "program": partial(program, "fast", "wrong", mutated_inputs="lenient"),
    "program, strict": partial(
        program, "wrong for many", "fails at a line", "says more", "another without assertions", mutated_inputs="strict"
    ),
    "project": project,
}
test_the_same_is_said = told_by(TEXTS, ROWS)


if __name__ == "__main__":
    tell(TEXTS, ROWS)
