"""Calls with many right answers, judged by a checker of the user's; and drafts that may change their arguments."""
# looks at codeopt/workloads/function/corpus/cases

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from codeopt.workloads._judging import CheckerAnswers
from codeopt.workloads.function.corpus.cases import TOO_LONG, Question, SpecialChecker, undecided
from codeopt.workloads.function.corpus.observe import KnownCall
from codeopt.workloads.source.literals import read
from codeopt_sandbox.calls import Kind
from codeopt_sandbox.comparing import AnswerComparison
from codeopt_sandbox.guest.answer import Answer, Field
from codeopt_sandbox.guest.request import NO_LITERAL
from tests.codeopt.command import FIRST_LINE, Done, codeopt
from tests.support.files import write_files

SLOW = """\
def f(graph: dict[int, list[int]]) -> list[int]:
    done, left = [], list(graph)
    while left:
        for node in left:
            if not any(node in graph[other] for other in left):
                done.append(node)
                left.remove(node)
                break
    return done
"""
QUICK = """\
def f(graph: dict[int, list[int]]) -> list[int]:
    counts = dict.fromkeys(graph, 0)
    for ends in graph.values():
        for end in ends:
            if end in counts:
                counts[end] += 1
    ready, done = [node for node in graph if not counts[node]], []
    while ready:
        node = ready.pop()
        done.append(node)
        for end in graph[node]:
            if end in counts:
                counts[end] -= 1
                if not counts[end]:
                    ready.append(end)
    return done
"""
BACKWARDS = QUICK.replace("    return done\n", "    return done[::-1]\n")
CALLS = """\
def dag(n, step):
    return {i: [j for j in range(i + 1, n) if (i * 7 + j * 3) % step == 0] for i in range(n)}

CALLS = [((dag(n, s),), {}) for n in range(1, 9) for s in (2, 3)]
BIG = [((dag(60, 5),), {})]
"""
ACCEPT = """\
def accept(arguments, expected, got):
    graph = arguments["graph"]
    if sorted(got) != sorted(graph):
        return "not each node once"
    at = {node: place for place, node in enumerate(got)}
    return all(at[a] < at[b] for a in graph for b in graph[a] if b in at) or "an edge goes backwards"
"""
BACKENDS = ("bubblewrap", pytest.param("docker", marks=pytest.mark.docker))


def compare(folder: Path, new: str, accept: str, *more: str, backend: str = "bubblewrap", calls: str = CALLS) -> Done:
    """`codeopt compare` of the topological orders, by a checker."""
    write_files(folder, {"old.py": SLOW, "new.py": new, "calls.py": calls, "check.py": accept})
    checks = () if not accept else ("--check", "check.py::accept")
    flags = ("--calls", "calls.py", "--sandbox", backend, "--max-pairs", "12", "--max-examples", "20", *checks, *more)
    return codeopt("compare", "old.py::f", "new.py::f", *flags, cwd=folder)


@pytest.mark.full
@pytest.mark.parametrize("backend", BACKENDS)
def test_another_right_answer_is_accepted(tmp_path: Path, backend: str) -> None:
    assert compare(tmp_path, QUICK, "").status == 1
    done = compare(tmp_path, QUICK, ACCEPT, backend=backend)
    assert done.status == 0, done.out + done.err
    assert "caveat" not in done.out


@pytest.mark.full
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_wrong_answer_is_refused_with_the_checkers_sentence(tmp_path: Path, backend: str) -> None:
    done = compare(tmp_path, BACKWARDS, ACCEPT, backend=backend)
    assert done.status == 1, done.out + done.err
    assert "an edge goes backwards" in done.out


@pytest.mark.full
def test_a_checker_has_to_accept_the_original(tmp_path: Path) -> None:
    done = compare(tmp_path, QUICK, "def accept(arguments, expected, got):\n    return 'never'\n")
    assert done.status == 2
    assert "does not accept the original's own answer" in done.err
    assert "never" in done.err


@pytest.mark.full
def test_a_checker_does_not_see_the_host(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("1")
    looks = f"import os\ndef accept(arguments, expected, got):\n    return not os.path.exists({str(secret)!r})\n"
    done = compare(tmp_path, QUICK, looks)
    assert done.status not in (1, 2), done.out + done.err


@pytest.mark.full
def test_a_file_without_the_function_is_refused(tmp_path: Path) -> None:
    done = compare(tmp_path, QUICK, "def other():\n    pass\n")
    assert done.status == 2
    assert "defines no function 'accept'" in done.err


SORTED = """\
def f(xs: list[int]) -> int:
    ys = []
    for x in xs:
        ys = sorted([*ys, x])
    return ys[len(ys) // 2] if ys else 0
"""
IN_PLACE = "def f(xs: list[int]) -> int:\n    xs.sort()\n    return xs[len(xs) // 2] if xs else 0\n"
LISTS = """\
CALLS = [(([(i * 37 + n) % 11 for i in range(n)],), {}) for n in range(14)]
BIG = [(([(i * 37) % 501 for i in range(400)],), {})]
"""


@pytest.mark.full
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_draft_may_change_its_arguments_where_it_is_told_so(tmp_path: Path, backend: str) -> None:
    write_files(tmp_path, {"old.py": SORTED, "new.py": IN_PLACE, "wrong.py": IN_PLACE.replace("// 2]", "// 3]")})
    (tmp_path / "calls.py").write_text(LISTS)
    flags = ("--calls", "calls.py", "--sandbox", backend, "--max-pairs", "12", "--max-examples", "20")
    done = codeopt("compare", "old.py::f", "new.py::f", *flags, cwd=tmp_path)
    assert done.status == 1, done.out + done.err
    assert "--ignore-difference arguments accepts it" in done.out
    allowed = ("--ignore-difference", "arguments", *flags)
    assert codeopt("compare", "old.py::f", "new.py::f", *allowed, cwd=tmp_path).status != 1
    assert codeopt("compare", "old.py::f", "wrong.py::f", *allowed, cwd=tmp_path).status == 1


ARRAYS = """\
import numpy as np

def solve(problem):
    values = problem["values"]
    found = []
    for at in range(len(values)):
        found.append(values[at] * 2 if problem["double"] else values[at])
    return {"found": np.array(found), "first": np.float64(values[0])}
"""
ARRAYS_QUICK = (
    ARRAYS.partition("    found")[0]
    + """\
    found = values * 2 if problem["double"] else values + 0
    return {"found": (found + 1e-7).tolist(), "first": values[0]}
"""
)
ARRAYS_ACCEPT = """\
import numpy as np

def accept(arguments, expected, got):
    problem = arguments["problem"]
    assert isinstance(problem["values"], np.ndarray) and isinstance(expected["found"], np.ndarray)
    assert isinstance(got["first"], np.float64), got
    right = problem["values"] * (2 if problem["double"] else 1)
    return np.allclose(got["found"], right) and expected["first"] == got["first"]
"""
MADE = "import numpy as np\n\ndef made(n):\n    return {'values': np.arange(1.0, n + 1), 'double': n % 2 == 0}\n"
OF_ARRAYS = """\
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from made import made

CALLS = [((made(n),), {}) for n in range(1, 15)]
BIG = [((made(2000),), {})]
"""


@pytest.mark.full
@pytest.mark.parametrize("backend", BACKENDS)
def test_arrays_reach_the_checker(tmp_path: Path, backend: str) -> None:
    """Calls of a file that imports what stands beside the original, of a draft that stands elsewhere."""
    pytest.importorskip("numpy")
    wrong = ARRAYS_QUICK.replace("values * 2", "values * 3")
    write_files(tmp_path, {"old/old.py": ARRAYS, "new/new.py": ARRAYS_QUICK, "new/wrong.py": wrong})
    write_files(tmp_path, {"old/made.py": MADE, "old/calls.py": OF_ARRAYS, "check.py": ARRAYS_ACCEPT})
    flags = ("--calls", "old/calls.py", "--sandbox", backend, "--max-pairs", "8", "--max-examples", "20")
    flags += ("--check", "check.py::accept")
    done = codeopt("compare", "old/old.py::solve", "new/new.py::solve", *flags, cwd=tmp_path)
    assert done.status == 0, done.out + done.err
    done = codeopt("compare", "old/old.py::solve", "new/wrong.py::solve", *flags, cwd=tmp_path)
    assert done.status == 1, done.out + done.err
    assert "the checker does not accept it" in done.out


MATRIX = """\
import numpy as np

def f(n: int) -> np.ndarray:
    found = np.zeros((n, n))
    for row in range(n):
        for column in range(n):
            found[row, column] = np.sin(row) * column
    return found
"""
MATRIX_QUICK = """\
import numpy as np

def f(n: int) -> np.ndarray:
    return np.outer(np.sin(np.arange(n)), np.arange(float(n))) + 1e-9
"""
MATRIX_ACCEPT = """\
import numpy as np

def accept(arguments, expected, got):
    if got.shape != (arguments["n"], arguments["n"]) or not np.allclose(expected, got, atol=1e-8):
        return f"{int(np.sum(np.abs(expected - got) > 1e-8))} of {got.size} items are wrong"
    return ""
"""


@pytest.mark.full
@pytest.mark.parametrize(("wrong", "verdict"), [(False, "faster"), (True, "wrong")])
def test_long_arrays_reach_the_checker_whole(tmp_path: Path, wrong: bool, verdict: str) -> None:
    """25,600 floats, all of them 1e-9 away; a single wrong item among them is found, there or in a larger array of a
    made-up call. Of one whose arrays are too long for the checker no difference decides."""
    pytest.importorskip("numpy")
    one_off = "\n    found[-1, -1] += n > 150\n    return found\n"
    quick = MATRIX_QUICK.replace("return", "found =").rstrip() + one_off if wrong else MATRIX_QUICK
    write_files(tmp_path, {"old.py": MATRIX, "new.py": quick, "check.py": MATRIX_ACCEPT})
    (tmp_path / "calls.py").write_text("CALLS = [((n,), {}) for n in range(1, 15)]\nBIG = [((160,), {})]\n")
    flags = ("--calls", "calls.py", "--check", "check.py::accept", "--max-pairs", "8", "--max-examples", "20")
    done = codeopt("compare", "old.py::f", "new.py::f", *flags, "--sandbox", "bubblewrap", cwd=tmp_path)
    assert FIRST_LINE[verdict] in done.out.splitlines()[0], done.out + done.err
    assert wrong is bool(re.search(r"1 of \d{5,6} items are wrong", done.out)), done.out


class Unanswered(CheckerAnswers[Question]):
    """A checker that can be handed no answer."""

    def reasons(self, questions: Sequence[Question]) -> list[str]:
        return [NO_LITERAL] * len(questions)


@pytest.mark.parametrize(
    ("size", "source", "why"),
    [
        (6_000_000, "generated", TOO_LONG),
        (6_000_000, "calls_file", None),
        (60, "generated", None),
    ],
    ids=["too long", "somebody's call", "an object"],
)
def test_a_made_up_call_with_an_answer_too_long_for_it_decides_nothing(size: int, source: str, why: str | None) -> None:
    checker = SpecialChecker(cast("Any", None), Unanswered(cast("Any", None), cast("Any", None)), AnswerComparison())
    known = KnownCall(read("f(1)"), Answer(Kind.RETURNS, Field("digest", "<.Graph>()", size)), source, 0.0)
    assert undecided(checker, [known]) == ({known.call: why} if why else {})
