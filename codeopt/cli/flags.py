"""Flags that several commands share, each a field of ImproveOptions; and the value that they make."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from codeopt.core import options
from codeopt.core.errors import UsageError
from codeopt.core.options import ImproveOptions, Strictness
from codeopt.core.target import Target, as_module, as_target

DEFAULT = ImproveOptions()
FEEDBACK = options.choices("feedback")
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}
T = TypeVar("T")


def flag_type(convert: Callable[[str], T]) -> Callable[[str], T]:
    """A converter whose message argparse shows."""

    def typed(text: str) -> T:
        try:
            return convert(text)
        except options.BadValue as error:  # others are argparse's to explain
            raise argparse.ArgumentTypeError(str(error)) from error

    typed.__name__ = convert.__name__
    return typed


positive = flag_type(options.positive)
count = flag_type(options.count)
count_or_zero = flag_type(options.count_or_zero)
checker_name = flag_type(options.checker_name)
examples = flag_type(options.examples)
name_list = flag_type(options.names)


def options_of(arguments: argparse.Namespace, **instead: Any) -> ImproveOptions:
    """What the flags of a command ask for; `instead` goes before them."""
    known = {field.name for field in fields(ImproveOptions)}
    given = {name: value for name, value in vars(arguments).items() if name in known}
    return ImproveOptions.of({**given, **instead})


def share(text: str) -> float:
    """5% or 0.05."""
    value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    if not 0 <= value < 100:
        raise argparse.ArgumentTypeError(f"{text} is not a share such as 5% or 0.05")
    return value


def duration(text: str) -> float:
    """Seconds of 90, 90s, 15m or 1h."""
    return positive(text[:-1]) * _UNITS[text[-1]] if text[-1:] in _UNITS else positive(text)


def add_case_arguments(parser: argparse.ArgumentParser, *, strict: bool = True) -> None:
    """Where the cases are and how outputs are compared. strict: with `--strict`."""
    group = parser.add_argument_group("cases")
    group.add_argument(
        "--cases",
        type=Path,
        metavar="DIR",
        help="input.N.txt/output.N.txt, NAME.in/NAME.out, in/NAME+out/NAME, generate.py (default: beside the program)",
    )
    group.add_argument("--stdin", type=Path, metavar="FILE", help="one input; the original program says what is right")
    group.add_argument(
        "--with", dest="with_paths", type=Path, action="append", metavar="PATH",
        help="a file or folder that a run finds beside those that the arguments name; may be repeated",
    )  # fmt: skip
    group.add_argument(
        "--env", action="append", metavar="NAME[=VALUE]", help="an environment variable of a run; may be repeated"
    )
    group.add_argument(
        "--ignore-output",
        action="append",
        metavar="GLOB",
        help="files that the program writes and that do not count; re:PATTERN: parts of what --run prints",
    )
    parser.epilog = "What follows -- are the program's arguments: codeopt COMMAND tool.py -- --top 10 data.csv"
    add_check_arguments(group, strict=strict)


def add_check_arguments(group: argparse._ArgumentGroup, *, strict: bool = True) -> None:
    """How outputs are compared, and on what inputs beside the cases. strict: with `--strict`."""
    group.add_argument(
        "--check", type=checker_name, default=DEFAULT.check, metavar="HOW",
        help="tokens, exact or float:TOLERANCE (%(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--changed-inputs", type=Strictness, choices=list(Strictness), default=DEFAULT.changed_inputs, metavar="HOW",
        help="inputs nobody has seen, the original decides: auto, strict, lenient, off (%(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--max-examples", type=examples, metavar="N",
        help="calls or inputs made up to look for a difference (1000 calls of a function, 52 inputs of a program)",
    )  # fmt: skip
    if strict:
        group.add_argument(
            "--strict", action="store_true", help="a caveat rejects: a difference beyond the known inputs"
        )


def add_function_arguments(parser: argparse.ArgumentParser) -> None:
    """For targets like FILE::FUNCTION."""
    group = parser.add_argument_group("functions (FILE::FUNCTION, FILE::Class.method)")
    group.add_argument(
        "--calls",
        type=Path,
        metavar="FILE",
        help="Python file with CALLS, a list of (args, kwargs), and BIG to time",
    )
    add_test_arguments(group)


def add_run_argument(parser: argparse.ArgumentParser) -> None:
    """A user's own command, for functions."""
    parser.add_argument(
        "--run", metavar="COMMAND",
        help="your own command; of a folder (default: the current one) it is what is improved, in the sandbox; of a "
        "FILE::FUNCTION it is run as you would, not isolated: the function's calls are recorded; with FILE alone the "
        "function with the most time of its own is improved, and the command is run twice",
    )  # fmt: skip


def add_test_arguments(group: argparse._ArgumentGroup) -> None:
    """Which existing tests are evidence."""
    group.add_argument(
        "--tests", type=Path, action="append", metavar="PATH",
        help="pytest files or folders (default: found by name and import)",
    )  # fmt: skip
    group.add_argument("--no-tests", action="store_true", help="do without existing tests")


def add_workload_argument(parser: argparse.ArgumentParser) -> None:
    """Which kind of target."""
    parser.add_argument(
        "--workload", default=DEFAULT.workload, metavar="NAME",
        help="kind of the target: program, function, or a dotted path (default: found out)",
    )  # fmt: skip


def add_target_arguments(parser: argparse.ArgumentParser) -> None:
    """One target: a file, something in it, or a module."""
    parser.add_argument("target", nargs="?", metavar="TARGET", help="program, or FILE::FUNCTION")


def target_of(arguments: argparse.Namespace) -> Target:
    """The one target. Raises UsageError."""
    if arguments.target is not None:
        if arguments.short_m is not None:
            if not hasattr(arguments, "model"):
                raise UsageError("give TARGET or -m MODULE, not both")
            arguments.model = arguments.short_m
        return as_target(arguments.target)
    if arguments.short_m is None and getattr(arguments, "run", None) is not None:
        return as_target(".")
    if arguments.short_m is None:
        raise UsageError("the following arguments are required: TARGET, or -m MODULE")
    return as_module(arguments.short_m, Path())


def add_model_arguments(parser: argparse.ArgumentParser, *, modules: bool = False) -> None:
    """Who writes the drafts. modules: without a target, `-m` names a module to run, as Python's own does."""
    group = parser.add_argument_group("drafts")
    if modules:
        group.add_argument(
            "-m", dest="short_m", metavar="NAME", help="with a TARGET: --model; without one: the module to run"
        )
    group.add_argument(
        *([] if modules else ["-m"]), "--model", metavar="NAME",
        help="rules, a model's name, several that take turns (A,B), or replay:FILE (default: a model if one is set up, "
        "by OPENAI_API_KEY or OPENAI_BASE_URL, else rules)",
    )  # fmt: skip
    group.add_argument(
        "--judge-model", metavar="NAME", help="asked which of two programs a reader prefers (default: the model)"
    )
    group.add_argument("--base-url", metavar="URL", help="an OpenAI-compatible server (OPENAI_BASE_URL)")
    group.add_argument("--api-key-env", metavar="NAME", help="environment variable that holds the key (OPENAI_API_KEY)")
    group.add_argument(
        "--feedback", choices=FEEDBACK, default=DEFAULT.feedback, help="what a model is told (%(default)s)"
    )
    group.add_argument(
        "--history", choices=options.choices("history"), default=DEFAULT.history,
        help="how many rounds a model sees (%(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--context-tokens", type=count, default=DEFAULT.context_tokens, metavar="N", help="of the model (%(default)d)"
    )
    group.add_argument(
        "--model-timeout", type=positive, default=DEFAULT.model_timeout, metavar="S",
        help="longest silence of the server (%(default)g)",
    )  # fmt: skip
    group.add_argument(
        "--structured", action="store_true", help="ask a model for JSON, by a schema where its server takes one"
    )
    group.add_argument("--record", type=Path, metavar="FILE", help="keep the conversation, for --model replay:FILE")
    group.add_argument(
        "--select", type=name_list, metavar="RULES", help="only these built-in rules, separated by commas"
    )
    group.add_argument("--model-only", action="store_true", help="do not begin with what the rules make of a program")
    group.add_argument(
        "--ignore", type=name_list, metavar="RULES", help="not these built-in rules; ruff: none of its fixes"
    )


def add_search_arguments(parser: argparse.ArgumentParser) -> None:
    """How a model's drafts are searched for."""
    group = parser.add_argument_group("search, with a model")
    group.add_argument(
        "--search", default=DEFAULT.search, metavar="NAME",
        help="chain: each draft from the newest; best-of: independent chains; evolve: a population, for long budgets; "
        "or a dotted path (%(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--candidates", type=count, default=DEFAULT.candidates, metavar="K",
        help="drafts of each critique; only the best that is right is compared at length (%(default)d)",
    )  # fmt: skip
    group.add_argument(
        "--chains", type=count, default=DEFAULT.chains, metavar="N", help="of --search best-of (%(default)d)"
    )
    group.add_argument(
        "--patience", type=count_or_zero, metavar="N",
        help="rounds in a row without a gain that end a chain, 0 for never (chain and best-of 2, evolve 6)",
    )  # fmt: skip


def add_judging_arguments(group: argparse._ArgumentGroup) -> None:
    """Least gain, clock, pairs, profiler."""
    group.add_argument("--min-gain", type=positive, metavar="SHARE", help="least gain worth having (0.05)")
    group.add_argument(
        "--clock", choices=["auto", "cpu", "wall"], default=DEFAULT.clock,
        help="auto: CPU time if it computes (%(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--max-pairs", type=count, default=DEFAULT.max_pairs, metavar="N",
        help="timed pairs per comparison (%(default)d)",
    )  # fmt: skip
    add_input_seed(group)
    group.add_argument("--no-profile", action="store_true", help="do without the profiler")


def add_input_seed(group: argparse._ArgumentGroup) -> None:
    """Which inputs are made up."""
    group.add_argument(
        "--input-seed", type=count_or_zero, metavar="N",
        help="make up the inputs of the run whose JSON has this input_seed (default: new ones each time)",
    )  # fmt: skip


def add_python_argument(parser: argparse._ActionsContainer) -> None:
    """Which Python."""
    parser.add_argument(
        "--python", metavar="PATH",
        help="interpreter that runs the program (default: the activated one, the project's .venv, else this one)",
    )  # fmt: skip


def add_sandbox_arguments(parser: argparse.ArgumentParser) -> None:
    """Which sandbox and which limits."""
    group = parser.add_argument_group("sandbox")
    group.add_argument(
        "--sandbox", choices=options.choices("sandbox"), default=DEFAULT.sandbox,
        help="isolated: any but process, which isolates nothing (%(default)s)",
    )  # fmt: skip
    group.add_argument("--image", metavar="NAME", help="Docker: run in this image instead of the host's interpreter")
    group.add_argument("--runtime", metavar="NAME", help="Docker: OCI runtime, such as runsc")
    add_python_argument(group)
    group.add_argument(
        "--timeout", type=positive, default=DEFAULT.timeout, metavar="S", help="seconds a run may take (%(default)g)"
    )
    group.add_argument(
        "--memory", type=count, default=DEFAULT.memory, metavar="MiB", help="a run may use (%(default)d)"
    )
