"""Verdicts, made on the host from what a guest saw; the expected output never leaves this side."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from itertools import zip_longest
from typing import Protocol, runtime_checkable

from codeopt_sandbox.outcome import Case, CaseVerdict, Outcome, Run, WrittenFile

Checker = Callable[[bytes, bytes], str]
"""(expected, printed) -> "" when equal, else one line that says where they differ."""


@runtime_checkable
class CaseChecker(Protocol):
    """A checker that also sees the input. Without an input it compares the outputs alone."""

    def __call__(self, expected: bytes, got: bytes) -> str:
        """Compare two outputs alone."""

    def of_case(self, case: Case, expected: bytes, got: bytes) -> str:
        """Empty where the output is right for this input, else one line that says why not."""


@runtime_checkable
class RunChecker(Protocol):
    """A checker of more than an output: it compares what a run did, as values."""

    def __call__(self, expected: bytes, got: bytes) -> str:
        """Compare two outputs alone."""

    def of_run(self, case: Case, run: Run) -> str:
        """Empty where the run did what the case expects, else one line that says why not."""


LAST_BITS = 1e-12
"""Relative difference of floats whose sums were associated in another way."""
_FLOAT = re.compile(rb"[+-]?(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][+-]?\d+)?")
_SHOWN = 60
TRACEBACK = b"Traceback (most recent call last):"


def open_checker(name: str = "tokens") -> Checker:
    """Checker by name: tokens (white space does not matter), exact, or float:TOLERANCE (absolute or relative). Raises
    ValueError."""
    if name == "tokens":
        return check_tokens
    if name == "exact":
        return check_exact
    kind, _, tolerance = name.partition(":")
    try:
        allowed = float(tolerance) if kind == "float" else 0.0
    except ValueError:
        allowed = 0.0
    if 0 < allowed < math.inf:
        return lambda expected, got: check_floats(expected, got, allowed)
    raise ValueError(f"there is no checker {name!r}; choose tokens, exact or float:TOLERANCE such as float:1e-6")


def check_tokens(expected: bytes, got: bytes) -> str:
    """Equal up to white space."""
    return _first_difference(expected.split(), got.split(), lambda a, b: a == b)


def check_exact(expected: bytes, got: bytes) -> str:
    """Equal byte for byte."""
    if expected == got:
        return ""
    return _first_difference(expected.splitlines(True), got.splitlines(True), lambda a, b: a == b, "line")


def check_floats(expected: bytes, got: bytes, tolerance: float) -> str:
    """Compare without white space. Floats may differ by `tolerance`, absolute or relative, and ints must be equal.

    Floats inside of `[0.5, {'a': 1.5}]` count also. The text describes the largest difference relative to the
    tolerance.
    """
    if expected == got:
        return ""
    worst, words = 1.0, ""
    for number, (x, y) in enumerate(zip_longest(expected.split(), got.split()), 1):
        if x is None or y is None:
            return words if worst == math.inf else _differ(number, x, y)
        far = excess(x, y, tolerance)
        if far > worst:
            worst, words = far, _differ(number, x, y)
    return words


def check_nearly(expected: bytes, got: bytes) -> str:
    """Compare tokens. Floats may differ in their last bits."""

    def same(a: bytes, b: bytes) -> bool:
        return a == b or (same_shape(a, b) and all(_near(x, y) for x, y in number_pairs(a, b)))

    return "" if expected == got else _first_difference(expected.split(), got.split(), same)


def last_bits(expected: bytes, got: bytes) -> float:
    """Return the largest relative difference of two outputs that check_nearly accepts; 0 without a difference."""
    if expected == got:
        return 0.0
    pairs = zip(expected.split(), got.split(), strict=False)
    inner = (pair for a, b in pairs if a != b for pair in number_pairs(a, b))
    return max((_apart(float(a), float(b)) for a, b in inner if a != b), default=0.0)


def _near(a: bytes, b: bytes) -> bool:
    if a == b:
        return True
    if not (_FLOAT.fullmatch(a) and _FLOAT.fullmatch(b)):
        return False
    x, y = float(a), float(b)
    # difference of such floats in units in the last place
    return _apart(x, y) <= LAST_BITS or abs(x - y) <= 4 * math.ulp(max(abs(x), abs(y)))


def _apart(x: float, y: float) -> float:
    return abs(x - y) / max(abs(x), abs(y), 5e-324)


def _first_difference(a: list[bytes], b: list[bytes], same: Callable[[bytes, bytes], bool], unit: str = "token") -> str:
    for number, (x, y) in enumerate(zip_longest(a, b), 1):
        if x is None or y is None or not same(x, y):
            return _differ(number, x, y, unit)
    return ""


def _differ(number: int, x: bytes | None, y: bytes | None, unit: str = "token") -> str:
    end = "the end of the output"
    return f"{unit} {number}: expected {end if x is None else _show(x)}, got {end if y is None else _show(y)}"


def _show(data: bytes) -> str:
    text = data.decode("utf-8", "backslashreplace")
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")


def judge(case: Case, run: Run, check: Checker = check_tokens) -> Outcome:
    """The verdict on one run. A case without expected output is only checked for ending well."""
    verdict, detail = _verdict(case, run, check)
    return Outcome(case.name, verdict, run, detail, run.cause)


def _verdict(case: Case, run: Run, check: Checker) -> tuple[CaseVerdict, str]:
    if run.stop == "time":
        return CaseVerdict.TLE, run.stop_detail
    last_line = run.stderr.rstrip().rpartition(b"\n")[2]
    # a limit on address space causes a MemoryError
    if run.stop == "memory" or (run.exit == 1 and last_line.startswith(b"MemoryError")):
        return CaseVerdict.MLE, run.stop_detail or "MemoryError: an allocation was refused"
    if run.stop == "output":
        return CaseVerdict.OLE, run.stop_detail
    if run.stop is not None:
        return CaseVerdict.RE, run.stop_detail
    if run.signal is not None:
        return CaseVerdict.RE, f"ended by signal {run.signal}"
    if run.exit != case.exit or (case.exit and TRACEBACK in run.stderr):
        other = f" instead of {case.exit}" if run.exit != case.exit and case.exit else ""
        said = last_line.decode("utf-8", "backslashreplace").strip()[:200]
        return CaseVerdict.RE, f"exit status {run.exit}{other}{f': {said}' if said else ''}"
    difference = (_checked(check, case, run) if case.is_answered else "") or compare_written(case, run)
    return (CaseVerdict.WA, difference) if difference else (CaseVerdict.AC, "")


def _checked(check: Checker, case: Case, run: Run) -> str:
    if isinstance(check, RunChecker):
        return check.of_run(case, run)
    expected = case.expected or b""
    return check.of_case(case, expected, run.stdout) if isinstance(check, CaseChecker) else check(expected, run.stdout)


def compare_written(case: Case, run: Run) -> str:
    """First difference between the files that a run wrote and the expected ones, byte for byte; empty where there is
    none."""
    if case.written is None:
        return ""
    expected = {file.path: file for file in case.written if not _is_ignored(case, file)}
    got = {file.path: file for file in run.written if not _is_ignored(case, file)}
    for path in sorted(expected.keys() | got.keys()):
        if expected.get(path) != got.get(path):
            return f"file {path}: {_file_difference(expected.get(path), got.get(path))}"
    return ""


def _is_ignored(case: Case, file: WrittenFile) -> bool:
    return any(fnmatchcase(file.path, pattern) for pattern in case.ignored)


def _file_difference(expected: WrittenFile | None, got: WrittenFile | None) -> str:
    if got is None:
        return "it was expected and is not written"
    if expected is None:
        return "it is written and was not expected"
    if expected.content is None or got.content is None:
        gone = got.content is None and not got.special
        return "it is removed" if gone else "it is not removed or is no file"
    opened = f"expected permissions {expected.mode:o}, got {got.mode:o}" if expected.mode != got.mode else ""
    return check_exact(expected.content, got.content) or opened or "it is another kind of file"


# Outputs of programs compared number by number, also inside what Python and JSON print for lists and mappings.

_INT = re.compile(rb"([+-]?)0*(\d*)")
_NUMBER = re.compile(rb"""(?<![\w.'"])[+-]?(?:\d+\.\d*|\.\d+|\d+|(?i:nan|inf(?:inity)?))(?:[eE][+-]?\d+)?(?![\w.'"])""")


def excess(expected: bytes, got: bytes, tolerance: float) -> float:
    """Largest difference between the numbers of two tokens, in units of the tolerance: up to 1 is allowed; infinite
    where anything but a float differs."""
    if expected == got:
        return 0.0
    if _number(expected) is not None and _number(got) is not None:
        return _excess_of_tokens(expected, got, tolerance)
    if not expected or not got or _NUMBER.sub(b"0", expected) != _NUMBER.sub(b"0", got):
        return math.inf
    return max((_excess_of_tokens(a, b, tolerance) for a, b in number_pairs(expected, got)), default=math.inf)


def number_pairs(expected: bytes, got: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield pairs of numbers from two tokens that differ only in numbers."""
    return zip(_NUMBER.findall(expected), _NUMBER.findall(got), strict=False)  # `1_0` is a number to float alone


def same_shape(expected: bytes, got: bytes) -> bool:
    """Return True if two tokens differ only in numbers and contain some."""
    blank = _NUMBER.sub(b"0", expected)
    return blank == _NUMBER.sub(b"0", got) and bool(_NUMBER.search(expected))


def _excess_of_tokens(expected: bytes, got: bytes, tolerance: float) -> float:
    if expected == got:
        return 0.0
    whole, other = _INT.fullmatch(expected), _INT.fullmatch(got)
    if whole and other:
        return 0.0 if _whole(whole) == _whole(other) else math.inf
    return float_excess(float(expected), float(got), tolerance)


def float_excess(x: float, y: float, tolerance: float) -> float:
    """Difference between two floats in units of the tolerance, which is absolute or relative, as `math.isclose` has
    it."""
    if x == y:
        return 0.0
    if not (math.isfinite(x) and math.isfinite(y)):
        return math.inf
    if math.isclose(x, y, rel_tol=tolerance, abs_tol=tolerance):
        return min(1.0, abs(x - y) / tolerance)
    return max(1.0 + 1e-9, abs(x - y) / tolerance / max(1.0, abs(x), abs(y)))


def _whole(found: re.Match[bytes]) -> tuple[bool, bytes]:
    """Sign and digits of an int of any length; zero has no sign."""
    return found[1] == b"-" and bool(found[2]), found[2]


def _number(token: bytes) -> float | None:
    try:
        return float(token)
    except ValueError:
        return None
