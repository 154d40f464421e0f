"""Probe: libraries of calls are imported once. A run cannot detect this, and cannot change them for the next run."""

from __future__ import annotations

from codeopt_sandbox.calls import CallBatch, CallRunner, FunctionRef
from codeopt_sandbox.guest.environment import seeded
from codeopt_sandbox.guest_bundle import Libraries
from codeopt_sandbox.host import Sandbox

_LIBRARIES = Libraries(("decimal", "random", "uuid"))
_MODULE = """
import os, sys
LOADED = "uuid" in sys.modules
import decimal, random, uuid
CHANGED = getattr(uuid, "changed", None)
uuid.changed, decimal.DefaultContext.prec = True, 7
def f(what):
    return repr({
        "loaded": LOADED, "changed": CHANGED, "user": os.getuid(), "hash": hash("text"), "drawn": random.random(),
        "as in a fresh one": (os.getcwd(), sys.argv, sys.path, sorted(os.environ.items()), decimal.Context().prec),
    }[what])
"""


def imported_once(sandbox: Sandbox) -> str:
    fresh = CallRunner(sandbox, FunctionRef("mod", "/nowhere/mod.py", "f"))
    warm = CallRunner(sandbox, FunctionRef("mod", "/nowhere/mod.py", "f"), libraries=_LIBRARIES)
    for seed in (0, 1):
        for what in ("as in a fresh one", "hash"):
            wanted, seen = _ask(fresh, what, seed), _ask(warm, what, seed)
            if wanted != seen or "returns" not in seen:
                return f"{seen} instead of {wanted}"
    for what, wanted in (("loaded", "'True'"), ("changed", "'None'")):
        if (seen := _ask(warm, what)) != f"f('{what}') -> returns {wanted}":
            return seen
    if _ask(warm, "drawn") == _ask(warm, "drawn"):
        return "two runs draw the same random numbers"
    return "a run is root" if sandbox.isolated and _ask(warm, "user") == "f('user') -> returns '0'" else ""


def _ask(runner: CallRunner, what: str, seed: int = 0) -> str:
    run = runner.run(_MODULE, CallBatch((f"f({what!r})",)).stdin(), mode="exec", environment=seeded(seed))
    return run.preload_failure or run.stdout.decode().partition("\n")[0]
