"""The ends of runs that gave no answer, in words."""

from __future__ import annotations

from codeopt_sandbox.outcome import Run


def why(run: Run) -> str:
    """The end of a run that gave no answer, in one line."""
    last = run.stderr.decode("utf-8", "backslashreplace").strip().rpartition("\n")[2]
    how = run.stop_detail or (f"signal {run.signal}" if run.signal else f"exit status {run.exit}")
    more = {"memory": " (--memory MiB raises it)", "time": " (--timeout S raises it)"}.get(run.stop or "", "")
    return f"{how}{more}" if more else last or how
