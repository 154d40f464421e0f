"""Observations of probes in words; empty where all is as it should be."""

from __future__ import annotations

from codeopt_sandbox.outcome import Run, RunLimits

LIMITS = RunLimits(seconds=20.0, memory_mib=128, output_mib=1.0, processes=32, file_mib=8)
SHORT = RunLimits(seconds=0.5, memory_mib=128, output_mib=1.0, processes=32, file_mib=8)
GONE_S = 10.0  # how long after its end a run, or the process that owns it, may still be seen


def failed(run: Run, wanted: str) -> str:
    """Message about a run that should have printed `wanted`."""
    printed = run.stdout.decode(errors="backslashreplace").strip()
    if (run.exit, run.stop, printed) == (0, None, wanted):
        return ""
    trace = run.stderr.decode(errors="backslashreplace").strip()[-200:]
    return f"exit {run.exit}, signal {run.signal}, stop {run.stop}, printed {printed!r:.200} {trace}".strip()


def stopped(run: Run, stop: str) -> str:
    return "" if run.stop == stop else f"stop {run.stop} instead of {stop}; exit {run.exit}, signal {run.signal}"


def first(*seen: str) -> str:
    return next((text for text in seen if text), "")
