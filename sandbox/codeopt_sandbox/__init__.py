"""Run, judge, time and profile programs that nobody trusts.

from codeopt_sandbox import open_sandbox
with open_sandbox() as sandbox:
    run = sandbox.run("print(int(input()) * 2)", b"21\\n")
"""

from codeopt_sandbox.errors import BackendUnavailable, GuestLost, SandboxError
from codeopt_sandbox.host import Options, Sandbox, open_sandbox
from codeopt_sandbox.outcome import Case, CaseVerdict, Outcome, Run, RunLimits

__all__ = [
    "BackendUnavailable",
    "Case",
    "CaseVerdict",
    "GuestLost",
    "Options",
    "Outcome",
    "Run",
    "RunLimits",
    "Sandbox",
    "SandboxError",
    "open_sandbox",
]
