"""Functions judged in a real sandbox: small modules in a folder of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codeopt.functions.compare import compare_functions
from codeopt.functions.flags import Chosen
from codeopt.functions.target import read_function
from sandbox import Options, Sandbox, open_sandbox
from sandbox.compare import StoppingRule

Compare = Callable[..., dict[str, Any]]


def open_with(mounts: tuple[tuple[str, str], ...]) -> Sandbox:
    """Bubblewrap: there without a daemon, as root and as an ordinary user."""
    return open_sandbox("bubblewrap", options=Options(mounts=mounts))


@pytest.fixture
def compare(tmp_path: Path) -> Compare:
    """compare(old, new, calls, name="f"): the verdict on two module texts."""

    def run(old: str, new: str, calls: str, name: str = "f", max_pairs: int = 12) -> dict[str, Any]:
        paths = []
        for place, text in (("old.py", old), ("new.py", new), ("calls.py", calls)):
            (tmp_path / place).write_text(text)
            paths.append(tmp_path / place)
        functions = [read_function(path, name) for path in paths[:2]]
        return compare_functions(*functions, Chosen(calls=paths[2]), open_with, StoppingRule(max_pairs=max_pairs))

    return run
