"""A decorator that compiles what inspect.getsource gives must see the draft, not the file on the disk."""

from __future__ import annotations

from pathlib import Path

from codeopt.workloads.function.harness import open_harness
from codeopt.workloads.source.functions import read_function
from codeopt_sandbox import Options, open_sandbox
from codeopt_sandbox.calls import CallBatch
from tests.sandbox.said import said

TEXT = """\
import inspect
def compiled_again(function):
    space = {}
    exec(inspect.getsource(function).partition("\\n")[2], space)
    return space[function.__name__]
@compiled_again
def after(x):
    return x + 1
"""


def test_the_text_that_runs_is_the_drafts(tmp_path: Path) -> None:
    path = tmp_path / "mod.py"
    path.write_text(TEXT)
    function = read_function(path, "after")
    with open_harness(function, lambda mounts: open_sandbox("bubblewrap", options=Options(mounts=mounts))) as harness:
        draft = TEXT.replace("x + 1", "x + 2")
        run = harness.runner.ask(draft, CallBatch(("f(1)",)))
    assert said(run)[0] == "returns 3"
