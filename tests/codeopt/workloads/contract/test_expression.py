"""`--contract EXPRESSION`: a difference outside of it is a caveat, and it is evaluated in the sandbox alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.codeopt.command import codeopt
from tests.conftest import ISOLATING
from tests.support.judges import ENOUGH_EXAMPLES, compared

SUM = """\
LEAST = 0


def f(n: int) -> int:
    total = 0
    for k in range(abs(n) + 1):
        total += k
    return total if n > 0 else -total
"""
RIGHT_ABOVE_ZERO = "LEAST = 0\n\n\ndef f(n: int) -> int:\n    return n * (n + 1) // 2\n"
WRONG_INSIDE = "LEAST = 0\n\n\ndef f(n: int) -> int:\n    return n * (n + 1) // 2 + (n > 3)\n"
CALLS = "CALLS = [((n,), {}) for n in (1, 2, 5, 40, 700, 3000, -7)]\n"

REFUSED = [
    ("n >", "is no Python expression"),
    ("(y := n) > 0", "it may not have `:=`"),
    ("await n", "it may not have `await`"),
    ("(yield n)", "it may not have `yield`"),
    ("n > 0)\nimport os\n(n", "is no Python expression"),
]


def by_hints(folder: Path, new: str, **options: Any) -> dict[str, Any]:
    """The verdict where nothing but the type hints says what arguments are."""
    for place, text in (("old.py", SUM), ("new.py", new)):
        (folder / place).write_text(text)
    return compared(f"{folder}/old.py::f", f"{folder}/new.py::f", 8, max_examples=ENOUGH_EXAMPLES, **options)


@pytest.mark.full
@pytest.mark.parametrize("sandbox", ISOLATING)
def test_a_difference_outside_is_a_caveat(sandbox: str, tmp_path: Path) -> None:
    found = by_hints(tmp_path, RIGHT_ABOVE_ZERO, contract="n >= LEAST", sandbox=sandbox)
    assert found["verdict"] == "faster", found
    assert "narrowed to n >= LEAST" in found["evidence"]["contract"]
    assert any("outside of --contract `n >= LEAST`" in str(each) for each in found["caveats"]), found["caveats"]


@pytest.mark.full
@pytest.mark.parametrize(
    ("new", "options"),
    [
        (RIGHT_ABOVE_ZERO, {}),
        (RIGHT_ABOVE_ZERO, {"contract": "n >= 0", "strict": True}),
        (WRONG_INSIDE, {"contract": "n >= 0"}),
    ],
    ids=["no expression", "strict", "inside"],
)
def test_another_difference_rejects(new: str, options: dict[str, Any], tmp_path: Path) -> None:
    assert by_hints(tmp_path, new, **options)["verdict"] == "wrong"


def test_it_is_not_evaluated_on_the_host(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    by_hints(tmp_path, WRONG_INSIDE, contract=f"(open({str(mark)!r}, 'w') if n == 1 else 1) and True")
    assert not mark.exists()


@pytest.mark.parametrize(("expression", "said"), REFUSED)
def test_what_is_no_such_expression_is_refused_in_one_line(expression: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(SUM)
    done = codeopt("compare", "old.py::f", "old.py::f", "-q", "--contract", expression, cwd=tmp_path)
    assert done.status == 2
    assert said in done.err
    assert len(done.facts) == 1


def test_a_program_is_refused(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text("print(1)\n")
    done = codeopt("compare", "old.py", "old.py", "-q", cwd=tmp_path, env={"CODEOPT_CONTRACT": "n > 0"})
    assert (done.status, len(done.facts)) == (2, 1)
    assert "--contract is for functions" in done.err
