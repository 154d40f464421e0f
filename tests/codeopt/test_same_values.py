"""The same values are made of the same values: options and their defaults, figures, limits, results, rows of reports.
`python -m tests.codeopt.test_same_values` rewrites the table."""
# looks at codeopt/core, codeopt/report, codeopt/cli, codeopt/review, codeopt/batch, codeopt/tasks, codeopt/models, codeopt/engine, codeopt/proposers

from __future__ import annotations

import io
import json
import random
import re
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from codeopt.batch.batch_folder import BatchFolder
from codeopt.batch.local import last_line
from codeopt.batch.results.metrics import measure_batch, versus
from codeopt.batch.results.page import page
from codeopt.batch.results.statistics import estimate, estimate_geometric, mcnemar_p, mean, share, sign_flip_p, wilson
from codeopt.batch.results.table import as_json, metric_lines, write_csv
from codeopt.cli.command_flags import flags_of_all, settings_by_key, settings_without_flag
from codeopt.cli.commands.check import table as table_of_all
from codeopt.cli.compare_several import change_table
from codeopt.cli.comparison_table import cells_of, table
from codeopt.cli.flags import options_of
from codeopt.cli.listings import list_rules, list_tasks
from codeopt.cli.main import build_parser
from codeopt.cli.parser import commands_of, meant
from codeopt.core import flag as converters
from codeopt.core import plugins, words
from codeopt.core.console import estimate as estimate_in_words
from codeopt.core.console import minutes
from codeopt.core.errors import CodeoptError, Diagnostic
from codeopt.core.evidence import (
    AtSize,
    BySize,
    CallEvidence,
    CaseEvidence,
    CommandEvidence,
    PatchEvidence,
    TwoVersionsEvidence,
    VersionEvidence,
    WorkloadEvidence,
)
from codeopt.core.history import History, Refusal
from codeopt.core.model import Budget, Ledger, Usage
from codeopt.core.next_step import other_command, parted, same_command
from codeopt.core.options import ImproveOptions
from codeopt.core.revision import added, holds, merged
from codeopt.core.run_clock import RunClock
from codeopt.core.run_inputs import is_secret
from codeopt.core.sanitize import (
    acts_in_a_log,
    cut,
    decoded,
    encodable,
    fenced,
    harmless,
    inline,
    log_line,
    printable,
    steering,
)
from codeopt.core.screen import columns
from codeopt.core.words import Speedup
from codeopt.engine.compare import PairResult, answer
from codeopt.engine.judge import ComparisonProgress, answered, granted, more_pairs, said_of_long_runs
from codeopt.engine.loop import changed_lines
from codeopt.engine.run_plan import make_plan
from codeopt.models._reply import critique_text, draft_below, is_done, thoughts_in, to_draft
from codeopt.proposers.feedback import describe
from codeopt.report.answers import read_verdict, serialize
from codeopt.report.brief import below_verdict, evidence_line, verdict_lines
from codeopt.report.html import charts
from codeopt.report.result import NextSteps, diff_of, hot, open_draft, rows_of
from codeopt.report.stacks import (
    Frame,
    StackProfile,
    call_tree,
    read_collapsed,
    read_speedscope,
    write_collapsed,
    write_speedscope,
)
from codeopt.report.verdict import About, Verdict, candidate_in_words, failure_of, so_far, verdict_of, why, word_of
from codeopt.review.several import ImprovedSeveral, find_several
from codeopt.review.suggestion import ComparedFunction, FunctionRow, ReviewTarget, RowState
from codeopt.review.work import ReviewBudget, Tried
from codeopt.rules import all_rules
from codeopt.tasks import open_task
from codeopt_sandbox.compare import CaseTimes, Decision, Plan, StoppingRule
from codeopt_sandbox.outcome import CaseVerdict, Caveat, CaveatKind, distinct
from codeopt_sandbox.profile import HotLine
from codeopt_sandbox.sequential_test import LimitAnswer, LimitTest
from tests.support.candidates import CASES, FAST, HELD, SHOWN, comparison, original, outcome, right, wrong
from tests.support.files import write_files
from tests.support.filled_batch import fill, reply
from tests.support.recorded import Row, compared_with, numbers_of, write_down
from tests.support.reviews import EVIDENCE, FILES, IN_NEW, ONE_HUNK, OUTSIDE, review

TABLE = Path(__file__).with_name("same_values.txt")
NUMBERS = (0, 1e-9, 4.4e-4, 0.0009994, 0.05, 0.1, 0.25, 0.5, 0.994, 0.996, 1, 1.004, 1.05, 1.5, 2, 3.04, 9.95, 10, 12.5,
           59.6, 60, 99.5, 100, 182.9, 999, 1000, 3599, 3600, 90000, 1e6, 2.5e9)  # fmt: skip
BY_SIZE = (
    ((5, 1.2), (120, 3.0)), ((5, 0.96), (120, 3.0)), ((10, 0.5), (100, 0.8), (1000, 2.0)),
    ((10, 1.0), (100, 0.5), (10000, 2.0)), ((10, 2.0), (1000, 0.5)), ((10, 0.5), (1000, 1.02)),
)  # fmt: skip
CONVERTERS = """text positive duration count_or_zero count examples share share_above_zero checker_name expression names
observables texts paths"""
SECRET_OR_NOT = ".env id_rsa a.pem token.txt tokens.py secret data.csv .netrc credentials.json key.txt"
GIVEN = ("", "0", "1", "2", "-1", "1.5", "5%", "100%", "101%", "0%", "0.5", "3s", "2m", "1h", "90", "x", "a,b", " a ", "off", "none", "50", "100000", "nan", "inf", "1e3",
         "check.py::accept", "check.py", "n < 3", "n <", "output,state", "arguments", "n = 3", "lambda: 0")  # fmt: skip
TEXTS = ("plain", "a\x1b[31mb", "`x` ```y```", "two\nlines\r\n", "\u202eright", "::error::a", "##[group]", "x" * 900,
         "\ud800", "tab\there", "", "<b>&amp;", "@user #12 http://a")  # fmt: skip


def tried(function: object, *values: object) -> object:
    try:
        return function(*values)  # type: ignore[operator]
    except (ValueError, TypeError, AttributeError, KeyError, CodeoptError) as error:
        return type(error).__name__


def converted() -> Iterator[object]:
    for name in CONVERTERS.split():
        yield name, [tried(getattr(converters, name), value) for value in (*GIVEN, 0, 1, -2, 2.5, True, ["a", "b"], [])]


def said() -> Iterator[object]:
    for number in NUMBERS:
        yield [
            getattr(words, name)(number)
            for name in ("took", "size_words", "share", "duration", "mib", "memory", "money", "utc", "more_time")
            if number or name != "more_time"
        ]
        yield estimate_in_words(number), minutes(number)
        yield [words.gain(number or 1.0, metric) for metric in ("cpu", "wall", "memory")], words.factor(number or 1.0)
    yield [words.counted(n, "call") for n in (0, 1, 2, 1234)], [words.plural(n, "box") for n in (1, 2)]
    yield words.money(None)
    for low in (None, 0.0, 0.5, 0.97, 1.04, 44.0):
        for high in (None, 0.9, 1.2, 180.0, float("inf")):
            yield words.interval(low, high)
            for ratio in (0.5, 1.0, 1.08, 2.0, 44.0):
                found = Speedup(ratio, low, high, 9)
                yield found.gain, found.span, serialize(found)
    for metric in ("cpu", "wall", "memory"):
        for decision in Decision:
            found = Speedup.of(comparison(decision, 2.0, "why", metric=metric, guests=3, passes=2))
            yield found, words.clock(metric), words.directions(metric)
    for sizes in (
        (),
        (AtSize(5, 0.9, 9e-7, 1e-6),),
        (AtSize(5, 0.9, 9e-7, 1e-6), AtSize(120, 2.5, 5e-5, 2e-5)),
        (AtSize(5, 1.2, 1.0, 0.8), AtSize(9, 1.5, 2.0, 1.4), AtSize(50, 0.8, 3.0, 4.0)),
        *(tuple(AtSize(size, ratio, ratio, 1.0) for size, ratio in rows) for rows in BY_SIZE),
    ):
        found = BySize("items", sizes)
        yield [
            getattr(found, name)
            for name in dir(found)
            if not name.startswith("_") and not callable(getattr(found, name))
        ]


def sanitized() -> Iterator[object]:
    for text in TEXTS:
        yield [each(text) for each in (printable, inline, fenced, log_line, harmless, acts_in_a_log)]
        yield sorted(steering(text))
        yield encodable(text).encode(), cut(text, 20, 10), inline(text, 12), log_line(text, 9)
        yield decoded(text.encode("utf-8", "replace"))
        yield columns([["a", text[:20], "3"], ["bb", "c", "44"], "whole"], (2,), 1)
    base = "a\nb\nc\nd\n"
    for versions in (("a\nB\nc\nd\n", "a\nb\nc\nD\n"), ("A\nb\nc\nd\n", "X\nb\nc\nd\n"), (base,), ("", base + "e\n")):
        yield merged(base, versions), [holds(base, one, other) for one in versions for other in versions]
        yield [added(base, one, versions[0]) for one in versions]
    asked = ["improve", "slow.py", "--json", "--", "--top", "3"]
    yield same_command(asked, "--resume", "a b"), other_command(asked, "compare", "x.py"), parted(asked)
    yield [is_secret(Path(name)) for name in SECRET_OR_NOT.split()]


def options() -> Iterator[object]:
    for flag in flags_of_all():
        yield (
            [
                (
                    each.name,
                    sorted(map(str, value))
                    if isinstance(value := getattr(flag, each.name), set | frozenset)
                    else value,
                )
                for each in fields(flag)
                if each.name not in ("help", "convert", "item")
            ],
            getattr(flag.convert, "__name__", ""),
            getattr(flag.item, "__name__", ""),
        )
    yield sorted(settings_by_key().items()), sorted(settings_without_flag())
    yield [(each.name, each.default) for each in fields(ImproveOptions)]
    parsers = commands_of(
        build_parser({name: plugins.load("codeopt.commands", name) for name in plugins.names("codeopt.commands")})
    )
    for name, parser in sorted(parsers.items()):
        yield (
            name,
            len(parser.examples),
            parser.first,
            [
                (
                    action.dest,
                    action.default,
                    action.nargs,
                    action.choices and sorted(map(str, action.choices)),
                    action.required,
                )
                for action in parser._actions
            ],
        )
    for words_ in (
        ["--max-rounds", "2"],
        ["--timeout", "5"],
        ["--model", "m", "--no-profile"],
        ["--mutated-inputs", "strict", "--min-gain", "5%"],
        ["--tests", "a", "--tests", "b"],
    ):
        yield options_of(parsers["improve"].parse_args(["slow.py", *words_]))
    yield [
        meant(given, ("improve", "compare", "check", "review")) for given in ("imporve", "chek", "x", "comp", "reviews")
    ]


def limited() -> Iterator[object]:
    for budget in (
        Budget(),
        Budget(rounds=2),
        Budget(rounds=0),
        Budget(seconds=10.0),
        Budget(cost_usd=1.0),
        Budget(3, 0.5, 0.99),
    ):
        yield budget.out_of_time, [tried(budget.raised, name) for name in ("rounds", "seconds", "cost_usd")]
        for ledger in (Ledger(), Ledger(rounds=2), Ledger(rounds=3)):
            for usage in (Usage(3, 100, 20, 1.0), Usage(1, 10, 2, None), Usage(1, 99, 20, 0.98, tokens_cached=5)):
                spent = ledger.add(usage).took({"timing": 2.0}).paused()
                yield spent.effort if hasattr(spent, "effort") else "", spent.reached(budget)
                yield spent.spent(budget, Usage(1, 5, 5, 0.01))
    yield [
        tried(lambda one=one, other=other: one + other)
        for one in (Usage(1, 2, 3, 0.5), Usage(1, 2, 3, None))
        for other in (Usage(4, 5, 6, 0.25, True, 7, 1.5),)
    ]
    for values in ({}, {"max_pairs": 9}, {"max_seconds": 20.0}, {"timeout": 3.0}):
        for limit in (None, 0.05):
            yield granted(StoppingRule(), ImproveOptions.of(values), limit)


CANDIDATES = (
    original(), original(critique="slow"), right(), right(2, FAST + "# more\n", ratio=1.04), wrong(), wrong(case=HELD), replace(right(), rejection="reads a file"),
    *(right(decision=decision) for decision in Decision), replace(right(), comparison=None), replace(right(), ablation=(("one", 1.5),)),
    replace(right(), comparison=comparison(metric="memory", ratio=4.0)), replace(wrong(), outcomes=(outcome(SHOWN, CaseVerdict.TLE, stop="time", exit=None),)),
    replace(right(), checked=(Caveat(CaveatKind.INPUT, "f()", "1", "2"),)),
)  # fmt: skip


def judged() -> Iterator[object]:
    for each in CANDIDATES:
        yield each.correct, each.faster, verdict_of(each), failure_of(each), word_of(each)
        yield numbers_of(candidate_in_words(each)), numbers_of(why(each)), numbers_of(so_far(each))
        yield numbers_of(describe(each, original(), open_task("runtime"), CASES)), hot(each.profile)
        yield hot(each.profile, memory=True), changed_lines(original(), each)
        for name in ("runtime", "readability", "memory", "runtime,memory"):
            for gain in (None, 0.5):
                task = open_task(name, gain)
                history = History((original(), each))
                yield (
                    name,
                    task.measured_second,
                    task.for_memory,
                    [
                        tried(getattr(task, method, len), each, original())
                        for method in ("why_not", "score", "task_score", "worse")
                    ],
                    [
                        getattr(task, name)
                        for name in dir(task)
                        if not name.startswith("_") and isinstance(getattr(task, name), bool | int | float)
                    ],
                    history.best is each,
                )
    unsure = (
        replace(right(decision=Decision.INCONCLUSIVE), rejection="no"),
        right(decision=Decision.INCONCLUSIVE, ratio=1.2),
    )
    for others in (unsure, unsure[:1], unsure[1:], (right(decision=Decision.INCONCLUSIVE, ratio=0.9),)):
        yield History((original(), *others)).undecided in others
    history = History(CANDIDATES[1:6])
    yield [value for name in dir(history) if not name.startswith("_") and not callable(value := getattr(history, name))]


HOT = (HotLine(3, 0.6, 9, 0.1, "x"), HotLine(7, 0.3, 1, 0.1, "x", place="a.py:7"), HotLine(9, 0.1, 1, 0.1, "x"))
REFUSALS = (
    Refusal("not known", ("3",), ("counter",)), Refusal("another", ("3", "a.py:7"), ("seen_set", "deque")), Refusal("whole")
)  # fmt: skip


def explained() -> Iterator[object]:
    """Rows of a screen: why no rule changed a slow line, and each round."""
    for skipped in (None, (), REFUSALS[:1], REFUSALS):
        for tried_ in ((), (Refusal("1.1x slower", ("3", "9"), ("sums",)),)):
            for lines in (HOT, ()):
                yield NextSteps(lines, refusals=skipped, tried=tried_).no_rule()
                yield NextSteps(lines, refusals=skipped, tried=tried_).no_rule("m.py:{}".format)
    for each in CANDIDATES:
        yield [numbers_of(line) for line in rows_of(each)], open_draft(History((original(), each)), "slow.py")


def verdicts() -> Iterator[object]:
    rows: list[ComparedFunction] = []
    caveats = tuple(
        Caveat(kind, f"f({n})", f"returns {n}", "returns 0", "why" if n % 2 else "")
        for n, kind in enumerate(CaveatKind)
    )
    yield distinct(caveats), [(each.words, each.tier) for each in caveats]
    for decision in Decision:
        about = About.SPEED if decision is Decision.INCONCLUSIVE else None
        for limit in (
            None,
            LimitTest(0.05, LimitAnswer.PASS, 0.01, 20),
            LimitTest(0.05, LimitAnswer.INCONCLUSIVE, 0.01, 37, pairs_needed=239),
        ):
            for found in (
                Verdict(decision, "f(1): expected 1, got 2", about=about),
                *(
                    Verdict(
                        decision,
                        "f(1): but slow",
                        about=about,
                        speedup=replace(Speedup.of(comparison(decision, ratio)), ci_low=low),
                    )
                    for ratio in (0.5, 2.0)
                    for low in (None, 0.4, 1.0, 1.2)
                ),
                Verdict(
                    decision,
                    about=about,
                    speedup=Speedup.of(comparison(decision)),
                    limit=limit,
                    caveats=caveats,
                    evidence=EVIDENCE,
                ),
            ):
                pair = PairResult(found, "bubblewrap", "namespaces")
                rows.append(ComparedFunction("m.py", f"g{len(rows)}", pair))
                told = {name: value for name, value in pair.to_json().items() if name != "machine"}
                yield json.dumps(told, default=dict, sort_keys=True), numbers_of(table(pair, verbose=True))
                yield numbers_of(table(pair, "m.py::g")), cells_of(found, "m.py::g"), table(pair).startswith("NEW")
                yield "slow" in table(pair)
                yield tried(read_verdict, told), serialize(answer(pair, "m.py", "f")).get("file")
    yield from (numbers_of(change_table(rows[at:], "main")) for at in range(0, len(rows), 9))


CHANGES = (
    {"round": 1, "changes": ["a: one", "b: two"], "ablations": {"a": 1.5, "c": 3.0}},
    {"round": 2, "changes": ["b: two"], "ablations": {"b": 2.0}},
    {"round": 3, "changes": ["c: three", "d"], "ablations": {"d": None}},
    {"round": 4, "changes": ["e", "f"], "ablations": {}},
)
EDIT = {
    "file": "m.py",
    "qualname": "f",
    "at": "800",
    "ablation": {"at": "900", "undecided": True, "ratio": 0.5, "ci_low": 0.4, "ci_high": None},
}
BENCHMARKS = {
    "harness": "asv",
    "rows": [{"name": "b1", "ratio": 2.0, "before": [0.2, 0.4, 0.9], "after": [0.1]}, {"ratio": None}],
}
RUN = {
    "accepted": True, "task": "runtime", "tokens": {"in": 1200, "out": 34, "estimated": True}, "cost_usd": 0.25, "model": "m-1", "seconds": 61.0,
    "rounds": CHANGES, "best_round": 1, "notes": ["a note of 7"], "stop_reason": "after 5", "run": "r/6", "seconds_by_step": {"timing": 2.04, "none": 0.04},
    "remaining_hot_spots": [{"line": 3, "share": 0.5}, {"line": 4, "place": "a.py:4", "share": 0.125}],
}  # fmt: skip
COMMAND = {
    "command": "c",
    "output": "compared",
    "timed_command": "c",
    "protected_files": {},
    "mutated_commands": 1,
    "sandbox_seconds": {},
}
PATCH = PatchEvidence(
    **COMMAND, project_tests={"passed": 1}, profile={}, edits=({"calls": 30}, {"calls": 4}, {}), left_out_edits=()
)
ALL_EVIDENCE = (
    EVIDENCE, WorkloadEvidence(), WorkloadEvidence(CallEvidence(0, {}, None, {}, 0)), WorkloadEvidence(CallEvidence(7, {"other": 3, "recorded": 4, "tests": 0}, None, {}, 1)),
    *(WorkloadEvidence(cases=CaseEvidence(n, n - 1, input_count=n, held_out=n)) for n in (0, 1, 1200)),
    WorkloadEvidence(command=CommandEvidence(**{**COMMAND, "output": "not at all"}, project_tests={})), WorkloadEvidence(command=PATCH),
    WorkloadEvidence(VersionEvidence(True, 2, 3, 0, 5, 1010), command=TwoVersionsEvidence(**COMMAND, project_tests={"passed": 1200}, functions=())),
)  # fmt: skip


def briefed() -> Iterator[object]:
    """The end of a run: a line a value, by what was found, what it cost and how it was checked."""
    caveats = tuple(Caveat(kind, f"f({n})", str(n), str(n + 50)) for n, kind in enumerate(CaveatKind))
    gaps = (Diagnostic("gap 99"), Diagnostic("7"))
    yield from ([numbers_of(line) for line in evidence_line(each)] for each in ALL_EVIDENCE)
    for decision in Decision:
        about = About.SPEED if decision is Decision.INCONCLUSIVE else None
        for at, known in enumerate(ALL_EVIDENCE[:6]):
            figures = None if at == 1 else Speedup.of(comparison(decision))
            found = Verdict(
                decision,
                "why 8",
                about=about,
                speedup=figures,
                caveats=caveats[: 3 * at],
                evidence=replace(known, gaps=gaps[: at % 3]),
            )
            for more in ({}, {"accepted": False}, {"best_round": at, "cost_usd": None}, {"task": "memory", "accepted": False, "tokens": {**RUN["tokens"], "in": 0, "out": 0}},
                         {"edits": [EDIT, EDIT], "left_out_edits": [{**EDIT, "never_called": at % 2}]}, {"edits": [{**EDIT, "ablation": {"ratio": None}}], "left_out_edits": [], "benchmarks": BENCHMARKS}):  # fmt: skip
                told = {**PairResult(found, "bubblewrap", "namespaces").to_json(), **RUN, **more}
                told.setdefault("speedup", None)
                yield [numbers_of(line) for line in verdict_lines(told)]
                yield from (
                    [numbers_of(line) for line in below_verdict(told, verbose=verbose)] for verbose in (False, True)
                )


def reported() -> Iterator[object]:
    for found in (review(FILES, ONE_HUNK, IN_NEW, OUTSIDE), review(FILES)):
        for name in plugins.names("codeopt.reporters"):
            text = plugins.load("codeopt.reporters", name).render(found)
            yield name, text if name in ("rdjson", "sarif", "json", "gitlab", "patch") else numbers_of(text)
    yield diff_of([])


def batches() -> Iterator[object]:
    with TemporaryDirectory() as folder:
        store = BatchFolder(Path(folder, "run"), create=True)
        fill(store)
        found = measure_batch(store)
        both = versus(found, found)
        told = re.sub(
            r"\d{4}-\d\d-\d\d[T ][\d:.+Z]*|codeopt [\d.]+",
            "",
            json.dumps(as_json(found, both), sort_keys=True, default=str),
        )
        yield re.sub(r'"machine": \{[^}]*\}', "", told).replace(folder, "@")
        rows = io.StringIO()
        write_csv(found, rows)
        yield rows.getvalue()
        yield found.opt, found.correct, found.mean_speedup, found.geomean, found.rounds
        yield both.pairs if hasattr(both, "pairs") else ""
        yield metric_lines([("a", ("1", "2")), ("bbb", ("33", ""))])
        write_files(Path(folder), {"log": "a\n b \n\n", "long": "x" * 900, "empty": " \n"})
        yield [last_line(Path(folder, name)) for name in ("log", "long", "empty", "none")]
        yield (
            len("".join(page(store, found, both))) > 1000,
            numbers_of(
                re.sub(
                    r"<style>.*?</style>|<script.*?</script>|<footer>.*?</footer>",
                    "",
                    "".join(page(store, found, both)),
                    flags=re.DOTALL,
                )
            ).replace(folder, "@"),
        )
    chance = random.Random(3)
    for count in (0, 1, 2, 5, 30):
        values = [chance.uniform(0.5, 3) for _ in range(count)]
        flags = [value > 1 for value in values]
        yield [round(each, 9) if isinstance(each, float) else each for each in (mean(values), sign_flip_p(values))]
        yield mcnemar_p(count, 3), (share(flags), wilson(sum(flags), count)) if count else 0
        yield (estimate(values, mean), estimate_geometric(values)) if values else ""


def stacked() -> Iterator[object]:
    spots = [Frame("<module>", "m.py", 0), Frame("a", "m.py", 3), Frame("b", "n.py", 9), Frame("C.d", "n.py", 20)]
    samples = (
        (tuple(spots[:2]), 3.0),
        (tuple(spots[:3]), 5.0),
        (tuple(spots), 1.5),
        ((spots[0], spots[2]), 0.5),
        ((), 0.25),
    )
    found = StackProfile.of("p", "seconds", samples)
    yield found, found.total
    yield call_tree(found), call_tree(found, 0.2), write_collapsed(found), write_speedscope(found)
    yield read_collapsed("x", write_collapsed(found).splitlines())
    yield read_speedscope("x", json.loads(write_speedscope(found)))


REPLIES = ("SUMMARY: a set\n```python\nprint(1)\n```", "```\nx = 1\n```\ntext\n```python\ny = 2\nprint(y)\n```", "no program", "VERDICT: DONE", "Fine.\n**VERDICT: IMPROVE**", "<think>a\n```python\nz\n```</think>b",
           "```python\ndef f(:\n```", "```diff\n-n = int(input())\n+n = 3\n```", "", "Here it is:\n\n    print(1)\n", "```python\nprint(1)", '{"source": "print(1)", "summary": "s"}')  # fmt: skip


def replied() -> Iterator[object]:
    for text in REPLIES:
        draft = to_draft(reply(text), original().source)
        yield draft.source, draft.summary, bool(draft.problem), is_done(text), critique_text(text), thoughts_in(text)
        rest, below = draft_below(text, reply(text), original().source)
        yield rest, below and below.source


PLANS: tuple[dict[str, object], ...] = (
    {}, {"metric": "wall", "max_pairs": 9}, {"task": "memory", "no_profile": True}, {"task": "runtime,memory", "min_gain": 0.2},
    {"model": "rules", "max_rounds": 2, "select": ("seen_set",)}, {"ignore": ("ruff", "counter"), "max_seconds": 60.0},
    {"model": "scripted:gone.txt", "max_cost": 2.0}, {"task": "readability"}, {"select": ("ruff:nothing",)}, {"strict": True},
    {"search": "best-of"},
    {"timeout": 2.0, "memory": 64, "strict": True, "mutated_inputs": "off", "check": "exact", "sandbox": "process"},
)  # fmt: skip
MODULES = {
    "m/a.py": "def f(xs: list[int]) -> int:\n    return len(xs)\n\n\ndef _h(x):\n    return x\n\n\nclass C:\n    def g(self, n: int) -> int:\n        return n\n",
    "m/sub/b.py": "def f(n: int) -> int:\n    return n\n", "m/tests/test_a.py": "def test_f():\n    pass\n", "bad/c.py": "def (\n",
    "none/d.py": "X = 3\n",
}  # fmt: skip


def several() -> Iterator[object]:
    """What a folder has to improve, and what is said of several that were."""
    with TemporaryDirectory() as folder:
        write_files(Path(folder), MODULES)
        for name in (*MODULES, "m", "bad", "none", "gone"):
            for limits in (ReviewBudget(), ReviewBudget(1), ReviewBudget(clock=RunClock(0.0))):
                found = tried(find_several, Path(folder, name), limits)
                yield name, found if isinstance(found, str) else [
                    [(each.path.rpartition(name)[2], each.function, each.share) for each in found[0]],
                    [(row.target.path.rpartition(name)[2], row.function, row.state, row.is_left) for row in found[1]],
                ]  # fmt: skip
    target, tried_ = ReviewTarget("m.py", "f", file=Path("m.py"), share=0.5), []
    for state in RowState:
        for row in (FunctionRow(target, "why", state=state), FunctionRow(target, suggestion=ONE_HUNK, state=state)):
            for failure in (0, 3):
                found = ImprovedSeveral((row,), notices=("a", "b"), failure=failure, seconds=1.23456)
                told = {**found.answer("m.py").to_json(), "reason": "", "folder": "", "machine": ""}
                yield numbers_of(found.reason), found.is_refused, found.left, found.stop_reason, told
                tried_.append(replace(row, target=replace(target, function=f"f{len(tried_)}")))
    yield from (numbers_of(table_of_all(Tried(tuple(tried_[at:]), failure=at))) for at in (0, 3, 9))


LIMITED = (None, LimitTest(0.05, LimitAnswer.PASS, 0.01, 20), LimitTest(0.2, LimitAnswer.FAIL, 0.01, 9))


def planned() -> Iterator[object]:
    """What a run decides before it begins, and how long its comparisons may take."""
    for values in PLANS:
        plan = tried(lambda values=values: make_plan(ImproveOptions.of({"model": "rules", **values})))
        yield values, plan if isinstance(plan, str) else (
            plan.options.model, plan.task.name, plan.models, [each.name for each in plan.built_in], plan.tries_ruff,
            plan.stopping_rule, plan.task.measured_second, plan.profile_modes, plan.profile_drafts, plan.budget, plan.proposer,
            plan.search.patience, plan.search.floor, plan.uses_model,
        )  # fmt: skip
    for longest_s in (0.01, 0.4, 2.0, 60.0):
        for repeats in (1, 20):
            plan = Plan(CASES, "cpu", repeats, longest_s=longest_s)
            yield said_of_long_runs(plan, StoppingRule()), said_of_long_runs(plan, StoppingRule(max_seconds=5.0))
    for rule in (StoppingRule(), StoppingRule(max_pairs=9), granted(StoppingRule(), ImproveOptions(), 0.05)):
        told: list[str] = []
        for pairs in (0, 1, 5, 6, 7, 8, 20, 21, 99):
            ComparisonProgress("timing", rule, told.append)(pairs)
        yield told, [more_pairs(pairs, rule.max_pairs, seconds) for pairs in (8, 9, 300) for seconds in (30.0, 31.0)]
    for limit in (None, 0.05):
        for found in (Verdict(Decision.SLOWER, speedup=Speedup(0.9, None, 0.9, 0), limit=each) for each in LIMITED):
            yield answered(limit, found), answered(limit, replace(found, speedup=Speedup(0.96, None, 0.96, 0)))


def listed() -> Iterator[object]:
    """What is shown before anything runs: rules and tasks."""
    for select, ignore in (
        ((), ()),
        ((), ("counter",)),
        (("counter",), ()),
        ((rule.name for rule in all_rules()), ("seen_set",)),
    ):
        text = list_rules(tuple(select), ignore)
        yield [(re.match(r"[\w+-]*", line)[0], len(line) <= 100) for line in text.splitlines()], text.count("\n\n")  # type: ignore[index]
    yield [line.split()[0] for line in list_tasks().splitlines()], numbers_of(list_tasks())


def drawn() -> Iterator[object]:
    """Charts of a run and of a batch."""
    times = (CaseTimes("a", (2.0, 4.0, 3.0), (1.0, 1.0, 1.0)), CaseTimes("b", (2.0, 0.0, 1.0), (1.0, 1.0, 1.0)))
    for found in (comparison(cases=times, wall_ratios=(1.5, 1.6, 1.7)), comparison(cases=times, ratio=1.4), comparison(cases=()),
                  comparison(cases=(CaseTimes("a", (40.0, 44.0), (1.0, 1.0)),), ratio=42.0, metric="memory")):  # fmt: skip
        yield charts.pairs_chart(found), charts.times_chart(found)
    yield from (charts.rounds_chart(CANDIDATES[start:], best) for start in (2, 5) for best in (None, 3))
    for count in (0, 1, 5, 80):
        marks = [charts.Mark(f"p {n}", ("solved", "kept", "failed")[n % 3], 1 + n / 10, 1.0, 9.0, 2.0 if n % 2 else None, n)
                 for n in range(count)]  # fmt: skip
        yield tried(charts.speedups, marks, 1.1), tried(charts.costs, marks, "{:.0f} s".format)
        shares = [charts.RoundShares(n + 1, 0.9, n / 80, n / 90, n / 70) for n in range(count)]
        yield tried(charts.by_round, shares, 0.4), tried(charts.by_round, shares, None)
    for low, high in ((0.95, 60.0), (38.0, 130.0), (0.93, 1.12), (1.88, 2.31), (0.95, 2e5), (1.0, 1.0001)):
        axis = charts.Axis(low, high)
        yield axis.ticks(), charts.Axis(low, high, 90, log=False).ticks(), axis.bottom, axis.y(1.0)
        yield axis.share(2 * high)


ROWS: dict[str, Row] = {
    "plans": planned, "charts": drawn, "listings": listed, "several": several, "rows": explained,
    "converters": converted, "figures": said, "texts": sanitized, "options": options, "limits": limited, "candidates": judged, "verdicts": verdicts,
    "reports": reported, "briefs": briefed, "batches": batches, "stacks": stacked, "replies": replied,
}  # fmt: skip


test_the_same_is_made, test_the_table_has_these_rows = compared_with(TABLE, ROWS)


if __name__ == "__main__":
    write_down(TABLE, ROWS)
