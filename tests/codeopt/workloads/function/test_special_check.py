"""Calls with many right answers, judged by a checker of the user's; and drafts that may change their arguments."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codeopt.command import Done, codeopt

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


def compare(folder: Path, new: str, accept: str, *more: str, backend: str = "bubblewrap") -> Done:
    """`codeopt compare` of the topological orders, by a checker."""
    for name, text in (("old.py", SLOW), ("new.py", new), ("calls.py", CALLS), ("check.py", accept)):
        (folder / name).write_text(text)
    checks = () if not accept else ("--check", "check.py::accept")
    flags = ("--calls", "calls.py", "--sandbox", backend, "--max-pairs", "12", "--max-examples", "20", *checks, *more)
    return codeopt("compare", "old.py::f", "new.py::f", *flags, cwd=folder)


@pytest.mark.parametrize("backend", BACKENDS)
def test_another_right_answer_is_accepted(tmp_path: Path, backend: str) -> None:
    assert compare(tmp_path, QUICK, "").out.startswith("rejected")
    done = compare(tmp_path, QUICK, ACCEPT, backend=backend)
    assert not [word for word in ("rejected", "caveat") if word in done.out], done.out + done.err
    assert done.status != 2, done.err


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_wrong_answer_is_refused_with_the_checkers_sentence(tmp_path: Path, backend: str) -> None:
    done = compare(tmp_path, BACKWARDS, ACCEPT, backend=backend)
    assert done.out.startswith("rejected"), done.out + done.err
    assert "an edge goes backwards" in done.out


def test_what_a_checker_raises_is_told_in_a_line(tmp_path: Path) -> None:
    raises = "def accept(arguments, expected, got):\n    return expected == got or {}['nothing']\n"
    done = compare(tmp_path, QUICK, raises)
    assert done.out.startswith("rejected"), done.out + done.err
    assert "the checker raises KeyError: 'nothing'" in done.out.splitlines()[0]


def test_a_checker_has_to_accept_the_original(tmp_path: Path) -> None:
    done = compare(tmp_path, QUICK, "def accept(arguments, expected, got):\n    return 'never'\n")
    assert done.status == 2
    assert "does not accept the original's own answer" in done.err
    assert "never" in done.err


def test_a_checker_does_not_see_the_host(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("1")
    looks = f"import os\ndef accept(arguments, expected, got):\n    return not os.path.exists({str(secret)!r})\n"
    done = compare(tmp_path, QUICK, looks)
    assert done.status != 2, done.err
    assert "rejected" not in done.out


def test_a_file_without_the_function_and_a_program_are_refused(tmp_path: Path) -> None:
    done = compare(tmp_path, QUICK, "def other():\n    pass\n")
    assert done.status == 2
    assert "defines no function 'accept'" in done.err
    (tmp_path / "check.py").write_text(ACCEPT)
    (tmp_path / "main.py").write_text("print(sum(map(int, input().split())))\n")
    (tmp_path / "in.txt").write_text("1 2\n")
    flags = ("--stdin", "in.txt", "--check", "check.py::accept", "--sandbox", "bubblewrap")
    done = codeopt("compare", "main.py", "main.py", *flags, cwd=tmp_path)
    assert done.status == 2, done.out + done.err
    assert "a program's outputs are compared" in done.err


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


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_draft_may_change_its_arguments_where_it_is_told_so(tmp_path: Path, backend: str) -> None:
    for name, text in (("old.py", SORTED), ("new.py", IN_PLACE), ("wrong.py", IN_PLACE.replace("// 2]", "// 3]"))):
        (tmp_path / name).write_text(text)
    (tmp_path / "calls.py").write_text(LISTS)
    flags = ("--calls", "calls.py", "--sandbox", backend, "--max-pairs", "12", "--max-examples", "20")
    done = codeopt("compare", "old.py::f", "new.py::f", *flags, cwd=tmp_path)
    assert done.out.startswith("rejected"), done.out + done.err
    assert "--may-change-arguments accepts it" in done.out
    allowed = ("--may-change-arguments", *flags)
    assert codeopt("compare", "old.py::f", "new.py::f", *allowed, cwd=tmp_path).out.startswith("faster")
    assert codeopt("compare", "old.py::f", "wrong.py::f", *allowed, cwd=tmp_path).out.startswith("rejected")
