"""Verdicts from what was seen, and the three ways to compare output."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt_sandbox import Case, CaseVerdict, Run
from codeopt_sandbox.outcome import WrittenFile
from codeopt_sandbox.verdict import check_exact, check_floats, check_nearly, check_tokens, judge, open_checker

EQUAL = [  # checker, expected, printed
    ("tokens", b"", b""),
    ("tokens", b"", b" \n\t\r\n"),
    ("tokens", b"1 2\n3\n", b"1\n2\n3"),
    ("tokens", b"\x0b1\x0c", b"1"),
    ("tokens", b"\xff\x00", b" \xff\x00\n"),
    ("exact", b"", b""),
    ("exact", b"a\r\n", b"a\r\n"),
    ("exact", b"\x00\xff", b"\x00\xff"),
    ("float:1e-6", b"1.0 x", b"1.0000001 x"),
    ("float:1e-6", b"1000000", b"1000000.5"),
    ("float:1e-6", b"0", b"-0.0000009"),
    ("float:1e-6", b"1e3", b"1000"),
    ("float:1e-6", b"nan", b"nan"),
    ("float:1e-6", b"inf", b"Infinity"),
    ("float:0.5", b"1 2", b"1.4 1.6"),
    ("float:1e-6", b"[0.5, {'a': 1.5}] (2.5,)", b"[0.5000000001, {'a': 1.5000000001}] (2.4999999999,)"),
    ("float:1e-6", b"-0 007", b"0 7"),
]
DIFFERENT = [  # checker, expected, printed, a part of what is said
    ("tokens", b"1", b"", "token 1: expected '1', got the end of the output"),
    ("tokens", b"", b"1", "token 1: expected the end of the output, got '1'"),
    ("tokens", b"1 2 3", b"1 2 4", "token 3: expected '3', got '4'"),
    ("tokens", b"12", b"1 2", "token 1"),
    ("tokens", b"a", b"A", "token 1"),
    ("tokens", b"1", b"1.0", "token 1"),
    ("tokens", b"1", b"1\x00", "token 1"),
    ("tokens", b"1", b"\xef\xbb\xbf1", "token 1"),
    ("tokens", b"1 2", b"1\xa02", "token 1"),
    ("tokens", b"x" * 1000, b"y", "x..."),
    ("tokens", b"\xff", b"\xfe", r"\\xff"),
    ("exact", b"a\n", b"a", "line 1"),
    ("exact", b"a\n", b"a \n", "line 1"),
    ("exact", b"a\nb\n", b"a\nb\nc", "line 3: expected the end"),
    ("exact", b"a\r\n", b"a\n", "line 1"),
    ("float:1e-6", b"1.0", b"1.1", "token 1"),
    ("float:1e-6", b"1.0", b"nan", "token 1"),
    ("float:1e-6", b"nan", b"1.0", "token 1"),
    ("float:1e-6", b"inf", b"1e308", "token 1"),
    ("float:1e-6", b"inf", b"-inf", "token 1"),
    ("float:1e-6", b"YES", b"NO", "token 1"),
    ("float:1e-6", b"1 2", b"1", "token 2"),
    ("float:1e-6", b"1000000000", b"1000000001", "token 1"),
    ("float:1e-6", b"[1000000000, 0.5]", b"[1000000001, 0.5]", "token 1"),
    ("float:1e-6", b"'0.5'", b"'0.50000000001'", "token 1"),
    ("float:1e-6", b"1.5 2.5 9.0", b"1.6 2.5 12.0", "token 3: expected '9.0', got '12.0'"),
]


@pytest.mark.parametrize(("checker", "expected", "printed"), EQUAL)
def test_equal(checker: str, expected: bytes, printed: bytes) -> None:
    assert open_checker(checker)(expected, printed) == ""


@pytest.mark.parametrize(("checker", "expected", "printed", "said"), DIFFERENT)
def test_different(checker: str, expected: bytes, printed: bytes, said: str) -> None:
    assert said in open_checker(checker)(expected, printed)


@pytest.mark.parametrize(
    "name", ["", "token", "float", "float:", "float:0", "float:-1", "float:nan", "float:inf", "x:1"]
)
def test_a_checker_that_makes_no_sense_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="choose tokens, exact or float:TOLERANCE"):
        open_checker(name)


@given(st.binary(max_size=200))
def test_every_checker_takes_what_was_expected(data: bytes) -> None:
    assert [open_checker(name)(data, data) for name in ("tokens", "exact", "float:1e-9")] == ["", "", ""]


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_exact_is_equality_and_the_strictest(expected: bytes, printed: bytes) -> None:
    assert (check_exact(expected, printed) == "") == (expected == printed)
    if not check_exact(expected, printed):
        assert not check_tokens(expected, printed)
    if not check_tokens(expected, printed):
        assert not check_floats(expected, printed, 1e-9)


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_one_line_is_said_in_either_order(expected: bytes, printed: bytes) -> None:
    for name in ("tokens", "exact", "float:1e-6"):
        check = open_checker(name)
        assert bool(check(expected, printed)) == bool(check(printed, expected))
        assert "\n" not in check(expected, printed)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8), st.floats(-0.9, 0.9))
def test_numbers_may_be_off_by_the_tolerance(numbers: list[float], off: float) -> None:
    expected = " ".join(map(repr, numbers)).encode()
    printed = " ".join(repr(number + 1e-3 * off) for number in numbers).encode()
    assert check_floats(expected, printed, 1e-3) == ""


def run_of(**fields: Any) -> Run:
    """A run that ended well and printed 6, but for the fields given."""
    usual: dict[str, Any] = {"exit": 0, "signal": None, "stdout": b"6\n", "stderr": b""}
    return Run(**{**usual, **fields}, wall_s=0.1, cpu_s=0.1, peak_bytes=1 << 23)


TRACE = b"Traceback (most recent call last):\n"
VERDICTS: list[tuple[dict[str, Any], str]] = [
    ({}, "AC"),
    ({"stdout": b"7"}, "WA"),
    ({"stdout": b"6\xff"}, "WA"),
    ({"stderr": b"MemoryError"}, "AC"),
    ({"exit": 1}, "RE"),
    ({"exit": 1, "stdout": b"7"}, "RE"),
    ({"exit": 137}, "RE"),
    ({"exit": None, "signal": 9}, "RE"),
    ({"exit": None, "signal": 9, "stop": "time"}, "TLE"),
    ({"exit": 0, "stop": "time"}, "TLE"),
    ({"exit": None, "signal": 9, "stop": "memory"}, "MLE"),
    ({"exit": 0, "stop": "memory"}, "MLE"),
    ({"exit": 1, "stderr": TRACE + b"MemoryError\n"}, "MLE"),
    ({"exit": 1, "stderr": TRACE + b"MemoryError: no\n\n"}, "MLE"),
    ({"exit": 2, "stderr": b"MemoryError"}, "RE"),
    ({"exit": 1, "stderr": TRACE + b"ValueError: MemoryError"}, "RE"),
    ({"exit": None, "signal": 9, "stop": "output"}, "OLE"),
    ({"exit": 0, "stop": "output"}, "OLE"),
    ({"exit": None, "signal": 9, "stop": "processes"}, "RE"),
    ({"exit": 0, "stop": "lost"}, "RE"),
]


@pytest.mark.parametrize(("fields", "verdict"), VERDICTS)
def test_verdict(fields: dict[str, Any], verdict: str) -> None:
    outcome = judge(Case("1", b"", b"6"), run_of(**fields))
    assert outcome.verdict == CaseVerdict(verdict)
    assert "\n" not in outcome.detail


@given(
    st.one_of(st.tuples(st.integers(0, 255), st.none()), st.tuples(st.none(), st.integers(1, 64))),
    st.sampled_from([None, "time", "memory", "output", "processes", "lost"]),
    st.binary(max_size=20),
    st.binary(max_size=20),
)
def test_only_a_run_that_ended_well_is_accepted(
    end: tuple[int | None, int | None], stop: Any, stdout: bytes, stderr: bytes
) -> None:
    run = run_of(exit=end[0], signal=end[1], stop=stop, stdout=stdout, stderr=stderr)
    outcome = judge(Case("1", b"", b"6"), run)
    well = end == (0, None) and stop is None
    assert (outcome.verdict is CaseVerdict.AC) == (well and stdout.split() == [b"6"])
    assert (outcome.verdict in (CaseVerdict.AC, CaseVerdict.WA)) == well
    assert outcome.verdict is not CaseVerdict.IE


def test_without_expected_output_only_the_end_counts() -> None:
    assert judge(Case("1", b""), run_of(stdout=b"anything")).verdict is CaseVerdict.AC
    assert judge(Case("1", b""), run_of(exit=1)).verdict is CaseVerdict.RE


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        (b"0.3", b"0.30000000000000004", True),
        (b"0.1", b"0.1000000000002", False),  # 2e-12, relative
        (b"1e300", b"1.0000000000001e300", True),
        (b"5e-324", b"2e-323", True),  # so near zero units in the last place count: three of them
        (b"5e-324", b"1e-322", False),
        (b"100000000000000000", b"100000000000000001", False),
        (b"1.0", b"1", False),
        (b"1.5 a", b"1.5 b", False),
        (b"1.5", b"1.5 2", False),
    ],
)
def test_last_bits_are_of_floats_alone(expected: bytes, printed: bytes, same: bool) -> None:
    assert (check_nearly(expected, printed) == "") is same


A, B = WrittenFile("a", b"1"), WrittenFile("b", b"2")


@pytest.mark.parametrize(
    ("expected", "written", "said"),
    [
        (None, (A,), ""),
        ((A, B), (B, A), ""),
        ((A, B), (A,), "file b: it was expected and is not written"),
        ((A,), (A, B), "file b: it is written and was not expected"),
        ((A,), (WrittenFile("a", b"2"),), "file a: line 1: expected '1', got '2'"),
        ((WrittenFile("a", None),), (A,), "file a: it is not removed or is no file"),
        ((A,), (WrittenFile("a", None),), "file a: it is removed"),
        ((A,), (WrittenFile("a", b"1", special=True),), "file a: it is another kind of file"),
        ((A,), (WrittenFile("a", b"1", mode=0o600),), "file a: expected permissions 644, got 600"),
        ((A,), (A, WrittenFile("c.log", b"x")), ""),
    ],
)
def test_files_that_a_run_writes_are_compared(
    expected: tuple[WrittenFile, ...] | None, written: tuple[WrittenFile, ...], said: str
) -> None:
    case = Case("1", b"", b"6", written=expected, ignored=("*.log",))
    outcome = judge(case, run_of(written=written))
    assert (outcome.verdict, outcome.detail) == (CaseVerdict.WA if said else CaseVerdict.AC, said)


@pytest.mark.parametrize(
    ("exit", "stderr", "verdict"), [(1, b"", "AC"), (0, b"", "RE"), (2, b"", "RE"), (1, TRACE + b"ValueError\n", "RE")]
)
def test_a_status_that_is_right_is_one_and_a_traceback_is_not(exit: int, stderr: bytes, verdict: str) -> None:
    assert judge(Case("1", b"", b"6", exit=1), run_of(exit=exit, stderr=stderr)).verdict == CaseVerdict(verdict)
