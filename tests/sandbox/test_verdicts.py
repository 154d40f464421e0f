"""A folder of programs with the verdict that each must get, on every backend, forked and in a fresh interpreter.

A program states its case in comment lines at its top, in TOML: `verdict`, and where they matter `stdin`, `expected`,
`limits` (fields of codeopt_sandbox.RunLimits), `exit`, `signal`, `stop`, `stdout` (its length), `detail` (a part of
it), `check` and `modes`. Where backends differ `verdict` and `stop` may be tables by backend.
"""
# looks at sandbox/codeopt_sandbox/guest/supervisor

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from codeopt_sandbox import Case, RunLimits, Sandbox
from codeopt_sandbox.outcome import Mode
from codeopt_sandbox.verdict import judge, open_checker

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
MODES: tuple[Mode, ...] = ("fork", "exec")


@dataclass(frozen=True)
class Example:
    """Header of a program."""

    verdict: str | dict[str, str]
    stdin: str = "1 2 3\n"
    expected: str = "6\n"
    check: str = "tokens"
    limits: dict[str, float] = field(default_factory=dict)
    exit: int | None = None
    signal: int | None = None
    stop: str | dict[str, str] | None = None
    stdout: int | None = None
    detail: str = ""
    modes: tuple[Mode, ...] = MODES


def read_example(source: bytes) -> Example:
    head = []
    for line in source.decode("utf-8", "replace").splitlines():
        if not line.startswith("# "):
            break
        head.append(line[2:])
    return Example(**tomllib.loads("\n".join(head)))


def of_backend(value: Any, backend: str) -> Any:
    return value[backend] if isinstance(value, dict) else value


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_verdict_is_the_stated_one(path: Path, mode: Mode, sandbox: Sandbox) -> None:
    source = path.read_bytes()
    example = read_example(source)
    if mode not in example.modes:
        pytest.skip(f"says something about {example.modes} only")
    limits = RunLimits(**{"seconds": 20.0, **example.limits})
    run = sandbox.run(source, example.stdin.encode(), mode=mode, limits=limits)
    case = Case("1", example.stdin.encode(), example.expected.encode())
    outcome = judge(case, run, open_checker(example.check))
    seen = f"{outcome.verdict} {outcome.detail} {run}"
    assert outcome.verdict == of_backend(example.verdict, sandbox.backend), seen
    assert example.detail in outcome.detail, seen
    for name in ("exit", "signal", "stop"):
        wanted = of_backend(getattr(example, name), sandbox.backend)
        assert wanted is None or getattr(run, name) == wanted, seen
    assert example.stdout is None or len(run.stdout) == example.stdout, seen


def test_every_verdict_has_programs() -> None:
    verdicts = [read_example(path.read_bytes()).verdict for path in PROGRAMS]
    words = {word for v in verdicts for word in (v.values() if isinstance(v, dict) else [v])}
    assert words == {"AC", "WA", "RE", "TLE", "MLE", "OLE"}
    assert len(PROGRAMS) >= 40
