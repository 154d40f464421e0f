"""codeopt sandbox PROGRAM --cases DIR: run a program on its cases and print the verdicts.

codeopt sandbox check [--backend NAME] [--json]: test the guarantees of the sandbox on this machine, and show the cost
of each backend. Without codeopt: python -m codeopt_sandbox.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from codeopt_sandbox.caseio import read_cases
from codeopt_sandbox.errors import BackendUnavailable, SandboxError
from codeopt_sandbox.host import BACKENDS, Options, open_sandbox
from codeopt_sandbox.outcome import Case, CaseVerdict, Outcome, RunLimits
from codeopt_sandbox.streams import FULL, drop_output, open_closed_streams
from codeopt_sandbox.verdict import Checker, open_checker, run_cases

_SHOWN = 2000  # bytes of stdout and stderr in a report
CHECK = Path("check")
"""Value of the program argument that asks for the conformance check."""


class WrongUsage(Exception):
    """Command-line arguments that make no sense together; the message says what to do."""


def main(argv: list[str] | None = None) -> int:
    """Exit status: 0 all accepted, 1 not, 2 usage, 3 no sandbox, 130 interrupted."""
    words = sys.argv[1:] if argv is None else argv
    open_closed_streams()
    try:
        status = run_command(_parser().parse_args(words))
        sys.stdout.flush()
        return status
    except WrongUsage as error:
        print(f"sandbox: {error}", file=sys.stderr)
        return 2
    except SandboxError as error:
        advice = " (--backend process runs it without isolation)" if isinstance(error, BackendUnavailable) else ""
        print(f"sandbox: {error}{advice}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of our output has gone: not our business
        drop_output()
        return 1
    except OSError as error:
        if error.errno not in FULL:
            raise
        drop_output()
        print(f"sandbox: cannot write: {error.strerror}", file=sys.stderr)
        return 2


def run_command(arguments: argparse.Namespace) -> int:
    """Run a program on its cases, or the sandbox's own check. Raises WrongUsage, SandboxError."""
    if arguments.program == CHECK:
        from codeopt_sandbox.conformance import report

        return report(arguments.backend, arguments.json)
    return _report(arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "codeopt sandbox", description="Run a program on its cases, isolated, and judge it."
    )
    add_arguments(parser)
    return parser


def add_arguments(parser: argparse.ArgumentParser) -> None:
    limits = RunLimits()
    words = "program that reads standard input, or check: test the sandbox"
    parser.add_argument("program", type=Path, metavar="PROGRAM", help=words)
    words = "input.N.txt/output.N.txt or NAME.in/NAME.out [default: next to PROGRAM]"
    parser.add_argument("--cases", type=Path, metavar="DIR", help=words)
    parser.add_argument("--backend", choices=["auto", *BACKENDS], default="auto", help="sandbox [default: %(default)s]")
    parser.add_argument("--image", help="run in this Docker image instead of the host's interpreter")
    parser.add_argument("--runtime", help="OCI runtime for Docker, such as runsc")
    parser.add_argument("--python", help="Python that runs the program [default: this one]")
    for name, default, value, words in (
        ("--seconds", limits.seconds, "S", "time limit of one run in seconds"),
        ("--memory", limits.memory_mib, "MiB", "memory limit of one run"),
        ("--output", limits.output_mib, "MiB", "limit of each output stream"),
        ("--processes", limits.processes, "N", "maximum number of processes"),
        ("--check", "tokens", "HOW", "compare by tokens, exact or float:TOLERANCE"),
    ):
        shown = f"{words} [default: %(default)s]"
        parser.add_argument(name, type=type(default), default=default, metavar=value, help=shown)
    parser.add_argument(
        "--mode", choices=["exec", "fork"], default="exec", help="a fresh interpreter, or a fork [default: %(default)s]"
    )
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object")


def _report(arguments: argparse.Namespace) -> int:
    program, cases, check = _inputs(arguments)
    limits = _limits(arguments)
    options = Options(limits, arguments.python, arguments.image, arguments.runtime)
    with open_sandbox(arguments.backend, options=options) as sandbox:
        outcomes = []
        if not arguments.json:
            print(f"{sandbox.backend}: {sandbox.description}", file=sys.stderr)
        for outcome in run_cases(sandbox, program, cases, check, arguments.mode):
            outcomes.append(outcome)
            if not arguments.json:
                print(_line(outcome), flush=True)
        if arguments.json:
            print(
                json.dumps(
                    {"backend": sandbox.backend, "isolation": sandbox.description, "cases": [_row(o) for o in outcomes]}
                )
            )
    return 0 if all(o.verdict is CaseVerdict.AC for o in outcomes) else 1


def _inputs(arguments: argparse.Namespace) -> tuple[bytes, list[Case], Checker]:
    try:
        program = arguments.program.read_bytes()
        cases = read_cases(arguments.cases or arguments.program.parent)
        check = open_checker(arguments.check)
    except OSError as error:
        raise WrongUsage(f"cannot read {error.filename}: {error.strerror}") from error
    except ValueError as error:
        raise WrongUsage(str(error)) from error
    if not cases:
        where = arguments.cases or arguments.program.parent
        raise WrongUsage(f"no cases in {where}: it should hold input.N.txt and output.N.txt, or NAME.in and NAME.out")
    return program, cases, check


def _limits(arguments: argparse.Namespace) -> RunLimits:
    values = (arguments.seconds, arguments.memory, arguments.output, arguments.processes)
    if min(values) <= 0:
        raise WrongUsage("limits must be more than zero")
    return RunLimits(arguments.seconds, arguments.memory, arguments.output, arguments.processes)


def _line(outcome: Outcome) -> str:
    run = outcome.run
    times = f"{run.wall_s * 1000:9.1f} ms wall {run.cpu_s * 1000:9.1f} ms cpu {run.peak_bytes / (1 << 20):6.0f} MiB"
    return f"{outcome.verdict.words:14}  {outcome.case:12} {times}  {outcome.detail}".rstrip()


def _row(outcome: Outcome) -> dict[str, Any]:
    run = outcome.run
    return {
        "name": outcome.case,
        "verdict": outcome.verdict,
        "detail": outcome.detail,
        "exit": run.exit,
        "signal": run.signal,
        "stop": run.stop,
        "wall_s": run.wall_s,
        "cpu_s": run.cpu_s,
        "peak_bytes": run.peak_bytes,
        "stdout": run.stdout[:_SHOWN].decode("utf-8", "backslashreplace"),
        "stderr": run.stderr[:_SHOWN].decode("utf-8", "backslashreplace"),
    }


if __name__ == "__main__":
    sys.exit(main())
