"""The published schemas hold for what is printed, and no field of earlier releases is lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import BaseModel

from codeopt.core.cache import Machine
from codeopt.core.evidence import CaseEvidence, CommandEvidence, PatchEvidence, TwoVersionsEvidence, WorkloadEvidence
from codeopt.core.words import Speedup
from codeopt.engine.compare import PairResult
from codeopt.report.answers import PRINTED, JudgedJson, RoundFields, gather_judged, read_verdict, serialize
from codeopt.report.verdict import Verdict
from codeopt.review.reporters.json import answer as review_answer
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.outcome import CaseVerdict
from docs.schema import schema
from tests.codeopt.command import FAST, NO_FEEDBACK, QUICK, SLOW, codeopt, reply, write_problem
from tests.support.candidates import comparison, outcome, right
from tests.support.files import make_repository
from tests.support.reviews import FILES, ONE_HUNK, OUTSIDE, review

COUNTS = "def count(values, value):\n    return sum(v == value for v in values)\n"
FIELDS = {
    "improve": "schema codeopt_version file target folder task model sandbox isolation python accepted reason "
    "stop_reason speedup task_score best_round sha256_before sha256_after tests input_seed evidence "
    "recording notes caveats by_size diagnostics remaining_hot_spots remaining_memory_spots next_step rounds "
    "tokens effort cost_usd seconds machine run",
    "compare": "schema verdict reason ratio ci_low ci_high pairs by_size evidence timed diagnostics settings notes "
    "caveats sandbox runtime python machine next_step",
    "check": "schema python improved functions diagnostics not_checked_reason",
    "review": "schema codeopt_version base head suggestions skipped notices diagnostics not_checked_reason "
    "machine python cost_usd",
    "compare-change": "schema base head functions failed",
    "improve-several": "schema target python improved functions results diff diagnostics not_checked_reason "
    "stop_reason cost_usd",
    "profile-run": "schema command python seconds cpu_seconds functions lines libraries imports targets start_share "
    "waiting_share notes",
    "profile": "schema case python lines functions python_share native_share system_share memory notes",
}
"""Fields of each object before there were schemas."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("answers")
    write_problem(path, SLOW, words=1200)
    (path / "fast.py").write_text(FAST)
    (path / "answers.txt").write_text(reply(FAST, "a set"))
    return path


def printed(name: str, folder: Path) -> dict[str, Any]:
    """The object of a command; a review's from a review that was made by hand."""
    if name == "review":
        rounds = printed("improve", folder)
        shown = [replace(each, verdict=read_verdict(rounds)) for each in (ONE_HUNK, OUTSIDE)]
        found: dict[str, Any] = review_answer(review(FILES, *shown)).to_json()
        return found
    short = ("--sandbox", "bubblewrap", "-q", "--json")
    once = ("slow.py", "--model", "scripted:answers.txt", "-n", "1", *QUICK, "-q", "--json")
    command = "python -c 'import slow; slow.count([*range(200000)], 3)'"
    return {
        "improve": lambda: codeopt("improve", *once, cwd=folder, env=NO_FEEDBACK),
        "compare": lambda: codeopt("compare", "slow.py", "fast.py", *short, "--max-pairs", "20", cwd=folder),
        "check": lambda: codeopt("check", "--json", "-q", cwd=folder / "empty"),
        "improve-several": lambda: codeopt("improve", "slow.py", *short, "--model", "rules", cwd=changed(folder)),
        "compare-change": lambda: codeopt("compare", "--base", "HEAD", *short, cwd=changed(folder)),
        "profile": lambda: codeopt("profile", "slow.py", *short, cwd=folder),
        "profile-run": lambda: codeopt("profile", "--run", command, *short, cwd=changed(folder)),
    }[name]().json


def changed(folder: Path) -> Path:
    """A repository with a function that was changed since its only commit."""
    path = folder / "changed"
    if not path.exists():
        tests = "from slow import count\n\ndef test():\n    assert count([1, 1], 1) == 2\n"
        make_repository(path, {"slow.py": COUNTS, "test_slow.py": tests}, "before")
        (path / "slow.py").write_text(COUNTS.replace("sum(v == value for v in values)", "values.count(value)"))
    return path


def unnamed(found: BaseModel) -> Iterator[str]:
    """Fields that no model names, at any depth."""
    yield from found.model_extra or ()
    for value in found.__dict__.values():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, BaseModel):
                yield from unnamed(each)


OF_REPORT = {
    "report": "schema problems judged status opt_share correct_share geomean_speedup intervals rounds failures"
}


@pytest.mark.parametrize("name", FIELDS)
def test_what_is_printed_is_as_its_schema_says(name: str, folder: Path) -> None:
    (folder / "empty").mkdir(exist_ok=True)
    found, model = printed(name, folder), PRINTED[name]
    assert set(FIELDS[name].split()) <= set(found)
    jsonschema.Draft202012Validator(model.model_json_schema()).validate(found)
    assert not set(unnamed(model.model_validate(found)))


@pytest.mark.parametrize(
    ("change", "verdict", "about", "failure"),
    [
        ({"comparison": None, "ablation": (("original", 1.5),)}, "screened", None, None),
        ({"comparison": None}, "inconclusive", "speed", None),
        ({"rejection": "it knows the cases"}, "wrong", None, "guard"),
        ({"outcomes": (outcome(verdict=CaseVerdict.TLE),)}, "wrong", None, "time_limit"),
        ({"comparison": comparison(decision=Decision.WRONG)}, "wrong", None, "wrong_output"),
        ({"comparison": comparison(decision=Decision.INCONCLUSIVE)}, "inconclusive", "speed", None),
        ({}, "faster", None, None),
    ],
)
def test_a_round_has_one_verdict(change: dict[str, Any], verdict: str, about: str | None, failure: str | None) -> None:
    found = serialize(RoundFields.of(replace(right(), **change)))
    assert (found["verdict"], found["inconclusive_about"], found["failure"]) == (verdict, about, failure)


@pytest.mark.parametrize("pairs", [None, 0, 9])
def test_cases_of_a_comparison_are_the_timed_ones(pairs: int | None) -> None:
    """The evidence has cases too: those of a program that was judged."""
    speedup = None if pairs is None else Speedup(2.0, 1.5, 3.0, pairs)
    evidence = WorkloadEvidence(cases=CaseEvidence(3, 0, 0, 1))
    found = PairResult(replace(Verdict.not_judged("wrong"), speedup=speedup, evidence=evidence)).to_json()
    assert (found.get("cases", []), found["tests"]["total"]) == ([], 3)


COMMAND: dict[str, Any] = {
    "command": "python run.py", "project_tests": {"passed": 1}, "output": "compared", "timed_command": "the command",
    "protected_files": {}, "mutated_commands": 0, "sandbox_seconds": {},
}  # fmt: skip


@pytest.mark.parametrize("kind", [CommandEvidence, PatchEvidence, TwoVersionsEvidence])
@pytest.mark.parametrize("region", [None, {"ratio": 2.0}])
def test_a_verdict_on_a_command_is_read_back(kind: type[CommandEvidence], region: dict[str, Any] | None) -> None:
    patch: dict[str, Any] = {"profile": {}, "edits": (), "left_out_edits": ()}
    more = {PatchEvidence: patch, TwoVersionsEvidence: {"functions": ()}}.get(kind, {})
    command = kind(**COMMAND, **more, hot_region=region)
    verdict = Verdict(Decision.SAME, "no rule applies", evidence=WorkloadEvidence(command=command))
    # `functions` are on their own in the answer of a comparison, which no one reads back
    known = {"sandbox": "", "python": None, "machine": Machine("", 2, "", ""), "next_step": "", "speedup": None, **more}
    assert read_verdict(gather_judged(JudgedJson, verdict, **known).to_json()) == verdict


@pytest.mark.parametrize("name", PRINTED)
def test_the_site_has_the_schema(name: str) -> None:
    found = schema()
    jsonschema.Draft202012Validator.check_schema(found)
    model = found["$defs"][found["commands"][name]["$ref"].removeprefix("#/$defs/")]
    assert set({**FIELDS, **OF_REPORT}[name].split()) <= set(model["properties"])
