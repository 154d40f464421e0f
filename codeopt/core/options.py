"""The options of an improvement: one frozen value, whose fields are the table of options.

Each field carries its converter, help, default and the sources that may set it. Flags, settings, variables, keywords of
the Python API and the page of the documentation come from this table alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, Self, get_args

from codeopt.core.errors import UsageError
from codeopt.core.flag import (
    Flag,
    FlagKind,
    FlagUse,
    SettableBy,
    checker_name,
    count,
    count_or_zero,
    duration,
    examples,
    expression,
    flag_of,
    names,
    observables,
    option,
    paths,
    positive,
    share_above_zero,
    text,
    texts,
    under,
    uses,
)
from codeopt_sandbox import RunLimits
from codeopt_sandbox.comparing import Observable
from codeopt_sandbox.host import BACKENDS


class FuzzPolicy(StrEnum):
    """Weight of a difference on a mutated input."""

    AUTO = "auto"
    STRICT = "strict"
    LENIENT = "lenient"
    OFF = "off"


Feedback = Literal["measured+critique", "measured", "critique", "generic", "none"]
ClockChoice = Literal["auto", "cpu", "wall", "memory"]
ISOLATED = "isolated"
"""Sandbox choice: as auto, but the user's own program is not run as a plain process either."""

_LIMITS = RunLimits()
_MANY_S = 60.0
"""Time limit of one run where many targets share the time, seconds: one that hangs may not take all of it."""
_CHANGE = SettableBy.OF_A_CHANGE
QUICK_S = 30.0
"""Time limit of --quick, seconds."""
_EACH_TIME = SettableBy.EACH_TIME
_PLUG_IN = SettableBy.PLUG_IN
_READ = SettableBy.READ
_USER = SettableBy.USER
_WRITTEN = SettableBy.WRITTEN
_JUDGING = "Checks and timing"
_RESULT = "Result"
_CLIENTS = "What clients may do"

_case = partial(option, group="How results are checked")
_function = partial(option, group="Functions")
_draft = partial(option, group="Who writes the changes")
_budget = partial(option, group="Limits")
_judging = partial(option, group=_JUDGING)
_sandbox = partial(option, group="Sandbox")
_result = partial(option, group=_RESULT)
_experiment = partial(option, has_flag=False)


@dataclass(frozen=True)
class ImproveOptions:
    """Options of an improvement, a comparison or a profile.

    Each field is a flag by the same name, with exceptions: `with_paths` (`--with`), `args` (the words after `--`), and
    those without a flag, which [tool.codeopt] or a variable gives.
    """

    task: str = option(
        "runtime",
        "NAME",
        "what to improve: runtime, memory, readability, or a module of yours",
        short="-t",
        setting=_PLUG_IN,
    )
    workload: str = _experiment(
        "", "NAME", "kind of the target: program, function, or a module of yours", unset="detected", setting=_PLUG_IN
    )

    cases: Path | None = _case(
        None,
        "DIR",
        "test cases: input.N.txt and output.N.txt, in/ and out/, or generate.py",
        Path,
        setting=_READ,
        unset="next to the script",
    )
    stdin: Path | None = _case(
        None, "FILE", "one input: the original's output is the expected one", Path, setting=_READ
    )
    args: tuple[str, ...] | None = option(
        None, "", "arguments of the program, and the files that they name", texts, option="-- ARGS", setting=_EACH_TIME
    )
    with_paths: tuple[Path, ...] = _case(
        (),
        "PATH",
        "file or folder that a run can read, also several times",
        paths,
        item=Path,
        option="--with",
        setting=_READ,
    )
    env: tuple[str, ...] = _case(
        (),
        "NAME[=VALUE]",
        "environment variable of a run, also several times: NAME passes yours on",
        names,
        item=text,
        setting=SettableBy.VARIABLES,
    )
    ignore_output: tuple[str, ...] = _case(
        (), "GLOB", "written files to ignore, or re:PATTERN for parts of what --run prints", names, item=text
    )
    check: str = _case(
        "tokens", "HOW", "compare outputs by tokens, exact, float:TOLERANCE, or your own FILE::accept", checker_name
    )
    mutated_inputs: FuzzPolicy = _case(
        FuzzPolicy.AUTO, "HOW", "check mutated inputs also: auto, strict, lenient, off", FuzzPolicy, choices=FuzzPolicy
    )
    max_examples: int | None = _case(
        None, "N", "maximum number of generated calls or inputs", examples, unset="1000 calls, 100 inputs"
    )
    strict: bool = _case(False, "", "also reject a change with a caveat: a difference on unusual input", bool)
    ignore_difference: tuple[Observable, ...] = _function(
        (),
        "NAME",
        "part of answers to ignore: arguments, output or state, also several times",
        observables,
        item=Observable,
        choices=Observable,
    )
    calls: Path | None = _function(
        None, "FILE", "calls of the function: CALLS, and BIG for timing", Path, setting=_READ
    )
    contract: str = _function(
        "",
        "EXPRESSION",
        "condition of usual calls: a difference on others is a caveat",
        expression,
        unset="that of known calls",
    )
    tests: tuple[Path, ...] = _function(
        (),
        "PATH",
        "pytest files for the function, also several times",
        paths,
        item=Path,
        unset="detected",
        setting=_READ,
    )
    no_tests: bool = _function(False, "", "do not use existing tests", bool)
    run: str | None = option(
        None,
        "COMMAND",
        "make this command of a project faster, or record calls of FILE::FUNCTION by it, not isolated",
        setting=_EACH_TIME,
    )

    model: str | None = _draft(
        None,
        "NAME",
        "author of changes: rules, a model, or several in turn (A,B)",
        setting=SettableBy.MODEL,
        unset="a configured model, otherwise rules",
    )
    base_url: str | None = _draft(
        None, "URL", "address of an OpenAI-compatible server", unset="OPENAI_BASE_URL", setting=_USER
    )
    api_key_env: str | None = _draft(
        None, "NAME", "name of the variable that holds the server's key", unset="OPENAI_API_KEY", setting=_USER
    )
    feedback: Feedback = _experiment(
        "measured+critique", None, "feedback that a model gets", choices=get_args(Feedback)
    )
    context_tokens: int = _experiment(128_000, "N", "context window of the model in tokens", count)
    structured: bool = _draft(False, "", "ask a model for JSON", bool)
    record: Path | None = _draft(
        None, "FILE", "save the conversation with the model, for --model replay:FILE", Path, setting=_WRITTEN
    )
    select: tuple[str, ...] = _draft(
        (), "RULES", "use only these built-in rules: A,B", names, unset="all", setting=SettableBy.RULES
    )
    ignore: tuple[str, ...] = _draft(
        (), "RULES", "do not use these built-in rules: A,B, or ruff for its fixes", names, setting=SettableBy.RULES
    )

    search: str = _experiment(
        "chain", "NAME", "search strategy: chain, best-of, evolve, or a module of yours", setting=_PLUG_IN
    )

    max_rounds: int | None = _budget(None, "N", "maximum number of rounds", count, unset="4 with a model", short="-n")
    max_seconds: float | None = _budget(None, "TIME", "time limit, such as 90 or 15m", duration, unset="none")
    max_cost: float | None = _budget(None, "USD", "cost limit for the model", positive, unset="none")

    min_gain: float | None = _judging(None, "SHARE", "minimum gain", share_above_zero, unset="5%", setting=_CHANGE)
    metric: ClockChoice = _judging("auto", None, "what is measured", choices=get_args(ClockChoice), setting=_CHANGE)
    max_pairs: int = _judging(
        120, "N", "maximum number of pairs of runs, old next to new, at least 9", count, setting=_CHANGE
    )
    input_seed: int | None = _experiment(
        None, "N", "seed of generated inputs, as input_seed in the JSON of a run", count_or_zero, unset="a new one"
    )
    no_cache: bool = _judging(False, "", "neither read nor write the cache", bool, setting=_CHANGE)
    no_profile: bool = _judging(False, "", "do not profile", bool, setting=_CHANGE)
    quick: bool = _judging(
        False, "", "answer within 30 s: the best change is not timed a second time", bool, setting=_CHANGE
    )

    sandbox: str = _sandbox(
        "auto",
        None,
        "isolation of runs: process isolates nothing, isolated is any other",
        choices=("auto", ISOLATED, *BACKENDS),
        setting=SettableBy.SANDBOX,
    )
    image: str | None = _sandbox(None, "NAME", "Docker image to run in", unset="none")
    runtime: str | None = _experiment(None, "NAME", "OCI runtime for Docker, such as runsc", setting=_USER)
    python: str | None = _sandbox(
        None,
        "PATH",
        "Python that runs the program",
        unset="the project's environment, otherwise codeopt's",
        setting=_USER,
    )
    timeout: float | None = _sandbox(
        None, "S", "time limit of one run in seconds", positive, unset="4 times the original's time, at least 10"
    )
    memory: int = _sandbox(_LIMITS.memory_mib, "MiB", "memory limit of one run in MiB", count)

    run_dir: Path = _result(Path(".codeopt"), "DIR", "folder of saved runs", Path, setting=_WRITTEN)
    resume: Path | None = _result(None, "RUN", "continue this run", Path, setting=_EACH_TIME)

    @classmethod
    def of(cls, given: Mapping[str, Any], *, strict: bool = True) -> Self:
        """Return options from flags or keywords, converted and checked as on the command line.

        Args:
            given: Values by field name.
            strict: Whether an unknown name is an error. If not, it is ignored.

        Raises:
            TypeError: A keyword is unknown.
            UsageError: A value makes no sense.
        """
        rows = options_table()
        unknown = sorted(set(given) - set(rows)) if strict else []
        if unknown:
            raise TypeError(f"improve() has no keyword {unknown[0]!r}; there are: {', '.join(sorted(rows))}")
        return replace(cls(), **{name: _converted(rows[name], value) for name, value in given.items() if name in rows})

    @property
    def time_limit_s(self) -> float | None:
        """Time limit of the run, seconds. None: no limit."""
        return self.max_seconds or (QUICK_S if self.quick else None)

    @property
    def use_tests(self) -> bool:
        """Existing tests are evidence."""
        return not self.no_tests

    @property
    def special_checker(self) -> tuple[Path, str] | None:
        """File and name of the function that accepts answers. None if a comparison decides."""
        file, _, name = self.check.rpartition("::")
        return (Path(file), name) if file else None

    @property
    def tolerance(self) -> float:
        """Tolerance of floats in a function's results, absolute or relative. 0: exact."""
        kind, _, tolerance = self.check.partition(":")
        return float(tolerance) if kind == "float" else 0.0


_INPUTS = "cases stdin with_paths env ignore_output"
_CHECKING = "check mutated_inputs max_examples"
_TESTS = "tests no_tests"
_MODEL = "model base_url api_key_env feedback context_tokens structured select ignore"
_LIMITED = "max_rounds max_seconds max_cost"
_TIMING = "min_gain metric max_pairs input_seed"
_RUNNING = "sandbox image runtime python timeout memory"
_CASE_FOLDERS = "folder with one folder of test cases for each problem"
_RULES = under("Rules", "select ignore")
_TIMES = FlagUse(choices=("auto", "cpu", "wall"))
_SHORT = FlagUse(default=_LIMITS.seconds, unset=f"{_LIMITS.seconds:g}")
_OF_FUNCTIONS = {
    "max_rounds": FlagUse(help="maximum number of changes that are tried for each function"),
    "max_seconds": FlagUse(unset="15m"),
    "metric": _TIMES,
    "timeout": FlagUse(default=_MANY_S, unset=f"{_MANY_S:g}"),
}
"""Uses of the commands that try many functions."""
_SERVED = {
    "model": FlagUse(help="model for clients that ask for one", unset="none", group=_CLIENTS),
    **under(_CLIENTS, "base_url no_cache"),
    "max_seconds": FlagUse(
        help="time limit of one request, such as 90 or 15m", default=900.0, unset="15m", group=_CLIENTS
    ),
    "max_cost": FlagUse(help="cost limit of one request", group=_CLIENTS),
}

COMMANDS: Mapping[str, Mapping[str, FlagUse]] = {
    "improve": uses(
        f"task workload {_INPUTS} {_CHECKING} strict ignore_difference calls contract {_TESTS} run {_MODEL}"
        f" record search {_LIMITED} {_TIMING} no_cache no_profile quick {_RUNNING} run_dir resume",
        metric=_TIMES,
        no_tests=FlagUse(help="do not use existing tests, and accept a project's patch without any"),
    ),
    "compare": uses(
        f"{_INPUTS} {_CHECKING} strict ignore_difference calls contract {_TESTS} run max_seconds {_TIMING}"
        f" no_cache {_RUNNING}",
        run=FlagUse(help="compare two versions of a project by this command, in the sandbox"),
        max_seconds=FlagUse(
            help="time limit for pairs of runs, such as 90 or 5m; checks are not limited", unset="30s", group=_JUDGING
        ),
    ),
    "profile": uses(
        f"{_INPUTS} {_CHECKING} calls contract {_TESTS} run no_cache {_RUNNING}",
        run=FlagUse(
            help="profile this command in the sandbox; TARGET is then its project (the current folder)", unset=""
        ),
    ),
    "record": uses("tests no_cache sandbox python"),
    "doctor": uses("python", sandbox=FlagUse(choices=("auto", *BACKENDS))),
    "review": uses(
        f"task {_CHECKING} strict {_TESTS} {_MODEL} {_LIMITED} {_TIMING} no_cache no_profile {_RUNNING} run_dir",
        **under(_JUDGING, f"{_CHECKING} {_TESTS}"),
        strict=FlagUse(help="fail on warnings, and reject a change that differs on unusual input", group=_RESULT),
        run_dir=FlagUse(help="folder of saved runs", default=None, unset="none is saved"),
        **_OF_FUNCTIONS,
    ),
    "check": uses(
        f"{_CHECKING} {_TESTS} select ignore {_LIMITED} {_TIMING} no_cache no_profile {_RUNNING}",
        **under(_JUDGING, f"{_CHECKING} {_TESTS}"),
        **_RULES,
        **_OF_FUNCTIONS,
    ),
    "batch": uses(
        f"task cases {_CHECKING} strict ignore_difference calls {_TESTS} {_MODEL} search {_LIMITED} {_TIMING}"
        f" no_profile {_RUNNING} run_dir",
        **under(_JUDGING, f"{_CHECKING} strict"),
        cases=FlagUse(help=_CASE_FOLDERS, unset="next to SET"),
        max_rounds=FlagUse(help="maximum number of changes that are tried for each problem"),
        max_cost=FlagUse(help="cost limit for the whole batch"),
        metric=_TIMES,
        timeout=_SHORT,
        run_dir=FlagUse(help="folder of the batch", default=None, unset=".codeopt/batch/SET", group=""),
    ),
    "import": uses(
        f"cases {_CHECKING} {_RUNNING}",
        **under(_JUDGING, _CHECKING),
        cases=FlagUse(help=_CASE_FOLDERS, unset="in PATH"),
        timeout=_SHORT,
    ),
    "refine": uses(
        f"task {_MODEL} record {_LIMITED} {_RUNNING} run_dir resume",
        task=FlagUse(
            help="task of the text, or a .py file with one: codeopt improve --list-tasks lists them",
            default=None,
            required=True,
        ),
        model=FlagUse(help="language model that writes and scores the text", unset="the configured model"),
        max_rounds=FlagUse(unset="4"),
    ),
    **dict.fromkeys(("mcp", "lsp"), uses(f"model base_url max_seconds max_cost no_cache {_RUNNING}", **_SERVED)),
    **dict.fromkeys(("runs", "show", "apply", "undo"), uses("run_dir")),
}
"""The options of each command, each with what differs there."""


@cache
def options_table() -> Mapping[str, Flag]:
    return {row.name: flag_of(row, COMMANDS) for row in fields(ImproveOptions)}


def _converted(row: Flag, value: Any) -> Any:
    """The value of a field. Raises UsageError."""
    if value is None:
        return () if row.default == () else None
    try:
        converted = row.convert(value)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{row.long}: {error}") from error
    values = converted if row.kind is FlagKind.LIST else (converted,)
    if row.choices and (others := [one for one in values if str(one) not in row.choices]):
        raise UsageError(f"{row.long}: {others[0]!r} is not one of {', '.join(row.choices)}")
    return converted
