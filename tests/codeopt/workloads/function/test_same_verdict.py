"""A walk through a function of a project says the same: by how many calls of which sources, in which environments and
in which order it is judged, what a model is told, and what becomes of right and wrong drafts.
`python -m tests.codeopt.workloads.function.test_same_verdict` rewrites the texts."""
# looks at codeopt/workloads/function, codeopt/workloads/sandbox_view, codeopt/workloads/_

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from codeopt.core.program import Target
from codeopt.core.revision import Revision
from codeopt.engine.judge import MAX_FAILURES
from codeopt.workloads.function.corpus.cases import calls_of
from tests.codeopt.workloads.function.test_same_corpus import FILES, QUICK, SHOP
from tests.support.files import make_repository
from tests.support.judges import function_judge
from tests.support.recorded import Row, data_of, digest, numbers_of, tell, told_by

TEXTS = Path(__file__).with_name("same_verdict")
BEGIN = "    found = []\n"
DRAFTS = {
    "quick": QUICK,
    "wrong": SHOP.replace("each not in found and ", ""),
    "another exception": SHOP.replace("raise ValueError(most)", "raise KeyError(most)"),
    "a line that nothing runs": SHOP.replace(BEGIN, f"{BEGIN}    if len(items) < 0:\n        most = 3\n"),
    "the argument is given out": SHOP.replace(BEGIN, "    found = [] if items != [0] else items\n"),
    "prints": SHOP.replace(BEGIN, f"{BEGIN}    print(end='x' * (len(items) == 40))\n"),
    "the least is left out": SHOP.replace(">= least", "> least"),
}


def walk(name: str, drafts: tuple[str, ...], **options: object) -> Iterator[object]:
    """What is found of a function, and of some drafts."""
    with TemporaryDirectory() as folder:
        make_repository(Path(folder), FILES)
        calls = Path(folder, "calls.py") if name == "distinct" else None
        given = {"calls": calls, "max_examples": 20, "input_seed": 1, **options}
        with function_judge(Target(Path(folder, "shop.py"), name), timed=False, **given) as judge:
            found, evidence = judge.workload, judge.workload.evidence()
            yield from (found.headline, evidence.checked, *evidence.gaps, evidence.input_seed, evidence.calls_text)
            for case in (*found.suite.cases, *found.unseen_cases()):
                made = [each.text for each in calls_of(case)]
                yield case.name, case.environment.name, case.held_out, case.title, case.ignored, digest(made)
                yield min(made, key=len), max(made, key=len)[:200]
            told = found.briefing()
            yield data_of(told.source_facts), numbers_of(told.measured_facts), told.tried
            for draft in drafts:
                done = judge.check(Revision.of(DRAFTS[draft]), "a person's", failures=MAX_FAILURES)
                yield draft, done.correct, done.rejection, done.rejection_detail
                yield from ((each.case, each.verdict.name, each.detail) for each in done.outcomes if each.detail)
                yield from done.caveats


ROWS: dict[str, Row] = {
    "function": partial(walk, "distinct", tuple(DRAFTS)[:-1]),
    "method": partial(walk, "Basket.total", ("the least is left out", "quick"), contract="least >= 0",
                      mutated_inputs="strict", ignore_difference=["output"]),
}  # fmt: skip
test_the_same_is_said = told_by(TEXTS, ROWS)


if __name__ == "__main__":
    tell(TEXTS, ROWS)
