"""Functions judged in a real sandbox: small modules in a folder of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.judges import compared

Compare = Callable[..., dict[str, Any]]


@pytest.fixture
def compare(tmp_path: Path) -> Compare:
    """compare(old, new, calls, name="f"): the verdict on two module texts."""

    def run(old: str, new: str, calls: str, name: str = "f", max_pairs: int = 12, **options: Any) -> dict[str, Any]:
        for place, text in (("old.py", old), ("new.py", new), ("calls.py", calls)):
            (tmp_path / place).write_text(text)
        first, second = (f"{tmp_path / place}::{name}" for place in ("old.py", "new.py"))
        return compared(first, second, max_pairs, calls=tmp_path / "calls.py", **options)

    return run
