"""Cases from every source, found beside the program or where the user says, and which of them are held out."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.core.errors import ProgramError, UsageError
from codeopt.workloads.program.cases import Request, collect, hold_out
from codeopt_sandbox import Case, Sandbox, open_sandbox
from tests.support.files import write_files

GENERATOR = """\
import random, sys
seed, size = int(sys.argv[1]), sys.argv[2]
random.seed(seed)
print(seed, size, random.random())
"""


@pytest.fixture(scope="module")
def box() -> Sandbox:
    """Generators need no isolation to be tested."""
    with open_sandbox("process") as opened:
        yield opened


@pytest.fixture
def request_for(box: Sandbox, tmp_path: Path):
    """A request for the cases of tmp_path/slow.py."""

    def make(**fields: object) -> Request:
        run = lambda source, args: box.run(source, args=args, mode="exec")  # noqa: E731
        return Request(**{"program": tmp_path / "slow.py", "folder": None, "stdin": None, "run": run, **fields})

    return make


def write(folder: Path, **files: str) -> None:
    write_files(folder, {name.replace("_", "."): text for name, text in files.items()})


def names(cases: list[Case]) -> list[str]:
    return [case.name for case in cases]


def test_pie_layout(request_for, tmp_path: Path) -> None:
    """In natural order; an input without output leaves it to the original."""
    write(tmp_path, input_10_txt="j", input_2_txt="b", output_2_txt="B", input_1_txt="a", output_1_txt="A")
    cases = collect(request_for())
    assert names(cases) == ["1", "2", "10"]
    assert [case.expected for case in cases] == [b"A", b"B", None]


def test_codenet_layout(request_for, tmp_path: Path) -> None:
    write(tmp_path, sample_in="a", sample_out="A", big_in="b")
    assert [(case.name, case.expected) for case in collect(request_for())] == [("big", None), ("sample", b"A")]


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (("in/a", "out/a", "in/b.txt"), [("a", b"out/a"), ("b", None)]),
        (
            ("input/2.in", "output/2.out", "input/10.in", "output/10.ans"),
            [("2", b"output/2.out"), ("10", b"output/10.ans")],
        ),
        (("a.in", "a.ans", "in/b", "out/b"), [("a", b"a.ans")]),
        (("in/a", "in/.hidden", "out/a", "in/sub/x"), [("a", b"out/a")]),
    ],
)
def test_layouts_of_other_judges(
    files: tuple[str, ...], found: list[tuple[str, bytes | None]], request_for, tmp_path: Path
) -> None:
    """Kattis, AtCoder; files that lie beside the program come first."""
    write_files(tmp_path, {name: name for name in files})
    cases = collect(request_for())
    assert [(case.name, case.expected) for case in cases] == found
    assert {case.stdin.decode() for case in cases} < set(files)


def test_a_folder_of_inputs_alone_is_something_else(request_for, tmp_path: Path) -> None:
    (tmp_path / "input").mkdir()
    (tmp_path / "input/data").write_bytes(b"1")
    with pytest.raises(UsageError, match="no test cases"):
        collect(request_for())


def test_a_folder_called_cases_is_the_second_place(request_for, tmp_path: Path) -> None:
    write(tmp_path / "cases", input_0_txt="a")
    assert names(collect(request_for())) == ["0"]


def test_the_folder_that_the_user_names_is_the_only_one(request_for, tmp_path: Path) -> None:
    write(tmp_path, input_0_txt="a")
    write(tmp_path / "other", input_7_txt="a")
    assert names(collect(request_for(folder=tmp_path / "other"))) == ["7"]


def test_one_input_file_leaves_out_all_else(request_for, tmp_path: Path) -> None:
    write(tmp_path, input_0_txt="a", my_data="b")
    assert collect(request_for(stdin=tmp_path / "my.data")) == [Case("my.data", b"b", files=())]


def test_a_generator_makes_small_and_large_inputs(request_for, tmp_path: Path) -> None:
    write(tmp_path, generate_py=GENERATOR)
    cases = collect(request_for())
    assert names(cases) == ["small.1", "small.2", "small.3", "small.4", "large.1", "large.2", "large.3"]
    assert cases[0].stdin.startswith(b"1 small 0.")
    assert collect(request_for()) == cases


def test_other_seeds_make_other_inputs_and_leave_files_out(request_for, tmp_path: Path) -> None:
    """For the confirmation of a draft: cases that nobody has seen."""
    write(tmp_path, generate_py=GENERATOR, input_0_txt="a")
    fresh = collect(request_for(first_seed=101))
    assert names(fresh)[:2] == ["small.101", "small.102"]
    assert "0" not in names(fresh)


def test_names_are_unique(request_for, tmp_path: Path) -> None:
    write(tmp_path, input_1_txt="a", generate_py=GENERATOR)
    (tmp_path / "1.in").write_text("b")
    found = names(collect(request_for()))
    assert sorted(set(found)) == sorted(found)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("raise SystemExit(3)", "exit status 3"),
        ("raise ValueError('no seed')", "ValueError: no seed"),
        ("import os; os.kill(os.getpid(), 9)", "signal 9"),
        ("def f(:", "SyntaxError"),
    ],
)
def test_a_generator_that_fails_is_named(source: str, said: str, request_for, tmp_path: Path) -> None:
    write(tmp_path, generate_py=source)
    with pytest.raises(ProgramError) as caught:
        collect(request_for())
    assert str(caught.value).startswith(f"{tmp_path / 'generate.py'} 1 small failed: ")
    assert said in str(caught.value)


def test_no_cases_says_where_to_put_them(request_for, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"slow.py has no test cases in "):
        collect(request_for())


@pytest.mark.parametrize(
    ("seconds", "held"),
    [
        ([1.0], []),
        ([1.0, 2.0], [1]),
        ([3.0, 2.0, 1.0], [0]),
        ([0.1, 0.2, 0.3, 5.0, 0.4, 0.5], [3, 2]),
    ],
)
def test_the_longest_and_every_third_one_down_are_held_out(seconds: list[float], held: list[int]) -> None:
    cases = [Case(str(number), b"") for number in range(len(seconds))]
    marked = hold_out(cases, seconds)
    assert [int(case.name) for case in marked if case.held_out] == sorted(held)
    assert names(marked) == names(cases)


def test_arguments_and_files_of_a_case(request_for, tmp_path: Path) -> None:
    """One argument a line; files below NAME.files by their relative paths; others stay what they were."""
    folder = tmp_path / "cases"
    write(folder, one_args="--top\n10 20\ndata.csv\n", one_in="x", one_out="X", two_in="y")
    write_files(folder, {"one.files/data.csv": "1", "one.files/sub/more.csv": "2"})
    one, two = collect(request_for(ignored=("*.log",)))
    assert (one.args, one.stdin, one.expected) == (("--top", "10 20", "data.csv"), b"x", b"X")
    assert one.files == (("data.csv", b"1"), ("sub/more.csv", b"2"))
    assert (one.written, one.ignored) == (None, ("*.log",))
    assert (two.args, two.files, two.stdin) == ((), (), b"y")
