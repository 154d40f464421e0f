"""Short ways to build what the judge would have measured."""

from __future__ import annotations

from codeopt.core.history import Candidate
from codeopt.core.revision import Revision
from codeopt_sandbox.compare import CaseTimes, Comparison, Decision
from codeopt_sandbox.outcome import Case, CaseVerdict, Outcome, Run
from codeopt_sandbox.profile import HotFunction, HotLine, MemoryLine, Profile

SHOWN = Case("small", b"3\n1 2 3\n", b"6\n")
HELD = Case("secret-big", b"99\n", b"4950\n", held_out=True)
CASES = (SHOWN, HELD)
SLOW = "n = int(input())\nprint(sum(map(int, input().split())))\n"
FAST = "print(sum(map(int, open(0).read().split()[1:])))\n"


def run(stdout: bytes = b"", stderr: bytes = b"", exit: int | None = 0, **other: object) -> Run:
    values: dict[str, object] = {"signal": None, "wall_s": 0.5, "cpu_s": 0.4, "peak_bytes": 10 * 2**20, **other}
    return Run(exit=exit, stdout=stdout, stderr=stderr, **values)  # type: ignore[arg-type]


def outcome(case: Case = SHOWN, verdict: CaseVerdict = CaseVerdict.AC, detail: str = "", **measured: object) -> Outcome:
    return Outcome(case.name, verdict, run(**measured), detail)  # type: ignore[arg-type]


def comparison(
    decision: Decision = Decision.FASTER, ratio: float = 2.0, reason: str = "", **other: object
) -> Comparison:
    values: dict[str, object] = {
        "ci_low": ratio * 0.9,
        "ci_high": ratio * 1.1,
        "pairs": 21,
        "metric": "cpu",
        "confidence": 0.99,
        "alpha": 0.01,
        "method": "a test",
        "cases": (CaseTimes(SHOWN.name, (0.8, 0.8), (0.4, 0.4)), CaseTimes(HELD.name, (1.6,), (0.8,))),
        **other,
    }
    return Comparison(decision=decision, ratio=ratio, reason=reason, **values)  # type: ignore[arg-type]


def profile(case: Case = SHOWN, notes: tuple[str, ...] = ()) -> Profile:
    return Profile(
        case=case.name,
        lines=(HotLine(2, 0.9, 1000, 0.36, "from the profiler"), HotLine(1, 0.1, 1, 0.04, "from the profiler")),
        functions=(HotFunction("<module>", 1, 1.0, 1),),
        python_share=0.7,
        native_share=0.25,
        system_share=0.05,
        peak_mib=31.5,
        copy_mib_s=2.0,
        memory=(MemoryLine(2, 20.0, 4.0),),
        notes=notes,
    )


def original(source: str = SLOW, critique: str = "") -> Candidate:
    outcomes = (outcome(stdout=b"6\n"), outcome(HELD, stdout=b"4950\n"))
    return Candidate(0, Revision.of(source), "the original", outcomes, profile=profile(), critique=critique)


def right(number: int = 1, source: str = FAST, **compared: object) -> Candidate:
    """Right on every case and, unless told otherwise, twice as fast."""
    outcomes = (outcome(stdout=b"6\n"), outcome(HELD, stdout=b"4950\n"))
    found = comparison(**compared)  # type: ignore[arg-type]
    return Candidate(number, Revision.of(source), f"try {number}", outcomes, found, profile())


def wrong(
    number: int = 1, case: Case = SHOWN, source: str = FAST, stdout: bytes = b"7\n", critique: str = ""
) -> Candidate:
    outcomes = (outcome(case, CaseVerdict.WA, detail="token 1 differs", stdout=stdout),)
    return Candidate(number, Revision.of(source), f"try {number}", outcomes, critique=critique)
