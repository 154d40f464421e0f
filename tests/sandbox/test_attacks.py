"""Attacks of our own, one class a file: each is judged rightly, gains nothing and leaves nothing behind.

An attack says in TOML at its top what it tries, and where they matter its `verdict`s (else AC), `seconds`, `signal`,
`twice` (it looks for what its first run left), `secret` (a run with a secret went before), `machine` (its calls are
that machine's), `not_on` (a backend, and why it cannot hold there), `own_user`, and the `cpu_s` and `wall_s` that the
report must show at least, whatever the program hides. It prints ESCAPED when it gained something.
"""

from __future__ import annotations

import platform
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from codeopt_sandbox import Case, Run, RunLimits, Sandbox
from codeopt_sandbox.outcome import Mode
from codeopt_sandbox.verdict import judge
from tests.conftest import ISOLATING, open_or_skip
from tests.sandbox import machine

ATTACKS = sorted((Path(__file__).parent / "attacks").glob("*.py"))
LIMITS = RunLimits(seconds=30, memory_mib=256, processes=64, output_mib=1)
STDIN = b"1 2\n"
SECRET = "CODEOPT-SECRET!"


@dataclass(frozen=True)
class Attack:
    """Header of an attack."""

    what: str
    verdict: list[str] = field(default_factory=lambda: ["AC"])
    seconds: float = 30.0
    signal: int | None = None
    twice: bool = False
    secret: bool = False
    machine: str = ""
    not_on: dict[str, str] = field(default_factory=dict)
    """Backend -> why it cannot hold there."""
    own_user: bool = False
    """Holds only where a run has a user of its own; as an ordinary user bubblewrap cannot give it one."""
    cpu_s: float = 0.0
    cpu_not_counted_on: list[str] = field(default_factory=list)
    """Only a control group counts the CPU time of a child that its parent does not wait for."""
    wall_s: float = 0.0
    answer_takes_s: float = 0.0
    """Wherever the right answer was printed, at least this much wall time was reported."""


def read_attack(source: str) -> Attack:
    head = source.partition("\n\n")[0]
    return Attack(**tomllib.loads("\n".join(line.removeprefix("# ") for line in head.splitlines())))


@pytest.fixture(scope="module", params=ISOLATING)
def target(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with open_or_skip(str(request.param), LIMITS) as opened:
        yield opened


@pytest.mark.parametrize("mode", ["fork", "exec"])
@pytest.mark.parametrize("path", ATTACKS, ids=lambda path: path.stem)
def test_attack(path: Path, mode: Mode, target: Sandbox) -> None:
    source = path.read_text()
    attack = read_attack(source)
    if attack.machine not in ("", platform.machine()):
        pytest.skip(f"its calls are those of {attack.machine}")
    if target.backend in attack.not_on:
        pytest.skip(f"stated exception: {attack.not_on[target.backend]}")
    uids = machine.uids_of_runs(target)
    if attack.own_user and not uids:
        pytest.skip("stated exception: an ordinary user has one user number, which guest and runs share")
    if attack.secret:
        target.run(f"import sys; text = sys.stdin.read(); print(len(text)); {SECRET=}", SECRET.encode() * 9, mode=mode)
    limits = RunLimits(attack.seconds, LIMITS.memory_mib, LIMITS.output_mib, LIMITS.processes)
    for _ in range(2 if attack.twice else 1):
        run = target.run(source, STDIN, mode=mode, limits=limits)
        check_run(run, attack, target.backend)
        assert machine.until(lambda: not machine.processes_of(uids)), machine.processes_of(uids)
    assert target.run(machine.LOOK, STDIN, mode=mode).stdout == machine.CLEAN


def check_run(run: Run, attack: Attack, backend: str) -> None:
    """The verdict, what was gained, and what was reported."""
    outcome = judge(Case("1", STDIN, b"3\n"), run)
    assert b"ESCAPED" not in run.stdout + run.stderr, run.stderr
    assert outcome.verdict in attack.verdict, f"{outcome} {run}"
    assert attack.signal in (None, run.signal)
    assert run.wall_s >= attack.wall_s
    assert outcome.verdict != "AC" or run.wall_s >= attack.answer_takes_s, run
    assert backend in attack.cpu_not_counted_on or run.cpu_s >= attack.cpu_s, run


def test_there_are_enough_attacks() -> None:
    assert len(ATTACKS) >= 45
