"""Profiles of other profilers are read, whatever their format; what codeopt writes, it reads."""

from __future__ import annotations

import cProfile
import json
import marshal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt.core.errors import UsageError
from codeopt.report.stacks import (
    Frame,
    StackProfile,
    read_collapsed,
    read_profile,
    read_speedscope,
    write_collapsed,
    write_speedscope,
)
from tests.conftest import require_sandbox

MAIN, SLOW = Frame("main", "/app/m.py", 9), Frame("slow", "/app/m.py", 3)
PY_SPY = "main (/app/m.py:9);slow (/app/m.py:3) 30\nmain (/app/m.py:9) 10\n 7\n"
AUSTIN = (
    "# austin: 3.6.0\n# mode: wall\n\nP12;T0:12;/app/m.py:main:9;/app/m.py:slow:3 30000000\n"
    "P12;T0:12;/app/m.py:main:9 10000000\nP12;T0:12 947\n"
)
FULL = "# mode: full\nP1;T1;/app/m.py:main:9;/app/m.py:slow:3 30000000,0,5\nP1;T1;/app/m.py:main:9 10000000,0,-8\n"
IDLE = FULL + "P1;T1;/app/m.py:main:9 70000000,1,0\n"
PERF = "python;py::main:/app/m.py;py::slow:/app/m.py;[unknown] 30\npython;py::main:/app/m.py 10\n"


def scope(unit: str, *profiles: dict[str, Any]) -> str:
    frames = [{"name": "main", "file": "/app/m.py", "line": 9}, {"name": "slow", "file": "/app/m.py", "line": 3}]
    return json.dumps({"shared": {"frames": frames}, "profiles": [{"unit": unit, **each} for each in profiles]})


SAMPLED = scope("milliseconds", {"type": "sampled", "samples": [[0, 1], [0]], "weights": [30_000, 10_000]})
EVENTS = [("O", 0, 5), ("O", 1, 10), ("C", 1, 40), ("C", 0, 45)]
EVENTED = scope("seconds", {
    "type": "evented", "startValue": 5, "endValue": 45,
    "events": [{"type": kind, "frame": frame, "at": at} for kind, frame, at in EVENTS],
})  # fmt: skip
THREADS = scope(
    "none",
    {"type": "sampled", "samples": [[0, 1]], "weights": [30]},
    {"type": "sampled", "samples": [[0]], "weights": [10]},
)


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        (PY_SPY, "samples"), (AUSTIN, "seconds"), (FULL, "seconds"), (IDLE, "seconds"),
        (SAMPLED, "seconds"), (EVENTED, "seconds"), (THREADS, "samples"),
    ],
    ids=["py-spy", "austin", "austin full", "austin idle", "sampled", "evented", "threads"],
)  # fmt: skip
def test_one_profile_in_each_format(text: str, unit: str, tmp_path: Path) -> None:
    (tmp_path / "p").write_text(text)
    found = read_profile(tmp_path / "p")
    assert (found.unit, found.weights) == (unit, (((MAIN, SLOW), 30.0), ((MAIN,), 10.0)))


def test_perf_names_functions_of_python_and_others(tmp_path: Path) -> None:
    (tmp_path / "p").write_text(PERF)
    main, slow = Frame("main", "/app/m.py"), Frame("slow", "/app/m.py")
    process, unknown = Frame("python"), Frame("[unknown]")
    assert read_profile(tmp_path / "p").weights == (((process, main, slow, unknown), 30), ((process, main), 10))


def leaf() -> int:
    return sum(k * k for k in range(3_000))


def left() -> int:
    for _ in range(100):  # one break of the process does not outweigh them
        leaf()
    return leaf()


def right() -> int:
    return leaf()


def test_a_dump_of_cprofile_divides_time_among_callers(tmp_path: Path) -> None:
    require_sandbox()
    with cProfile.Profile() as profile:
        left()
        right()
    profile.dump_stats(tmp_path / "p.pstats")
    found = read_profile(tmp_path / "p.pstats")
    assert found.unit == "seconds"
    assert all(weight > 0 for _, weight in found.weights)
    below = {name: sum(weight for stack, weight in found.weights if name in [frame.name for frame in stack])
             for name in ("left", "right", "leaf")}  # fmt: skip
    assert below["left"] + below["right"] == pytest.approx(below["leaf"], rel=0.2)
    assert below["left"] > below["right"] > 0
    stack = next(stack for stack, _ in found.weights if stack[-1].name == "leaf")
    assert stack[-1].file == __file__
    assert stack[-1].line == leaf.__code__.co_firstlineno


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "no samples"),
        (b"hello\n", "line 1 does not end with a number"),
        (b"# mode: memory\nP1;T1;m.py:f:1 30\n", "memory"),
        (scope("bytes", {"type": "sampled", "samples": [[0]], "weights": [1]}).encode(), "memory"),
        (b'{"a": 1}', "not in the format"),
        (b'{"shared": ', "not in the format"),
        (scope("seconds", {"type": "sampled", "samples": [[7]], "weights": [1]}).encode(), "not in the format"),
        (scope("seconds", {"type": "sampled", "samples": [[-1]], "weights": [1]}).encode(), "not in the format"),
        (scope("seconds", {"type": "sampled", "samples": [[0]], "weights": [-1]}).encode(), "no samples"),
        (b"\x7fELF\0\0\0", "binary"),
        (marshal.dumps({("a", 1, "f"): 3}), "no dump of cProfile: TypeError"),
        (marshal.dumps({("a", 1, "f"): (1, 1, 1.0, 1.0, {})})[:-4], "no dump of cProfile: EOFError"),
        (b"{" + b"(\x01\0\0\0" * 5000, "no dump of cProfile: ValueError"),
    ],
)
def test_what_is_no_profile_is_one_line(content: bytes, why: str, tmp_path: Path) -> None:
    if "cProfile" in why:
        require_sandbox()
    (tmp_path / "p").write_bytes(content)
    with pytest.raises(UsageError, match=why) as error:
        read_profile(tmp_path / "p")
    assert "\n" not in str(error.value)


NAMES = st.text(st.characters(categories=("L", "N"), include_characters="_.<>"), min_size=1).map(
    lambda text: f"f{text}"
)
FRAMES = st.builds(Frame, NAMES, st.just("") | NAMES.map(lambda name: f"/a/{name}.py"), st.integers(1, 9999)).map(
    lambda frame: frame if frame.file else Frame(frame.name)
)
ROWS = st.lists(st.tuples(st.lists(FRAMES, min_size=1).map(tuple), st.integers(1, 10**9)), min_size=1)


@pytest.mark.full
@given(ROWS)
def test_what_is_written_is_read(rows: list[tuple[tuple[Frame, ...], int]]) -> None:
    profile = StackProfile.of("p", "samples", rows)
    again = (
        read_speedscope("p", json.loads(write_speedscope(profile))),
        read_collapsed("p", write_collapsed(profile).split("\n")),
    )
    for each in again:
        assert dict(each.weights) == dict(profile.weights)


def test_an_answer_of_codeopt_is_told_from_a_profile(tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(json.dumps({"schema": "codeopt.profile-run/1", "lines": []}))
    with pytest.raises(UsageError, match="--before .*: it is what --json prints, and .* --export speedscope FILE"):
        read_profile(tmp_path / "p.json", "--before")
