"""What a user may ask of an improvement: one frozen value that flags, keywords, environment and pyproject.toml fill."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Literal, Self, get_args, get_type_hints

from codeopt.core.errors import UsageError
from codeopt_sandbox import RunLimits
from codeopt_sandbox.host import BACKENDS
from codeopt_sandbox.verdict import open_checker


class Strictness(StrEnum):
    """Of `--changed-inputs`; what each means is in workloads/program/differential.py."""

    AUTO = "auto"
    STRICT = "strict"
    LENIENT = "lenient"
    OFF = "off"


Feedback = Literal["measured+critique", "measured", "critique", "generic", "none"]
Extent = Literal["full", "last"]
ClockChoice = Literal["auto", "cpu", "wall", "memory"]
ISOLATED = "isolated"
"""Of sandboxes: as auto, but the user's own program is not run as a plain process either."""
FEWEST_EXAMPLES = 10
"""Fewer say nothing."""

_LIMITS = RunLimits()


class BadValue(ValueError):
    """A value of the right type that makes no sense; the message says why."""


def positive(value: Any) -> float:
    """A number above zero. Raises ValueError."""
    number = float(value)
    if not 0 < number < math.inf:
        raise BadValue(f"{value} is not a number above zero")
    return number


def count_or_zero(value: Any) -> int:
    """A whole number, 0 or more. Raises ValueError."""
    return 0 if str(value) == "0" else count(value)


def count(value: Any) -> int:
    """A whole number above zero. Raises ValueError."""
    number = int(value)
    if number < 1 or number != float(value):
        raise BadValue(f"{value} is not a whole number above zero")
    return number


def examples(value: Any) -> int:
    """A whole number, FEWEST_EXAMPLES or more. Raises ValueError."""
    number = count(value)
    if number < FEWEST_EXAMPLES:
        raise BadValue(f"{value} are too few to say anything; at least {FEWEST_EXAMPLES}")
    return number


def checker_name(value: Any) -> str:
    """tokens, exact or float:TOLERANCE. Raises ValueError."""
    try:
        open_checker(str(value))
    except ValueError as error:
        raise BadValue(str(error)) from error
    return str(value)


def names(value: Any) -> tuple[str, ...]:
    """What stands between commas, or a sequence of it."""
    parts = value.split(",") if isinstance(value, str) else value
    return tuple(part.strip() for part in parts if part.strip())


def texts(value: Any) -> tuple[str, ...]:
    """A sequence of texts or paths. Raises ValueError."""
    if isinstance(value, str):
        raise BadValue("must be a sequence of texts")
    return tuple(os.fspath(each) for each in value)


def paths(value: Any) -> tuple[Path, ...]:
    """One path or several."""
    one = isinstance(value, str | os.PathLike)
    return tuple(Path(os.fspath(each)) for each in ([value] if one else value))


@dataclass(frozen=True)
class ImproveOptions:
    """How a target is improved, compared or profiled. Each field is a flag of `codeopt improve`, by the same name."""

    task: str = "runtime"
    """A task's name, or a dotted path to one."""
    workload: str = ""
    """The kind of target by name, or a dotted path; empty: the kind that recognises the target."""

    cases: Path | None = None
    """Folder of cases; None: beside the program."""
    stdin: Path | None = None
    """One input file."""
    args: tuple[str, ...] | None = None
    """The program's arguments; those that name files of yours bring them along. None: cases are looked for."""
    with_paths: tuple[Path, ...] = ()
    """Files and folders that a run of the program finds beside what its arguments name."""
    env: tuple[str, ...] = ()
    """NAME passes your own variable on, NAME=VALUE sets one."""
    ignore_output: tuple[str, ...] = ()
    """Patterns of files that the program writes and that do not count."""
    check: str = "tokens"
    """How outputs are compared: tokens, exact or float:TOLERANCE."""
    changed_inputs: Strictness = Strictness.AUTO
    """How much a difference on a fuzzed input counts."""
    max_examples: int | None = None
    """At most so many calls of a function, or inputs of a program, are made up to look for a difference, and others to
    confirm, beside some very long ones; None: 1000 of a function, 52 of a program."""
    strict: bool = False
    """A difference beyond the known inputs rejects a draft, too; else it is a caveat."""
    calls: Path | None = None
    """Python file with CALLS and BIG, for a function."""
    tests: tuple[Path, ...] = ()
    """pytest files or folders; empty: found by name and import."""
    no_tests: bool = False
    run: str | None = None
    """A command line of the user's own, run unprotected before anything else: what a function is called with, and which
    function of a file takes the time."""

    model: str | None = None
    """rules, a model's name, replay:FILE; None: a model if the environment names one, else rules."""
    judge_model: str | None = None
    """Who is asked which of two programs a reader prefers; None: the model that drafts."""
    base_url: str | None = None
    api_key_env: str | None = None
    feedback: Feedback = "measured+critique"
    history: Extent = "full"
    """How many rounds a model sees."""
    context_tokens: int = 128_000
    structured: bool = False
    """Answers of a model are asked for as JSON, by a schema where the server takes one."""
    model_timeout: float = 300.0
    """Longest silence of the server, in seconds."""
    record: Path | None = None
    """Where the conversation is kept."""
    select: tuple[str, ...] = ()
    """Only these built-in rules; empty: all."""
    ignore: tuple[str, ...] = ()
    model_only: bool = False
    """Do not begin with what the rules make of the target."""

    search: str = "chain"
    """Which drafts the next one is made from: chain, best-of, evolve, or a dotted path."""
    candidates: int = 1
    """Drafts of each critique; the best of those that are right is compared with the original."""
    chains: int = 2
    """Of --search best-of."""
    patience: int | None = None
    """Rounds in a row without a gain after which no more are run; 0: never; None: as the search has it."""

    max_rounds: int | None = None
    max_seconds: float | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    """USD."""

    min_gain: float | None = None
    """Least gain worth having, as a share; None: the task's own."""
    clock: ClockChoice = "auto"
    max_pairs: int = 120
    seed: int = 0
    """Of the order within pairs."""
    input_seed: int | None = None
    """Of the inputs and calls that are made up; None: drawn anew, so that no program has met them."""
    no_profile: bool = False

    sandbox: str = "auto"
    image: str | None = None
    runtime: str | None = None
    python: str | None = None
    """Interpreter that runs the program; None: the activated environment's, the project's own, else this one."""
    timeout: float = _LIMITS.seconds
    """Seconds that a run may take."""
    memory: int = _LIMITS.memory_mib
    """MiB that a run may use."""

    run_dir: Path = Path(".codeopt")
    resume: Path | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any], *, strict: bool = True) -> Self:
        """From flags or keywords, converted and checked as the command line does it.

        strict: an unknown name is an error; otherwise what is no field is left alone, as other flags of a command are.
        Raises TypeError for an unknown keyword, UsageError for a value that makes no sense.
        """
        known = {field.name for field in fields(cls)}
        unknown = sorted(set(given) - known) if strict else []
        if unknown:
            raise TypeError(f"improve() has no keyword {unknown[0]!r}; there are: {', '.join(sorted(known))}")
        return replace(cls(), **{name: _converted(name, value) for name, value in given.items() if name in known})

    @property
    def use_tests(self) -> bool:
        """Existing tests are evidence."""
        return not self.no_tests

    @property
    def tolerance(self) -> float:
        """Of floats in a function's results, absolute or relative; 0 asks for the very same."""
        kind, _, tolerance = self.check.partition(":")
        return float(tolerance) if kind == "float" else 0.0


_CONVERTERS: Mapping[str, Any] = {
    "args": texts, "with_paths": paths, "env": names, "ignore_output": names,
    "check": checker_name, "changed_inputs": Strictness, "max_examples": examples, "tests": paths,
    "select": names, "ignore": names, "candidates": count, "chains": count, "patience": count_or_zero,
    "context_tokens": count, "model_timeout": positive, "max_rounds": count, "max_seconds": positive,
    "max_tokens": count, "max_cost": positive, "min_gain": positive, "max_pairs": count, "timeout": positive,
    "memory": count, "seed": int, "input_seed": count_or_zero,
    "cases": Path, "stdin": Path, "calls": Path, "record": Path, "run_dir": Path,
    "resume": Path, "no_tests": bool, "strict": bool, "no_profile": bool, "model_only": bool, "structured": bool,
}  # fmt: skip
"""By field: what makes a value of what was given; text for the others."""
_EMPTY = {"tests": (), "with_paths": (), "env": (), "ignore_output": (), "select": (), "ignore": ()}


def _converted(name: str, value: Any) -> Any:
    """The value of a field. Raises UsageError."""
    if value is None:
        return _EMPTY.get(name)
    try:
        found = _CONVERTERS.get(name, os.fspath)(value)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{flag(name)}: {error}") from error
    allowed = choices(name)
    if allowed and str(found) not in allowed:
        raise UsageError(f"{flag(name)}: {found!r} is none of {', '.join(allowed)}")
    return found


_FLAGS = {"with_paths": "--with", "args": "-- ARGS"}


def flag(name: str) -> str:
    """The option of the command line that fills a field."""
    return _FLAGS.get(name) or f"--{name.replace('_', '-')}"


def choices(name: str) -> tuple[str, ...]:
    """What a field may be, where that is a short list; else nothing."""
    if name == "sandbox":
        return ("auto", ISOLATED, *BACKENDS)
    return tuple(map(str, get_args(_hints().get(name)))) if name in ("feedback", "history", "clock") else ()


@cache
def _hints() -> dict[str, Any]:
    return get_type_hints(ImproveOptions)
