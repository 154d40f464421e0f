"""Optional parameters that no known call gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.workloads.function.unusual import with_optional_parameters
from codeopt.workloads.source.functions import read_function
from codeopt.workloads.source.literals import read


@pytest.mark.parametrize(
    ("head", "wanted", "typed"),
    [
        ("f(x, reverse=False)", "f([2], reverse=True)", True),
        ("f(x, *, reverse=True)", "f([2], reverse=False)", True),
        ("f(x, sep=',')", "f([2], sep=' ')", True),
        ("f(x, n: int | None = None)", "f([2], n=-1)", True),
        ("f(x, n: Optional[float] = None)", "f([2], n=2.5)", True),
        ("f(x, style: Literal['a', 'b'] = 'a')", "f([2], style='b')", True),
        ("f(x, n=None)", "f([2], n=2)", False),
        ("f(x, key: Callable = None)", "f([2], key='a')", False),
    ],
)
def test_a_value_of_the_type_that_is_meant(tmp_path: Path, head: str, wanted: str, typed: bool) -> None:
    path = tmp_path / "m.py"
    path.write_text(f"def {head}:\n    return x\n")
    found = with_optional_parameters(read_function(path, "f"), [read("f([1])"), read("f([2])")])
    assert found.get(read(wanted)) is typed, found


@pytest.mark.parametrize("call", ["f([1], None)", "f([1], n=None)"])
def test_one_that_is_given_as_the_default(tmp_path: Path, call: str) -> None:
    path = tmp_path / "m.py"
    path.write_text("def f(x, n=None):\n    return x\n")
    assert read(call.replace("None", "-1")) in with_optional_parameters(read_function(path, "f"), [read(call)])


@pytest.mark.parametrize(
    ("head", "call"),
    [
        ("f(x, n=1)", "f(1, 2)"),
        ("f(x, n=1)", "f(1, n=2)"),
        ("f(x, n=None)", "f(1, 2)"),
        ("f(x, _n=1)", "f(1)"),
        ("f(x, n=1, /)", "f(1)"),
    ],
)
def test_one_that_is_given_or_cannot_be_named(tmp_path: Path, head: str, call: str) -> None:
    path = tmp_path / "m.py"
    path.write_text(f"def {head}:\n    return x\n")
    assert with_optional_parameters(read_function(path, "f"), [read(call)]) == {}
