"""The options of an improvement: one frozen value, whose fields are the table of options.

Each field carries its converter, help and default, and who may give it: flags, settings, variables, keywords of the
Python API and the page of the documentation are made from this table alone.
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
    paths,
    positive,
    share_above_zero,
    texts,
)
from codeopt.core.errors import UsageError
from codeopt.core.flag import Flag, FlagKind, FlagUse, SettableBy, flag_of, on, option
from codeopt_sandbox import RunLimits
from codeopt_sandbox.host import BACKENDS


class FuzzPolicy(StrEnum):
    """How much a difference on a changed input counts; see workloads/program/differential.py."""

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

_CASES = "cases"
_FUNCTIONS = "functions (FILE::FUNCTION, FILE::Class.method)"
_DRAFTS = "drafts"
_SEARCH = "search, with a model"
_BUDGET = "budget, whichever ends first"
_JUDGING = "judging"
_SANDBOX = "sandbox"
_RESULT = "result"
_CLIENTS = "what clients may do"

_TARGETS = "improve compare profile"
_WITH_A_MODEL = on("improve review batch refine")
_JUDGED = on("improve batch check review")
_TRUSTED = on("improve compare profile check review batch refine mcp lsp import")
_CHECKED = on(
    "compare profile improve", **dict.fromkeys(("check", "review", "batch", "import"), FlagUse(group=_JUDGING))
)
_TESTED = on(f"{_TARGETS} batch record", **dict.fromkeys(("check", "review"), FlagUse(group=_JUDGING)))
_CACHED = on(
    "compare profile improve record", **dict.fromkeys(("check", "review"), FlagUse(group=_JUDGING)),
    **dict.fromkeys(("mcp", "lsp"), FlagUse(group=_CLIENTS)),
)  # fmt: skip
_RUNNABLE = {**_TRUSTED, "record": FlagUse(group=_SANDBOX)}


@dataclass(frozen=True)
class ImproveOptions:
    """Options of an improvement, a comparison or a profile.

    Each field is a flag of `codeopt improve` by the same name, but `seed` (of `compare`), `with_paths` (`--with`) and
    `args` (what stands behind `--`).
    """

    task: str = option(
        "runtime", "objective: runtime, memory, readability, or a dotted path to one of your own",
        short="-t", metavar="NAME", setting=SettableBy.PLUG_IN,
        commands=on("improve review batch", refine=FlagUse(
            help="task of the text; codeopt tasks lists them, and a .py file is one", default=None, required=True)),
    )  # fmt: skip
    workload: str = option(
        "", "kind of the target: program, function, or a dotted path", unset="found out",
        metavar="NAME", setting=SettableBy.PLUG_IN, commands=on("improve"),
    )  # fmt: skip

    cases: Path | None = option(
        None, "folder of test cases: input.N.txt/output.N.txt, NAME.in/NAME.out, in/NAME+out/NAME, generate.py", Path,
        unset="beside the program", metavar="DIR", group=_CASES,
        commands=on(
            _TARGETS, batch=FlagUse(help="folder with one folder of test cases a problem", unset="beside SET"),
            **{"import": FlagUse(help="folder with one folder of test cases a problem", unset="in PATH")},
        ),
    )  # fmt: skip
    stdin: Path | None = option(
        None, "single input file; the original program's output is taken as right", Path,
        metavar="FILE", group=_CASES, commands=on(_TARGETS),
    )  # fmt: skip
    args: tuple[str, ...] | None = option(
        None, "the program's own arguments; files of yours that they name are brought along", texts,
        option="-- ARGS", setting=SettableBy.EACH_TIME,
    )  # fmt: skip
    with_paths: tuple[Path, ...] = option(
        (), "file or folder that a run finds beside those that the arguments name; may be repeated", paths,
        item=Path, kind=FlagKind.LIST, option="--with", metavar="PATH", group=_CASES, commands=on(_TARGETS),
    )  # fmt: skip
    env: tuple[str, ...] = option(
        (), "environment variable of a run: NAME passes yours on, NAME=VALUE sets one; may be repeated", names,
        kind=FlagKind.LIST, metavar="NAME[=VALUE]", group=_CASES, commands=on(_TARGETS),
    )  # fmt: skip
    ignore_output: tuple[str, ...] = option(
        (), "files that the program writes and that do not count; re:PATTERN: parts of what --run prints", names,
        kind=FlagKind.LIST, metavar="GLOB", group=_CASES, commands=on(_TARGETS),
    )  # fmt: skip
    check: str = option(
        "tokens", "comparison of outputs: tokens, exact, float:TOLERANCE, or FILE::accept for other right ones",
        checker_name,
        metavar="HOW", group=_CASES, commands=_CHECKED,
    )  # fmt: skip
    changed_inputs: FuzzPolicy = option(
        FuzzPolicy.AUTO, "inputs nobody has seen, the original decides: auto, strict, lenient, off", FuzzPolicy,
        choices=tuple(FuzzPolicy), metavar="HOW", group=_CASES, commands=_CHECKED,
    )  # fmt: skip
    max_examples: int | None = option(
        None, "calls or inputs made up to look for a difference, at most, and others to confirm", examples,
        unset="1000 calls of a function, 100 inputs of a program",
        metavar="N", group=_CASES, commands=_CHECKED,
    )  # fmt: skip
    strict: bool = option(
        False, "reject a draft for a caveat, too: a difference beyond the known inputs", bool,
        kind=FlagKind.SWITCH, group=_CASES,
        commands=on(
            "improve compare", batch=FlagUse(group=_JUDGING),
            review=FlagUse(help="fail where a notice would be given; a caveat rejects a draft", group=_RESULT),
        ),
    )  # fmt: skip
    may_change_arguments: bool = option(
        False, "accept a draft that leaves an argument changed where the original does not, or otherwise", bool,
        kind=FlagKind.SWITCH, group=_FUNCTIONS, commands=on("compare improve batch"),
    )  # fmt: skip
    calls: Path | None = option(
        None, "Python file with CALLS, a list of (args, kwargs), and BIG to time", Path,
        metavar="FILE", group=_FUNCTIONS, commands=on(f"{_TARGETS} batch"),
    )  # fmt: skip
    contract: str = option(
        "", "Python over the parameters that is true of sensible calls, such as `n >= 0`: a difference on another call "
        "is a caveat", expression, unset="what hints and known calls show",
        metavar="EXPRESSION", group=_FUNCTIONS, commands=on(_TARGETS),
    )  # fmt: skip
    tests: tuple[Path, ...] = option(
        (), "pytest file or folder that exercises the function; may be repeated", paths,
        item=Path, kind=FlagKind.LIST, unset="found by name and import",
        metavar="PATH", group=_FUNCTIONS, commands=_TESTED,
    )  # fmt: skip
    no_tests: bool = option(
        False, "do without existing tests", bool,
        kind=FlagKind.SWITCH, group=_FUNCTIONS,
        commands={name: use for name, use in _TESTED.items() if name != "record"},
    )  # fmt: skip
    accept_untested: bool = option(
        False, "accept a patch of a project of which no test could be run; else it is a suggestion", bool,
        kind=FlagKind.SWITCH, group=_CASES, commands=on("improve"), setting=_CHANGE,
    )  # fmt: skip
    run: str | None = option(
        None, "your own command; of a folder (default: the current one) it is what is improved, in the sandbox; of a "
        "FILE::FUNCTION it is run as you would, not isolated: the function's calls are recorded; with FILE alone the "
        "function with the most time of its own is improved, and the command is run twice",
        metavar="COMMAND", setting=SettableBy.EACH_TIME,
        commands=on("improve", profile=FlagUse(
            help="a command of a project, run in the sandbox on a copy of what git tracks in the folder TARGET "
            "(default: the current one)",
        ), compare=FlagUse(
            help="a command of a project, run in the sandbox on both versions of it: a folder and what it was at "
            "--base, or two folders",
        )),
    )  # fmt: skip

    model: str | None = option(
        None, "author of the drafts: rules, a model's name, several that take turns (A,B), or replay:FILE",
        unset="a model if one is set up, by OPENAI_API_KEY or OPENAI_BASE_URL, else rules",
        metavar="NAME", group=_DRAFTS, setting=SettableBy.MODEL,
        commands=on(
            "improve", **dict.fromkeys(("review", "batch", "refine"), FlagUse(short="-m")),
            **dict.fromkeys(("mcp", "lsp"), FlagUse(
                help="author of the drafts where a client asks for a model", unset="none", group=_CLIENTS)),
        ),
    )  # fmt: skip
    judge_model: str | None = option(
        None, "model that says which of two programs is easier to read", unset="the model that drafts",
        metavar="NAME", group=_DRAFTS, commands=_WITH_A_MODEL, setting=SettableBy.MODEL,
    )  # fmt: skip
    base_url: str | None = option(
        None, "address of an OpenAI-compatible server", unset="OPENAI_BASE_URL",
        metavar="URL", group=_DRAFTS,
        commands={**_WITH_A_MODEL, **dict.fromkeys(("mcp", "lsp"), FlagUse(group=_CLIENTS))},
    )  # fmt: skip
    api_key_env: str | None = option(
        None, "environment variable that holds the server's key", unset="OPENAI_API_KEY",
        metavar="NAME", group=_DRAFTS, commands=_WITH_A_MODEL, setting=SettableBy.SECRET,
    )  # fmt: skip
    feedback: Feedback = option(
        "measured+critique", "kind of feedback that a model gets",
        choices=get_args(Feedback), group=_DRAFTS, commands=_WITH_A_MODEL,
    )  # fmt: skip
    history: Extent = option(
        "full", "rounds that a model sees: all, or the last",
        choices=get_args(Extent), group=_DRAFTS, commands=_WITH_A_MODEL,
    )  # fmt: skip
    context_tokens: int = option(
        128_000, "context window of the model, tokens", count, metavar="N", group=_DRAFTS, commands=_WITH_A_MODEL,
    )  # fmt: skip
    model_timeout: float = option(
        300.0, "longest silence of the model's server, seconds", positive,
        metavar="S", group=_DRAFTS, commands=_WITH_A_MODEL,
    )  # fmt: skip
    structured: bool = option(
        False, "ask a model for JSON, by a schema where its server takes one", bool,
        kind=FlagKind.SWITCH, group=_DRAFTS, commands=_WITH_A_MODEL,
    )  # fmt: skip
    record: Path | None = option(
        None, "keep the conversation with the model in a file, for --model replay:FILE", Path,
        metavar="FILE", group=_DRAFTS, commands=on("improve refine"), setting=SettableBy.WRITTEN,
    )  # fmt: skip
    select: tuple[str, ...] = option(
        (), "built-in rules to try, and no others, separated by commas", names, unset="all",
        metavar="RULES", group=_DRAFTS, setting=SettableBy.RULES,
        commands={**_WITH_A_MODEL, **dict.fromkeys(("check", "rules"), FlagUse(group="rules"))},
    )  # fmt: skip
    ignore: tuple[str, ...] = option(
        (), "built-in rules to leave out, separated by commas; ruff: none of its fixes", names,
        metavar="RULES", group=_DRAFTS, setting=SettableBy.RULES,
        commands={
            **_WITH_A_MODEL, "check": FlagUse(group="rules"),
            "rules": FlagUse(help="rules to leave out", group="rules"),
        },
    )  # fmt: skip
    model_only: bool = option(
        False, "do not begin with what the rules make of a program", bool,
        kind=FlagKind.SWITCH, group=_DRAFTS, commands=_WITH_A_MODEL,
    )  # fmt: skip

    search: str = option(
        "chain", "search strategy. chain: each draft from the newest; best-of: independent chains; evolve: a "
        "population, for long budgets; or a dotted path",
        metavar="NAME", group=_SEARCH, commands=on("improve batch"), setting=SettableBy.PLUG_IN,
    )  # fmt: skip
    candidates: int = option(
        1, "drafts of each critique; only the best that is right is compared at length", count,
        metavar="K", group=_SEARCH, commands=on("improve batch"),
    )  # fmt: skip
    chains: int = option(
        2, "number of independent chains, for --search best-of", count,
        metavar="N", group=_SEARCH, commands=on("improve batch"),
    )  # fmt: skip
    patience: int | None = option(
        None, "rounds in a row without a gain that end a chain, 0 for never", count_or_zero,
        unset="chain and best-of 2, evolve 6", metavar="N", group=_SEARCH, commands=on("improve batch"),
    )  # fmt: skip

    max_rounds: int | None = option(
        None, "critiques to answer at most", count, unset="4 with a model", short="-n", metavar="N", group=_BUDGET,
        commands=on(
            "improve", batch=FlagUse(help="drafts a problem, at most"),
            refine=FlagUse(help="drafts after the first, at most", unset="4"),
            **dict.fromkeys(("review", "check"), FlagUse(help="drafts a function, at most")),
        ),
    )  # fmt: skip
    max_seconds: float | None = option(
        None, "wall-clock limit of the whole run: seconds, or such as 15m or 1h", duration,
        metavar="TIME", group=_BUDGET,
        commands=on(
            "improve refine", batch=FlagUse(help="wall-clock limit of this sitting: seconds, or such as 15m or 1h"),
            **dict.fromkeys(("review", "check"), FlagUse(default=900.0, unset="15m", aliases=("--deadline",))),
            **dict.fromkeys(("mcp", "lsp"), FlagUse(
                help="wall-clock limit of one request: seconds, or such as 15m or 1h", default=900.0, unset="15m",
                aliases=("--seconds",), group=_CLIENTS)),
        ),
    )  # fmt: skip
    max_tokens: int | None = option(
        None, "tokens of the model to spend at most, in and out together", count, metavar="N", group=_BUDGET,
        commands=on(
            "improve refine", batch=FlagUse(help="tokens of the model a problem, at most, in and out together"),
            **dict.fromkeys(("review", "check"), FlagUse(
                help="tokens of the model a function, at most, in and out together")),
        ),
    )  # fmt: skip
    max_cost: float | None = option(
        None, "US dollars to spend on the model at most; needs [tool.codeopt.prices.MODEL]", positive,
        metavar="USD", group=_BUDGET,
        commands=on(
            "improve review check refine",
            batch=FlagUse(help="US dollars that the whole batch may cost, all sittings together"),
            **dict.fromkeys(("mcp", "lsp"), FlagUse(help="US dollars that one request may cost", group=_CLIENTS)),
        ),
    )  # fmt: skip

    min_gain: float | None = option(
        None, "least gain worth having, such as 2% or 0.02", share_above_zero, unset="0.05",
        metavar="SHARE", group=_JUDGING, commands={**_JUDGED, "compare": FlagUse()}, setting=_CHANGE,
    )  # fmt: skip
    clock: ClockChoice = option(
        "auto", "measure that decides; auto: CPU time of a program that computes, else wall time",
        choices=get_args(ClockChoice), group=_JUDGING, setting=_CHANGE,
        commands={**dict.fromkeys(_JUDGED, _TIMES), "compare": FlagUse()},
    )  # fmt: skip
    max_pairs: int = option(
        120, "timed pairs of runs per comparison, at most; a verdict takes 9 or more", count,
        metavar="N", group=_JUDGING, commands={**_JUDGED, "compare": FlagUse()}, setting=_CHANGE,
    )  # fmt: skip
    seed: int = option(
        0, "seed of the order of runs within pairs", int, metavar="N", group=_JUDGING, commands=on("compare"),
    )  # fmt: skip
    input_seed: int | None = option(
        None, "seed of made-up inputs: those of the run whose JSON has this input_seed", count_or_zero,
        unset="new ones each time", metavar="N", group=_JUDGING, commands={**_JUDGED, "compare": FlagUse()},
    )  # fmt: skip
    no_cache: bool = option(
        False, "do without evidence of the original that earlier commands left in .codeopt, and leave none", bool,
        kind=FlagKind.SWITCH, group=_JUDGING, setting=_CHANGE, commands=_CACHED,
    )  # fmt: skip
    no_profile: bool = option(
        False, "do without the profiler", bool,
        kind=FlagKind.SWITCH, group=_JUDGING, commands=_JUDGED, setting=_CHANGE,
    )  # fmt: skip

    sandbox: str = option(
        "auto", "isolation of runs; isolated: any but process, which isolates nothing",
        choices=("auto", ISOLATED, *BACKENDS), group=_SANDBOX, commands=_RUNNABLE, setting=SettableBy.SANDBOX,
    )  # fmt: skip
    image: str | None = option(
        None, "Docker image to run in, with its own Python", unset="this machine's interpreter",
        metavar="NAME", group=_SANDBOX, commands=_TRUSTED,
    )  # fmt: skip
    runtime: str | None = option(
        None, "OCI runtime for Docker, such as runsc", metavar="NAME", group=_SANDBOX, commands=_TRUSTED,
    )  # fmt: skip
    python: str | None = option(
        None, "interpreter that runs the program", unset="the activated one, the project's .venv, else this one",
        metavar="PATH", group=_SANDBOX, commands=_RUNNABLE, setting=SettableBy.PYTHON,
    )  # fmt: skip
    timeout: float | None = option(
        None, "time limit of one run, seconds", positive, metavar="S", group=_SANDBOX,
        unset="the original: none; a draft: 4 times the original's time, 10 at least",
        commands={
            **_TRUSTED,
            **dict.fromkeys(("batch", "import"), FlagUse(default=_LIMITS.seconds, unset=f"{_LIMITS.seconds:g}")),
            **dict.fromkeys(("check", "review"), FlagUse(default=_MANY_S, unset=f"{_MANY_S:g}")),
        },
    )  # fmt: skip
    memory: int = option(
        _LIMITS.memory_mib, "memory limit of one run, MiB", count, metavar="MiB", group=_SANDBOX, commands=_TRUSTED,
    )  # fmt: skip

    run_dir: Path = option(
        Path(".codeopt"), "folder where runs are saved", Path,
        metavar="DIR", group=_RESULT, setting=SettableBy.WRITTEN,
        commands=on(
            "improve refine runs show apply diff",
            review=FlagUse(help="folder to keep the runs in", default=None, unset="they are not kept"),
            batch=FlagUse(help="folder where the batch is kept", default=None, group="", required=True),
        ),
    )  # fmt: skip
    resume: Path | None = option(
        None, "saved run to go on with", Path,
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
        """File and name of the function that accepts answers; None where a comparison decides."""
        file, _, name = self.check.rpartition("::")
        return (Path(file), name) if file else None

    @property
    def tolerance(self) -> float:
        """Tolerance of floats in a function's results, absolute or relative; 0: none."""
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
    if row.choices and str(found) not in row.choices:
        raise UsageError(f"{row.long}: {found!r} is none of {', '.join(row.choices)}")
    return found
