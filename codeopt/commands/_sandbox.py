"""Flags that several commands share: which sandbox, which limits, which cases."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from pathlib import Path

from codeopt.cases import Request
from codeopt.challenge import Strictness
from codeopt.errors import NoSandbox, UsageError
from sandbox import BackendUnavailable, Options, Run, RunLimits, Sandbox, open_sandbox
from sandbox.host import BACKENDS
from sandbox.judge import Checker, open_checker


def positive(text: str) -> float:
    """A number above zero."""
    value = float(text)
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is not a number above zero")
    return value


def count(text: str) -> int:
    """A whole number above zero."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number above zero")
    return value


def add_case_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the cases are and how outputs are compared."""
    group = parser.add_argument_group("cases")
    group.add_argument(
        "--cases",
        type=Path,
        metavar="DIR",
        help="input.N.txt/output.N.txt, NAME.in/NAME.out, in/NAME+out/NAME, generate.py (default: beside the program)",
    )
    group.add_argument("--stdin", type=Path, metavar="FILE", help="one input; the original program says what is right")
    add_check_arguments(group)


def add_check_arguments(group: argparse._ArgumentGroup) -> None:
    """How outputs are compared, and on what inputs beside the cases."""
    group.add_argument(
        "--check",
        type=_checker_name,
        default="tokens",
        metavar="HOW",
        help="tokens, exact or float:TOLERANCE (%(default)s)",
    )
    group.add_argument(
        "--changed-inputs", type=Strictness, choices=list(Strictness), default=Strictness.AUTO, metavar="HOW",
        help="inputs nobody has seen, the original decides: auto, strict, lenient, off (%(default)s)",
    )  # fmt: skip


def _checker_name(text: str) -> str:
    try:
        open_checker(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return text


def add_sandbox_arguments(parser: argparse.ArgumentParser) -> None:
    """Which sandbox and which limits."""
    limits = RunLimits()
    group = parser.add_argument_group("sandbox")
    group.add_argument(
        "--sandbox", choices=["auto", *BACKENDS], default="auto", help="process isolates nothing (%(default)s)"
    )
    group.add_argument("--image", metavar="NAME", help="Docker: run in this image instead of the host's interpreter")
    group.add_argument("--runtime", metavar="NAME", help="Docker: OCI runtime, such as runsc")
    group.add_argument("--python", metavar="PATH", help="interpreter that runs the program (default: this one)")
    group.add_argument(
        "--timeout", type=positive, default=limits.seconds, metavar="S", help="seconds a run may take (%(default)g)"
    )
    group.add_argument(
        "--memory", type=count, default=limits.memory_mib, metavar="MiB", help="a run may use (%(default)d)"
    )


def checker(arguments: argparse.Namespace) -> Checker:
    """How outputs are compared."""
    return open_checker(arguments.check)


def open_from(
    arguments: argparse.Namespace,
    *,
    own_code_only: bool,
    notify: Callable[[str], None],
    core: int | None = None,
    mounts: tuple[tuple[str, str], ...] = (),
) -> Sandbox:
    """The sandbox that the flags ask for. Raises NoSandbox.

    own_code_only: nothing but the user's own program and what the built-in rules made of it will run; then, and only
    then, `auto` may end with plain processes where nothing can isolate, and says so.
    """
    limits = RunLimits(seconds=arguments.timeout, memory_mib=arguments.memory)
    options = Options(limits, arguments.python, arguments.image, arguments.runtime, core=core, mounts=mounts)
    try:
        return open_sandbox(arguments.sandbox, options=options)
    except BackendUnavailable as error:
        if arguments.sandbox != "auto" or not own_code_only or arguments.image:
            advice = "" if arguments.sandbox != "auto" else " (--sandbox process runs code without isolation)"
            raise NoSandbox(f"{error}{advice}") from error
    notify(
        "neither Docker nor namespaces can be used here: your program runs as a plain process, with limits but not "
        "isolated"
    )
    try:
        return open_sandbox("process", options=options)
    except BackendUnavailable as error:
        raise NoSandbox(str(error)) from error


def case_request(arguments: argparse.Namespace, program: Path, sandbox: Sandbox) -> Request:
    """What the case sources are asked for."""
    if arguments.stdin and arguments.cases:
        raise UsageError("give --cases or --stdin, not both")

    def run(source: str, args: Sequence[str]) -> Run:
        return sandbox.run(source, args=args, mode="exec")

    return Request(program, arguments.cases, arguments.stdin, run)
