"""Each rule on hundreds of programs that it matches: what they print before and after must be the same.

    python -m benchmarks.rules.rules_differential [--programs 500]

Every program runs as it is and rewritten, by the rule alone and with all sound rules, on some inputs. Counted are
programs that match, that were refused, and that differed: printed something else, or ended with another exception.
"""

from __future__ import annotations

import argparse
import io
import random
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from unittest.mock import patch

from benchmarks.rules.rule_programs import PATTERNS, program, stdin
from codeopt.core.revision import Revision
from codeopt.proposers.rules import stack
from codeopt.rules import Hot, HotFiles, all_rules, load_rule

INPUTS = 2
SECONDS = 3.0
"""A program that computes longer is left out."""
MOST = 60
"""Programs are made until enough match, but at most so many times as many."""


class _TooLong(BaseException):
    """The alarm went off."""


@dataclass
class Count:
    """What was found of one rule."""

    matched: int = 0
    refused: int = 0
    broken: int = 0
    """Programs that end with an exception as they are: kept, for they have to end the same."""
    different: list[tuple[str, str, str, str, str]] = field(default_factory=list)
    """Original, rewritten, input, and what each printed."""


def check(name: str, programs: int, seed: int = 0, together: float = 0.25) -> Count:
    """Make programs until so many match, or far more were made; `together`: share that all sound rules rewrite, too."""
    rng = random.Random(f"{name} {seed}")
    count, one = Count(), load_rule(name)
    everything = tuple(each for each in all_rules() if each.safety == "safe" or each.name == name)
    for _ in range(programs * MOST):
        if count.matched >= programs:
            break
        source = program(rng, name)
        try:
            compile(source, "program", "exec")
        except SyntaxError:
            continue
        new = one.rewrite(source, Hot())
        if new is None:
            count.refused += 1
            continue
        count.matched += 1
        count.broken += not _compare(count, source, new, [stdin(rng) for _ in range(INPUTS)])
        if rng.random() < together:
            _compare(count, source, stack(Revision.of(source), HotFiles(), everything)[0].text, [stdin(rng)])
    return count


def _compare(count: Count, source: str, new: str, inputs: list[str]) -> bool:
    """Note a difference; whether the original ended without an exception."""
    well = True
    for given in inputs:
        try:
            with _alarm():
                before, after = output(source, given), output(new, given)
        except _TooLong:
            continue
        well = well and not before.endswith("Error")
        limit = before.endswith("EOFError")  # documented: '' at the end of the input
        if before != after and not limit and _steady(source, given, before):
            count.different.append((source, new, given, before, after))
            break
    return well


def _steady(source: str, given: str, before: str) -> bool:
    """The program prints the same each time; the hash of nan is its address, so a set of them has any order."""
    spare: list[float] = []
    for number in range(9):
        spare += [float(value) for value in range(number)]  # the next nan gets another address
        if output(source, given) != before:
            return False
    return True


def output(source: str, given: str) -> str:
    """What a program prints, and the type of the exception that ends it."""
    out, end = io.StringIO(), ""
    reader = io.TextIOWrapper(io.BytesIO(given.encode()), encoding="utf-8")
    code = compile(source, "program", "exec")
    with redirect_stdout(out), redirect_stderr(io.StringIO()), patch.object(sys, "stdin", reader):
        try:
            exec(code, {"__name__": "__main__"})
        except SystemExit as stop:
            end = f"exit {stop.code}"
        except Exception as error:
            end = type(error).__name__.replace("UnboundLocalError", "NameError")
    return out.getvalue() + end


@contextmanager
def _alarm() -> Iterator[None]:
    """Ends a program by CPU time, which does not depend on who else is at work.

    It rings until the program has ended: where Python lets no exception out, as in a weak reference's callback, the
    first one is lost, and nothing is to be said of it.
    """
    say = sys.unraisablehook

    def ring(_number: int, _frame: object) -> None:
        raise _TooLong

    def lost(found: sys.UnraisableHookArgs) -> None:
        if not isinstance(found.exc_value, _TooLong):
            say(found)

    before = signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS, 0.1)
    try:
        with patch.object(sys, "unraisablehook", lost):
            yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def main() -> int:
    """A row a rule, and the first programs that differed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=500, help="that match, for each rule")
    parser.add_argument("--rules", nargs="*", default=sorted(PATTERNS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=1, help="programs that differed, for each rule")
    arguments = parser.parse_args()
    print(f"{'rule':<24}{'matched':>8}{'refused':>8}{'raise':>8}{'differ':>8}")
    worst = 0
    for name in arguments.rules:
        count = check(name, arguments.programs, arguments.seed)
        unsafe = load_rule(name).safety == "unsafe"
        mark = " (the test cases decide)" if unsafe else ""
        row = f"{count.matched:>8}{count.refused:>8}{count.broken:>8}{len(count.different):>8}"
        print(f"{name:<24}{row}{mark}", flush=True)
        for source, new, given, before, after in count.different[: arguments.show]:
            print(f"--- {name}\n{source}\n--- becomes\n{new}\n--- reads {given!r}\n{before}\n--- then\n{after}\n---")
        worst += 0 if unsafe else len(count.different)
    return 1 if worst else 0


if __name__ == "__main__":
    sys.exit(main())
