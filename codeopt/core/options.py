"""The options of an improvement: one frozen value, whose fields are the table of options.

Each field carries its converter, help, default and the sources that may set it. Flags, settings, variables, keywords of
the Python API and the page of the documentation come from this table alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Literal, Self, get_args

from codeopt.core.converters import (
    checker_name,
    count,
    count_or_zero,
    duration,
    examples,
    expression,
    names,
    observables,
    paths,
    positive,
    share_above_zero,
    texts,
)
from codeopt.core.errors import UsageError
from codeopt.core.flag import Flag, FlagKind, FlagUse, SettableBy, flag_of, on, option
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
Extent = Literal["full", "last"]
ClockChoice = Literal["auto", "cpu", "wall", "memory"]
ISOLATED = "isolated"
"""Sandbox choice: as auto, but the user's own program is not run as a plain process either."""

_LIMITS = RunLimits()
_MANY_S = 60.0
"""Time limit of one run where many targets share the time, seconds: one that hangs may not take all of it."""
_TIMES = FlagUse(choices=("auto", "cpu", "wall"))
_CHANGE = SettableBy.OF_A_CHANGE
_PROJECT = SettableBy.PROJECT

_CASES = "How results are checked"
_FUNCTIONS = "Functions"
_DRAFTS = "Who writes the changes"
_SEARCH = "Search with a model"
_BUDGET = "Limits"
_JUDGING = "Checks and timing"
_SANDBOX = "Sandbox"
_RESULT = "Result"
_CLIENTS = "What clients may do"

_TARGETS = "improve compare profile"
_WITH_A_MODEL = on("improve review batch refine")
_JUDGED = on("improve batch check review")
_TRUSTED = on("improve compare profile check review batch refine mcp lsp import")
_CHECKED = on(
    "compare profile improve", **dict.fromkeys(("check", "review", "batch", "import"), FlagUse(group=_JUDGING))
)
_TESTED = on(f"{_TARGETS} batch record", **dict.fromkeys(("check", "review"), FlagUse(group=_JUDGING)))
_CACHED = on(
    "compare profile improve record",
    **dict.fromkeys(("check", "review"), FlagUse(group=_JUDGING)),
    **dict.fromkeys(("mcp", "lsp"), FlagUse(group=_CLIENTS)),
)
_RUNNABLE = {**_TRUSTED, "record": FlagUse(group=_SANDBOX)}


@dataclass(frozen=True)
class ImproveOptions:
    """Options of an improvement, a comparison or a profile.

    Each field is a flag by the same name, with exceptions: `with_paths` (`--with`), `args` (the words after `--`), and
    those without a flag, which [tool.codeopt] or a variable gives.
    """

    task: str = option(
        "runtime", "what to improve: runtime, memory, readability, or a module of yours",
        short="-t", metavar="NAME", setting=SettableBy.PLUG_IN,
        commands=on("improve review batch", refine=FlagUse(
            help="task of the text, or a .py file with one: codeopt tasks lists them", default=None, required=True)),
    )  # fmt: skip
    workload: str = option(
        "", "kind of the target: program, function, or a module of yours", unset="detected",
        metavar="NAME", setting=SettableBy.PLUG_IN, commands=on("improve"), has_flag=False,
    )  # fmt: skip

    cases: Path | None = option(
        None, "test cases: input.N.txt and output.N.txt, in/ and out/, or generate.py", Path,
        unset="next to the script", metavar="DIR", group=_CASES,
        commands=on(
            _TARGETS, batch=FlagUse(help="folder with one folder of test cases for each problem", unset="next to SET"),
            **{"import": FlagUse(help="folder with one folder of test cases for each problem", unset="in PATH")},
        ),
        setting=SettableBy.READ,
    )  # fmt: skip
    stdin: Path | None = option(
        None, "one input: the original's output is the expected one", Path,
        metavar="FILE", group=_CASES, commands=on(_TARGETS),
        setting=SettableBy.READ,
    )  # fmt: skip
    args: tuple[str, ...] | None = option(
        None, "arguments of the program, and the files that they name", texts,
        option="-- ARGS", setting=SettableBy.EACH_TIME,
    )  # fmt: skip
    with_paths: tuple[Path, ...] = option(
        (), "file or folder that a run can read, also several times", paths,
        item=Path, kind=FlagKind.LIST, option="--with", metavar="PATH", group=_CASES, commands=on(_TARGETS),
        setting=SettableBy.READ,
    )  # fmt: skip
    env: tuple[str, ...] = option(
        (), "environment variable of a run, also several times: NAME passes yours on", names,
        kind=FlagKind.LIST, metavar="NAME[=VALUE]", group=_CASES, commands=on(_TARGETS),
        setting=SettableBy.VARIABLES,
    )  # fmt: skip
    ignore_output: tuple[str, ...] = option(
        (), "written files to ignore, or re:PATTERN for parts of what --run prints", names,
        kind=FlagKind.LIST, metavar="GLOB", group=_CASES, commands=on(_TARGETS),
        setting=_PROJECT,
    )  # fmt: skip
    check: str = option(
        "tokens", "compare outputs by tokens, exact, float:TOLERANCE, or your own FILE::accept",
        checker_name,
        metavar="HOW", group=_CASES, commands=_CHECKED,
        setting=_PROJECT,
    )  # fmt: skip
    changed_inputs: FuzzPolicy = option(
        FuzzPolicy.AUTO, "check mutated inputs also: auto, strict, lenient, off", FuzzPolicy,
        choices=tuple(FuzzPolicy), metavar="HOW", group=_CASES, commands=_CHECKED,
        setting=_PROJECT,
    )  # fmt: skip
    max_examples: int | None = option(
        None, "maximum number of generated calls or inputs", examples,
        unset="1000 calls, 100 inputs",
        metavar="N", group=_CASES, commands=_CHECKED,
        setting=_PROJECT,
    )  # fmt: skip
    strict: bool = option(
        False, "also reject a change that differs on unusual input", bool,
        kind=FlagKind.SWITCH, group=_CASES,
        commands=on(
            "improve compare", batch=FlagUse(group=_JUDGING),
            review=FlagUse(help="fail on warnings, and reject a change that differs on unusual input", group=_RESULT),
        ),
        setting=_PROJECT,
    )  # fmt: skip
    ignore_difference: tuple[Observable, ...] = option(
        (), "part of answers to ignore: arguments, output or state, also several times", observables,
        item=Observable, choices=tuple(Observable), kind=FlagKind.LIST, metavar="NAME", group=_FUNCTIONS,
        commands=on("compare improve batch"), setting=_PROJECT,
    )  # fmt: skip
    calls: Path | None = option(
        None, "calls of the function: CALLS, and BIG for timing", Path,
        metavar="FILE", group=_FUNCTIONS, commands=on(f"{_TARGETS} batch"),
        setting=SettableBy.READ,
    )  # fmt: skip
    contract: str = option(
        "", "condition of usual calls: on others a difference is a caveat", expression, unset="that of known calls",
        metavar="EXPRESSION", group=_FUNCTIONS, commands=on(_TARGETS),
        setting=_PROJECT,
    )  # fmt: skip
    tests: tuple[Path, ...] = option(
        (), "pytest files for the function, also several times", paths,
        item=Path, kind=FlagKind.LIST, unset="detected",
        metavar="PATH", group=_FUNCTIONS, commands=_TESTED,
        setting=SettableBy.READ,
    )  # fmt: skip
    no_tests: bool = option(
        False, "do not use existing tests", bool,
        kind=FlagKind.SWITCH, group=_FUNCTIONS,
        commands={name: use for name, use in _TESTED.items() if name != "record"},
        setting=_PROJECT,
    )  # fmt: skip
    accept_untested: bool = option(
        False, "accept a project's patch without any test that runs", bool,
        kind=FlagKind.SWITCH, group=_CASES, commands=on("improve"), setting=_CHANGE,
    )  # fmt: skip
    run: str | None = option(
        None, "make this command of a project faster, or record calls of FILE::FUNCTION by it, not isolated",
        metavar="COMMAND", setting=SettableBy.EACH_TIME,
        commands=on("improve", profile=FlagUse(
            help="profile this command of the project TARGET, in the sandbox", unset="the current folder",
        ), compare=FlagUse(
            help="compare two versions of a project by this command, in the sandbox",
        )),
    )  # fmt: skip

    model: str | None = option(
        None, "author of changes: rules, a model, or several in turn (A,B)",
        unset="a configured model, otherwise rules",
        metavar="NAME", group=_DRAFTS, setting=SettableBy.MODEL,
        commands=on(
            "improve", **dict.fromkeys(("review", "batch", "refine"), FlagUse(short="-m")),
            **dict.fromkeys(("mcp", "lsp"), FlagUse(
                help="model for clients that ask for one", unset="none", group=_CLIENTS)),
        ),
    )  # fmt: skip
    judge_model: str | None = option(
        None, "model that compares readability", unset="--model",
        metavar="NAME", group=_DRAFTS, commands=_WITH_A_MODEL, setting=SettableBy.MODEL, has_flag=False,
    )  # fmt: skip
    base_url: str | None = option(
        None, "address of an OpenAI-compatible server", unset="OPENAI_BASE_URL",
        metavar="URL", group=_DRAFTS,
        commands={**_WITH_A_MODEL, **dict.fromkeys(("mcp", "lsp"), FlagUse(group=_CLIENTS))},
        setting=SettableBy.USER,
    )  # fmt: skip
    api_key_env: str | None = option(
        None, "name of the variable that holds the server's key", unset="OPENAI_API_KEY",
        metavar="NAME", group=_DRAFTS, commands=_WITH_A_MODEL, setting=SettableBy.USER,
    )  # fmt: skip
    feedback: Feedback = option(
        "measured+critique", "feedback that a model gets",
        choices=get_args(Feedback), group=_DRAFTS, commands=_WITH_A_MODEL,
        setting=_PROJECT, has_flag=False,
    )  # fmt: skip
    history: Extent = option(
        "full", "rounds that a model sees: all, or the last",
        choices=get_args(Extent), group=_DRAFTS, commands=_WITH_A_MODEL,
        setting=_PROJECT, has_flag=False,
    )  # fmt: skip
    context_tokens: int = option(
        128_000, "context window of the model in tokens", count, metavar="N", group=_DRAFTS, commands=_WITH_A_MODEL,
        setting=_PROJECT, has_flag=False,
    )  # fmt: skip
    model_timeout: float = option(
        300.0, "longest silence of the model's server in seconds", positive,
        metavar="S", group=_DRAFTS, commands=_WITH_A_MODEL,
        setting=_PROJECT, has_flag=False,
    )  # fmt: skip
    structured: bool = option(
        False, "ask a model for JSON", bool,
        kind=FlagKind.SWITCH, group=_DRAFTS, commands=_WITH_A_MODEL,
        setting=_PROJECT,
    )  # fmt: skip
    context: Path | None = option(
        None, "statement of the problem for the model", Path,
        unset="README.md or such next to the cases",
        metavar="FILE", group=_DRAFTS, commands=on("improve"), setting=SettableBy.READ,
    )  # fmt: skip
    no_memory: bool = option(
        False, "do not tell a model what earlier runs of the target tried, and do not keep it", bool,
        kind=FlagKind.SWITCH, group=_DRAFTS, commands=on("improve"), setting=_PROJECT, has_flag=False,
    )  # fmt: skip
    record: Path | None = option(
        None, "save the conversation with the model, for --model replay:FILE", Path,
        metavar="FILE", group=_DRAFTS, commands=on("improve refine"), setting=SettableBy.WRITTEN,
    )  # fmt: skip
    select: tuple[str, ...] = option(
        (), "use only these built-in rules: A,B", names, unset="all",
        metavar="RULES", group=_DRAFTS, setting=SettableBy.RULES,
        commands={**_WITH_A_MODEL, **dict.fromkeys(("check", "rules"), FlagUse(group="Rules"))},
    )  # fmt: skip
    ignore: tuple[str, ...] = option(
        (), "do not use these built-in rules: A,B, or ruff for its fixes", names,
        metavar="RULES", group=_DRAFTS, setting=SettableBy.RULES,
        commands={
            **_WITH_A_MODEL, "check": FlagUse(group="Rules"),
            "rules": FlagUse(help="do not use these rules: A,B", group="Rules"),
        },
    )  # fmt: skip

    search: str = option(
        "chain", "search strategy: chain, best-of, evolve, or a module of yours",
        metavar="NAME", group=_SEARCH, commands=on("improve batch"), setting=SettableBy.PLUG_IN, has_flag=False,
    )  # fmt: skip
    candidates: int = option(
        1, "candidates of each round", count,
        metavar="K", group=_SEARCH, commands=on("improve batch"),
        setting=_PROJECT, has_flag=False,
    )  # fmt: skip
    chains: int = option(
        2, "number of chains of the search best-of", count,
        metavar="N", group=_SEARCH, commands=on("improve batch"),
        setting=_PROJECT, has_flag=False,
    )  # fmt: skip
    patience: int | None = option(
        None, "rounds without a gain that end a chain, 0 for never", count_or_zero,
        unset="2, evolve 6", metavar="N", group=_SEARCH, commands=on("improve batch"),
        setting=_PROJECT, has_flag=False,
    )  # fmt: skip

    max_rounds: int | None = option(
        None, "maximum number of rounds", count, unset="4 with a model", short="-n", metavar="N", group=_BUDGET,
        commands=on(
            "improve", batch=FlagUse(help="maximum number of candidates for each problem"),
            refine=FlagUse(help="maximum number of rounds", unset="4"),
            **dict.fromkeys(("review", "check"), FlagUse(help="maximum number of candidates for each function")),
        ),
        setting=_PROJECT,
    )  # fmt: skip
    max_seconds: float | None = option(
        None, "time limit, such as 90 or 15m", duration, unset="none",
        metavar="TIME", group=_BUDGET,
        commands=on(
            "improve refine", batch=FlagUse(help="time limit, such as 90 or 15m"),
            compare=FlagUse(
                help="time limit of one comparison, such as 90 or 5m", unset="30s", group=_JUDGING),
            **dict.fromkeys(("review", "check"), FlagUse(unset="15m")),
            **dict.fromkeys(("mcp", "lsp"), FlagUse(
                help="time limit of one request, such as 90 or 15m", default=900.0, unset="15m",
                group=_CLIENTS)),
        ),
        setting=_PROJECT,
    )  # fmt: skip
    max_tokens: int | None = option(
        None, "token limit for the model", count, unset="none", metavar="N", group=_BUDGET,
        commands=on(
            "improve refine", batch=FlagUse(help="token limit for each problem"),
            **dict.fromkeys(("review", "check"), FlagUse(
                help="token limit for each function")),
        ),
        setting=_PROJECT,
    )  # fmt: skip
    max_cost: float | None = option(
        None, "cost limit for the model", positive, unset="none",
        metavar="USD", group=_BUDGET,
        commands=on(
            "improve review check refine",
            batch=FlagUse(help="cost limit for the whole batch"),
            **dict.fromkeys(("mcp", "lsp"), FlagUse(help="cost limit of one request", group=_CLIENTS)),
        ),
        setting=_PROJECT,
    )  # fmt: skip

    min_gain: float | None = option(
        None, "minimum gain", share_above_zero, unset="5%",
        metavar="SHARE", group=_JUDGING, commands={**_JUDGED, "compare": FlagUse()}, setting=_CHANGE,
    )  # fmt: skip
    metric: ClockChoice = option(
        "auto", "what is measured",
        choices=get_args(ClockChoice), group=_JUDGING, setting=_CHANGE,
        commands={**dict.fromkeys(_JUDGED, _TIMES), "compare": FlagUse()},
    )  # fmt: skip
    max_pairs: int = option(
        120, "maximum number of timed pairs in a comparison, at least 9", count,
        metavar="N", group=_JUDGING, commands={**_JUDGED, "compare": FlagUse()}, setting=_CHANGE,
    )  # fmt: skip
    seed: int = option(
        0, "seed of the order within pairs", int, metavar="N", group=_JUDGING, commands=on("compare"),
        setting=_PROJECT, has_flag=False,
    )  # fmt: skip
    input_seed: int | None = option(
        None, "seed of generated inputs, as input_seed in the JSON of a run", count_or_zero,
        unset="a new one", metavar="N", group=_JUDGING, commands={**_JUDGED, "compare": FlagUse()},
        setting=_PROJECT, has_flag=False,
    )  # fmt: skip
    no_cache: bool = option(
        False, "neither read nor write the cache", bool,
        kind=FlagKind.SWITCH, group=_JUDGING, setting=_CHANGE, commands=_CACHED,
    )  # fmt: skip
    no_profile: bool = option(
        False, "do not profile", bool,
        kind=FlagKind.SWITCH, group=_JUDGING, commands=_JUDGED, setting=_CHANGE,
    )  # fmt: skip

    sandbox: str = option(
        "auto", "isolation of runs: process isolates nothing, isolated is any other",
        choices=("auto", ISOLATED, *BACKENDS), group=_SANDBOX, commands=_RUNNABLE, setting=SettableBy.SANDBOX,
    )  # fmt: skip
    image: str | None = option(
        None, "Docker image to run in", unset="none",
        metavar="NAME", group=_SANDBOX, commands=_TRUSTED,
        setting=_PROJECT,
    )  # fmt: skip
    runtime: str | None = option(
        None, "OCI runtime for Docker, such as runsc", metavar="NAME", group=_SANDBOX, commands=_TRUSTED,
        setting=SettableBy.USER,
    )  # fmt: skip
    python: str | None = option(
        None, "Python that runs the program", unset="the project's environment, otherwise codeopt's",
        metavar="PATH", group=_SANDBOX, commands=_RUNNABLE, setting=SettableBy.PYTHON,
    )  # fmt: skip
    timeout: float | None = option(
        None, "time limit of one run in seconds", positive, metavar="S", group=_SANDBOX,
        unset="4 times the original's time, at least 10",
        commands={
            **_TRUSTED,
            **dict.fromkeys(("batch", "import"), FlagUse(default=_LIMITS.seconds, unset=f"{_LIMITS.seconds:g}")),
            **dict.fromkeys(("check", "review"), FlagUse(default=_MANY_S, unset=f"{_MANY_S:g}")),
        },
        setting=_PROJECT,
    )  # fmt: skip
    memory: int = option(
        _LIMITS.memory_mib, "memory limit of one run in MiB", count, metavar="MiB", group=_SANDBOX, commands=_TRUSTED,
        setting=_PROJECT,
    )  # fmt: skip

    run_dir: Path = option(
        Path(".codeopt"), "folder of saved runs", Path,
        metavar="DIR", group=_RESULT, setting=SettableBy.WRITTEN,
        commands=on(
            "improve refine runs show apply diff undo",
            review=FlagUse(help="folder of saved runs", default=None, unset="none is saved"),
            batch=FlagUse(help="folder of the batch", default=None, group="", required=True),
        ),
    )  # fmt: skip
    resume: Path | None = option(
        None, "continue this run", Path,
        metavar="RUN", group=_RESULT, commands=on("improve refine"), setting=SettableBy.EACH_TIME,
    )  # fmt: skip

    @classmethod
    def of(cls, given: Mapping[str, Any], *, strict: bool = True) -> Self:
        """From flags or keywords, converted and checked as the command line does it.

        strict: an unknown name is an error; otherwise what is no field is left alone, as other flags of a command are.
        Raises TypeError for an unknown keyword, UsageError for a value that makes no sense.
        """
        rows = options_table()
        unknown = sorted(set(given) - set(rows)) if strict else []
        if unknown:
            raise TypeError(f"improve() has no keyword {unknown[0]!r}; there are: {', '.join(sorted(rows))}")
        return replace(cls(), **{name: _converted(rows[name], value) for name, value in given.items() if name in rows})

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


@cache
def options_table() -> Mapping[str, Flag]:
    """The table of options, by field."""
    return {row.name: flag_of(row) for row in fields(ImproveOptions)}


def _converted(row: Flag, value: Any) -> Any:
    """The value of a field. Raises UsageError."""
    if value is None:
        return () if row.default == () else None
    try:
        found = row.convert(value)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{row.long}: {error}") from error
    each = found if row.kind is FlagKind.LIST else (found,)
    if row.choices and (other := [one for one in each if str(one) not in row.choices]):
        raise UsageError(f"{row.long}: {other[0]!r} is none of {', '.join(row.choices)}")
    return found
