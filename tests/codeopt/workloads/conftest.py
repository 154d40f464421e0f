"""Functions judged in a real sandbox: small modules in a folder of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from codeopt.core.program import Target
from codeopt.engine.judge import Judge
from tests.support.files import write_files
from tests.support.judges import ENOUGH_EXAMPLES, compared, function_judge

Compare = Callable[..., dict[str, Any]]
Judges = Callable[..., Judge]


@pytest.fixture(scope="module")
def judges(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judges]:
    """judges(old, calls, timed=True): the judge of `f` of a module text; what its calls do is learnt once for all
    drafts. One that only says what is right makes up as many calls as it does for a user, others unless they are told
    to: all_examples=True."""
    with ExitStack() as stack:

        @cache
        def judge(old: str, calls: str, timed: bool = True, all_examples: bool = False) -> Judge:
            folder = tmp_path_factory.mktemp("judged")
            write_files(folder, {"old.py": old, "calls.py": calls})
            most = ENOUGH_EXAMPLES if timed and not all_examples else None
            options = {"max_pairs": 12, "timed": timed, "calls": folder / "calls.py", "max_examples": most}
            return stack.enter_context(function_judge(Target(folder / "old.py", "f"), **options))

        yield judge


@pytest.fixture
def compare(tmp_path: Path) -> Compare:
    """compare(old, new, calls, name="f"): the verdict on two module texts. With few calls made up, unless it is told
    otherwise: max_examples=None."""

    def run(old: str, new: str, calls: str, name: str = "f", max_pairs: int = 12, **options: Any) -> dict[str, Any]:
        options = {"max_examples": ENOUGH_EXAMPLES, **options}
        write_files(tmp_path, {"old.py": old, "new.py": new, "calls.py": calls})
        first, second = (f"{tmp_path / place}::{name}" for place in ("old.py", "new.py"))
        return compared(first, second, max_pairs, calls=tmp_path / "calls.py", **options)

    return run
