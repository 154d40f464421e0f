"""The objects that `--json` prints, made of the values that were measured, and read back.

Fields may be added, these stay. A tool's answer to an agent is the same without empty fields.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, TypeAdapter

from codeopt.core.cache import Machine
from codeopt.core.errors import Diagnostic
from codeopt.core.evidence import BySize, CallEvidence, CaseEvidence, LibraryEvidence, VersionEvidence
from codeopt.core.history import Candidate, Refusal, TaskScore, TestsRun
from codeopt.core.interpreter import Interpreter
from codeopt.core.words import Metric, Speedup, TimedCase
from codeopt.report import verdict as judged
from codeopt.report.verdict import About, FailureKind, Verdict
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.outcome import Caveat, ChangedSetting
from codeopt_sandbox.profile import HotFunction, HotLine, MemoryLine, Profile
from codeopt_sandbox.sequential_test import LimitTest

T = TypeVar("T")
SERIALIZED = ConfigDict(from_attributes=True, ser_json_inf_nan="constants", serialize_by_alias=True)
"""Rules by which each answer and each part of one becomes JSON: a part is any frozen dataclass of the house."""


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(tuple[kind], config=SERIALIZED)  # pydantic refuses a config for a bare dataclass


def serialize(part: Any) -> Any:
    """A frozen dataclass as the JSON of an answer has it."""
    return _adapter(cast(Hashable, type(part))).dump_python((part,), mode="json")[0]


def read(kind: type[T], dumped: Any) -> T:
    """The part that was dumped. Raises pydantic.ValidationError for anything else."""
    part: T = _adapter(cast(Hashable, kind)).validate_python((dumped,))[0]
    return part


def gather(kind: type[T], *values: object, **known: Any) -> T:
    """An answer, or a part of one, with the attributes of the values by the names of its fields.

    The first value that knows a field counts. A field that has a default is left out if none does.
    known: fields that no value has by the same name.
    """
    if issubclass(kind, BaseModel):
        optional = {name: not field.is_required() for name, field in kind.model_fields.items()}
    else:
        optional = {field.name: field.default is not MISSING for field in fields(cast(Any, kind))}
    for name in optional:
        held = [getattr(value, name) for value in values if hasattr(value, name)]
        found = next((each for each in held if each is not None), None)
        if found is not None or (held and not optional[name]):
            known.setdefault(name, found)
    return kind(**known)


def gather_judged(kind: type[T], verdict: Verdict, *values: object, **known: Any) -> T:
    """The same of an answer that has a verdict with its evidence."""
    evidence = verdict.evidence
    known |= {"verdict": verdict.outcome, "inconclusive_about": verdict.about, "evidence": evidence.checked}
    known |= {"tests": evidence.cases, "diagnostics": evidence.gaps}
    others = replace(evidence, cases=None)  # an answer calls them `tests`; its `cases` are the timed ones
    return gather(kind, verdict, evidence.command, others, *values, **known)


def read_verdict(answer: Mapping[str, Any]) -> Verdict:
    """The verdict in an object of `codeopt improve --json`. Raises ValueError or KeyError for another object."""
    evidence = {
        **answer,
        "checked": answer["evidence"],
        "cases": answer["tests"],
        "gaps": answer["diagnostics"],
        "command": answer if answer.get("command") else None,
    }
    known = {"outcome": answer["verdict"], "about": answer["inconclusive_about"], "speedup": answer["speedup"]}
    return read(Verdict, {**answer, **known, "evidence": evidence})


class AnswerFields(BaseModel):
    """One object; fields may be added. It is built from keywords or from JSON."""

    model_config = ConfigDict(**SERIALIZED, extra="allow", defer_build=True)  # all schemas take half a second

    def to_json(self) -> dict[str, Any]:
        """The fields that were given, as they are printed and saved."""
        return self.model_dump(mode="json", exclude_unset=True)


Python = Annotated[
    Interpreter | None,
    PlainSerializer(lambda found: found and found.to_json(), return_type=dict[str, str | None] | None),
    Field(description="path, version, pytest, origin. null: an image's own, or nothing was run"),
]
Ratio = Annotated[float | None, Field(description="Speedup, OLD over NEW; below 1: slower. null: not measured")]
Outcome = Annotated[
    Decision,
    Field(
        description="wrong: it does something else, `reason` has the input, what was expected and what came. "
        "same: right, and as fast"
    ),
]
InconclusiveAbout = Annotated[
    About | None,
    Field(
        description="Of `inconclusive`. result: it could not be judged to the end. speed: it is right, and its pairs "
        "could not decide. null: of any other verdict"
    ),
]
TimedCommand = Annotated[str, Field(description="`the command`, or the larger one that is timed as it is too short")]
HotRegion = Annotated[
    dict[str, Any] | None,
    Field(description="Apart from start and imports: OLD's apart_s and whole_s, ratio, ci_low, ci_high, or why_not"),
]
Rows = list[dict[str, Any]]
Ends = tuple[float | None, float | None]
"""An interval. Null: not known."""


def figures(speedup: Speedup | None) -> dict[str, Any]:
    """The fields of a comparison's figures; only the bound where the new version was given up."""
    if speedup is None:
        return {"ratio": None, "ci_low": None, "ci_high": None, "pairs": 0}
    known = vars(speedup)
    return known if speedup.pairs else {name: known[name] for name in ("ratio", "ci_low", "ci_high", "pairs", "metric")}


@dataclass(frozen=True, kw_only=True)
class AgainstBestFields(Speedup):
    """A draft against the best one before it."""

    round: int
    """The round of the best one before it."""


@dataclass(frozen=True, kw_only=True)
class RoundFields:
    """One draft, judged."""

    round: int
    verdict: Decision | Literal["screened"]
    """screened: right, and timed only next to other drafts."""
    inconclusive_about: InconclusiveAbout
    failure: FailureKind | None
    """Kind of failure. guard: its results are right, and a guard rejects it; `rejection` says why."""
    summary: str
    changes: tuple[str, ...]
    ablations: Mapping[str, float]
    """Time without each change, relative to this draft."""
    turn: int
    parents: tuple[int, ...]
    chain: int
    model: str | None
    effort: Mapping[str, float]
    rejection: str
    """Why it is wrong or rejected; empty for others."""
    settings: tuple[ChangedSetting, ...]
    verdicts: Mapping[str, int]
    speedup: Speedup | None
    against_best: AgainstBestFields | None
    task_score: TaskScore | None
    critique: str
    hot_lines: tuple[HotLine, ...]
    unfinished: str
    """What is known of one that was not judged to its end; empty for others."""
    project_tests: TestsRun | None
    """Test files of the project and tests that passed so far; null if none was asked for."""
    diff: str
    """To the original."""

    @classmethod
    def of(cls, candidate: Candidate, diff: str = "") -> RoundFields:
        decision, about = judged.verdict_of(candidate)
        best, screened = candidate.against_best, judged.is_screened(candidate)
        return gather(
            cls,
            candidate,
            verdict=judged.SCREENED if screened else decision,
            inconclusive_about=None if screened else about,
            failure=judged.failure_of(candidate),
            ablations=dict(candidate.ablation),
            model=candidate.model or None,
            effort=candidate.effort.to_json(),
            rejection=judged.why(candidate),
            verdicts=dict(Counter(str(outcome.verdict) for outcome in candidate.outcomes)),
            speedup=Speedup.of(candidate.comparison) if candidate.comparison else None,
            against_best=AgainstBestFields(**vars(Speedup.of(best.comparison)), round=best.round) if best else None,
            hot_lines=candidate.profile.lines[:5] if candidate.profile else (),
            unfinished=judged.so_far(candidate) if candidate.step else "",
            project_tests=candidate.tests,
            diff=diff,
        )


class JudgedJson(AnswerFields):
    """The verdict and its evidence, with where it was judged, as the objects of `improve` and `compare` have them."""

    verdict: Outcome
    inconclusive_about: InconclusiveAbout
    reason: str = Field(description="Why, with the counterexample where there is one")
    caveats: tuple[Caveat, ...] = Field(description="Differences on unusual inputs")
    notes: tuple[str, ...]
    evidence: CallEvidence | VersionEvidence | None = Field(description="By what calls and tests it was judged")
    tests: CaseEvidence | None = Field(description="Of programs: their cases")
    diagnostics: tuple[Diagnostic, ...] = Field(description="What could not be run")
    timed: str | None = Field(description="Which calls, or which part of the input, were timed")
    timed_sizes: tuple[int, ...] = Field(description="Sizes of a function's timed calls, if readable")
    input_seed: int | None
    libraries: LibraryEvidence | None = Field(description="Libraries that a function's module loads")
    sandbox: str
    python: Python
    machine: Machine
    next_step: str = Field(description="What helps where nothing was found, or the pairs could not decide")
    command: str | None = Field(None, description="Of a project's command, and so the next seven")
    project_tests: dict[str, int] = {}
    output: str = ""
    sandbox_seconds: dict[str, float] = Field({}, description="Seconds in the sandbox, by purpose")
    protected_files: dict[str, Any] = Field({}, description="What measures and checks, the same on both sides")
    mutated_commands: int = 0
    timed_command: TimedCommand = ""
    hot_region: HotRegion = None


class ImproveJson(JudgedJson):
    """The object of `codeopt improve --json`, and `result.json` of a saved run."""

    schema_: Literal["codeopt.improve/2"] = Field(alias="schema")
    codeopt_version: str
    file: str
    target: str
    folder: str
    task: str
    model: str
    isolation: str
    accepted: bool = Field(description="A candidate is right and, twice, faster with statistical confidence")
    stop_reason: str
    speedup: Speedup | None = Field(
        description="Of the accepted version; of an inconclusive verdict that of the candidate that seems fastest"
    )
    best_round: int | None
    sha256_before: str
    sha256_after: str | None
    recording: Mapping[str, Any] | None
    by_size: BySize = BySize()
    remaining_hot_spots: tuple[HotLine, ...]
    remaining_memory_spots: tuple[MemoryLine, ...]
    rules_skipped: tuple[Refusal, ...] | None = Field(
        description="Why built-in rules made no candidate, most lines first; null if one was accepted, or none asked",
    )
    rounds: tuple[RoundFields, ...] = Field(description="Each candidate with its verdict")
    tokens: dict[str, int | bool] = Field(description="in, out, cached; and whether a server did not count: estimated")
    cost_usd: float | None
    effort: dict[str, float]
    seconds: float = Field(description="Wall-clock seconds from start to end, all sessions together")
    seconds_by_step: dict[str, float] = Field(description="The same by step; the sum is `seconds`")
    run: str
    task_score: TaskScore | None
    diff: str = Field("", description="Of the accepted version")
    edits: Rows = Field(
        [],
        description="Of a patch of a project, and so the fields from here on: file, qualname, ablation, together, "
        "calls, evidence, caveats of each",
    )
    left_out_edits: Rows = Field(
        [],
        description="Edits that were left out, as they do not pay: file, qualname, ratio, ci_low, ci_high, at, "
        "never_called",
    )
    profile: dict[str, Any] = Field({}, description="As `codeopt profile --run --json` prints it")
    benchmarks: dict[str, Any] | None = None


class CompareJson(JudgedJson):
    """The object of `codeopt compare --json`."""

    schema_: Literal["codeopt.compare/1"] = Field(alias="schema")
    path: str = Field("", description="Of one of several, and so `function`")
    function: str = ""
    ratio: Ratio
    ci_low: float | None
    ci_high: float | None
    pairs: int = Field(description="Timed pairs of runs")
    limit: LimitTest | None = Field(description="Whether the limit holds that fail_if_slower sets")
    by_size: BySize
    settings: tuple[ChangedSetting, ...]
    runtime: str
    confidence: float = Field(0.0, description="As in `speedup` of a result, and so the next seven; of timed ones")
    before: float | None = None
    after: float | None = None
    unit: Literal["s", "bytes"] = "s"
    metric: Metric = "cpu"
    method: str = ""
    sandbox_instances: int = 0
    cases: tuple[TimedCase, ...] = ()
    base: str = Field("", description="Of two versions of a project: the commit that OLD is; empty for two folders")
    functions: Rows = Field([], description="Public functions that differ: file, qualname, calls, why_none, caller")


class CompareChangeJson(AnswerFields):
    """The object of `codeopt compare --base REF --json`, and of `codeopt compare OLD NEW --json` of two modules."""

    schema_: Literal["codeopt.compare-change/1"] = Field(alias="schema")
    base: str = Field(description="The commit; of two modules the file OLD")
    head: str
    verdict: Decision = Field(description="The worst of all functions, as of one of them")
    inconclusive_about: InconclusiveAbout
    functions: tuple[CompareJson, ...] = Field(description="Each with its `path` and `function`")
    failed: int = Field(description="Functions that are slower beyond the limit")
    stop_reason: str = Field(description="Why some functions were not compared; empty where all were")


@dataclass(frozen=True, kw_only=True)
class JudgedRow:
    """One of several functions or programs, with its verdict."""

    path: str
    function: str
    verdict: Decision | None = None
    """Null: nothing is suggested, or it was not judged."""
    reason: str = ""
    """Why nothing is suggested."""
    speedup: Speedup | None = None
    by_size: BySize = BySize()
    changes: tuple[str, ...] = ()
    caveats: tuple[Caveat, ...] = ()
    share: float | None = None
    """Share of the tests' time, all that it calls included, 0 to 1. Null: not measured."""
    cached_from: str = ""
    """Time and place of an earlier run's verdict that was taken. Empty: it was judged now."""


@dataclass(frozen=True, kw_only=True)
class CheckedFunctionFields(JudgedRow):
    """One function or program of a check."""

    own_share: float | None = None
    """The same of its own lines and the built-ins that they call."""
    seconds: float


class TriedJson(AnswerFields):
    """The functions that `check` or `improve` tried, and why others were not."""

    improved: int = Field(description="How many can be faster, verified")
    not_checked_reason: str = Field(description="Why nothing could be looked at; empty where something was")
    functions: tuple[CheckedFunctionFields, ...]
    diagnostics: tuple[Diagnostic, ...]
    stop_reason: str = Field(description="Why some functions were not tried; empty where all were")
    tests_from: str = Field(description="Time of an earlier run of the tests whose figures these are; empty: a new one")
    python: Python


class CheckJson(TriedJson):
    """The object of `codeopt check --json`."""

    schema_: Literal["codeopt.check/1"] = Field(alias="schema")
    profile: str = Field(description="Name of the profile whose time ranks the functions; empty: that of their tests")


class ImproveSeveralJson(TriedJson):
    """The object of `codeopt improve --json` of a library module or a folder."""

    schema_: Literal["codeopt.improve-several/1"] = Field(alias="schema")
    target: str
    file: str
    folder: str
    accepted: bool = Field(description="At least one function is faster")
    reason: str
    run: str = Field(description="Folder of the saved run; empty where no function was begun")
    seconds: float
    results: dict[str, dict[str, Any]] = Field(description="Of each function that was tried, as of it alone")
    diff: str = Field(description="The patch of all that was accepted")
    cost_usd: float | None


@dataclass(frozen=True, kw_only=True)
class SuggestionFields(JudgedRow):
    """One verified change of a review."""

    task: str
    evidence: CallEvidence | VersionEvidence | None
    tests: CaseEvidence | None
    """Cases of a program."""
    together: int
    """Suggestions for the same file that were judged together."""
    sha256_before: str
    sha256_after: str
    diff: str


@dataclass(frozen=True, kw_only=True)
class SkippedFields:
    """One function that nothing is suggested for, and why."""

    path: str
    function: str
    reason: str


class ReviewJson(AnswerFields):
    """The object of `codeopt review --format json`."""

    schema_: Literal["codeopt.review/1"] = Field(alias="schema")
    codeopt_version: str
    base: str
    head: str
    suggestions: tuple[SuggestionFields, ...]
    skipped: tuple[SkippedFields, ...]
    notices: tuple[str, ...]
    limits: Rows = Field([], description="With --fail-if-slower: path, function, answer, words of what is altered")
    diagnostics: tuple[Diagnostic, ...]
    not_checked_reason: str
    machine: Machine
    python: Python
    cost_usd: float | None


class ProfileJson(AnswerFields):
    """The object of `codeopt profile --json`."""

    schema_: Literal["codeopt.profile/2"] = Field(alias="schema")
    case: str
    python: Python
    lines: tuple[HotLine, ...]
    functions: tuple[HotFunction, ...]
    python_share: float | None = Field(description="Share of the CPU time, 0 to 1, and so the next two")
    native_share: float | None
    system_share: float | None
    peak_mib: float | None
    copy_mib_s: float | None
    memory: tuple[MemoryLine, ...]
    waiting_share: float | None = Field(description="Share of the wall time without work, 0 to 1")
    notes: tuple[str, ...] = Field(description="What could not be measured, and why")


def profile_answer(profile: Profile, interpreter: Interpreter | None) -> ProfileJson:
    """A profile, with the interpreter that ran the program."""
    return gather(ProfileJson, profile, schema="codeopt.profile/2", python=interpreter)


class CommandProfileJson(AnswerFields):
    """The object of `codeopt profile --run --json`."""

    schema_: Literal["codeopt.profile-run/1"] = Field(alias="schema")
    lines: Rows = Field(description="Hottest first, each with its file, line and own_share")
    functions: Rows = Field(description="Largest share first")
    notes: tuple[str, ...] = Field(description="What could not be measured, and why")
    command: str
    python: Python
    seconds: float
    cpu_seconds: float
    libraries: Rows
    imports: Rows
    targets: Rows = Field(description="Functions by what could be gained in them, the largest first")
    start_share: float = Field(description="Share of the interpreter's own start")
    waiting_share: float = Field(description="Share of the wall time in which the command is not at work")
    wall_time_parts: Rows = Field([], description="The whole time by what it went to: name, seconds")
    queries: Rows = Field(
        [],
        description="Statements for a database by the line that asks: file, qualname, line, "
        "queries, most_of_one, statements, caller",
    )
    waits: Rows = Field([], description="Where it waits: file, qualname, line, library, seconds, share, for_others")


class ReportJson(AnswerFields):
    """The object of `codeopt report --json`, of a batch of programs."""

    schema_: Literal["codeopt.report/2"] = Field(alias="schema")
    problems: int
    judged: int = Field(description="Problems that were measured; the shares and means are of these")
    status: Mapping[str, int]
    opt_threshold: float = Field(description="Speedup from which a problem counts in opt_share")
    opt_share: float
    correct_share: float
    geomean_speedup: float
    mean_speedup: float
    intervals: Mapping[str, Ends] = Field(description="95% intervals of these four")
    rounds: Rows = Field(
        description="k, candidates, correct_share, opt_share, opt_interval, newly_solved, geomean_speedup"
    )
    failures: Rows = Field(description="problem, status, fault, reason")
    reference: dict[str, Any] | None = Field(description="The same of the programs that people wrote")
    tokens: int
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    effort: Mapping[str, float]
    replies: int
    cost_usd: float | None
    solved: int
    tokens_per_solved: float | None
    cost_usd_per_solved: float | None
    seconds: float
    programs_s: float = Field(description="Seconds in which programs ran")
    overhead_share: float | None
    settings: Mapping[str, Any]
    machine: Mapping[str, Any]
    python: Mapping[str, Any] | None
    created: str
    sandbox: str
    task: dict[str, Any] | None = Field(description="Measures of a task of its own")
    rows: Rows = Field(description="One for each problem")
    compare: dict[str, Any] | None = Field(None, description="With --compare: a paired test against another batch")


PRINTED: dict[str, type[AnswerFields]] = {
    "check": CheckJson,
    "compare": CompareJson,
    "compare-change": CompareChangeJson,
    "improve": ImproveJson,
    "improve-several": ImproveSeveralJson,
    "profile": ProfileJson,
    "profile-run": CommandProfileJson,
    "report": ReportJson,
    "review": ReviewJson,
}
"""The object that each command prints with --json."""
