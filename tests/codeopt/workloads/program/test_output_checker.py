"""Programs with many right outputs, judged by a checker of the user's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codeopt.command import Done, codeopt
from tests.conftest import ISOLATING
from tests.support.files import write_files

pytestmark = pytest.mark.full

SLOW = """\
n = int(input())
after = [set(map(int, input().split())) for _ in range(n)]
done, left = [], list(range(n))
while left:
    for node in left:
        if not any(node in after[other] for other in left):
            done.append(node)
            left.remove(node)
            break
    else:
        raise SystemExit("a circle")
print(*done)
"""
"""Topological order of nodes, of which each line has those that come after: the smallest free one first."""
QUICK = """\
n = int(input())
after = [set(map(int, input().split())) for _ in range(n)]
counts = [0] * n
for ends in after:
    for end in ends:
        if 0 <= end < n:
            counts[end] += 1
ready, done = [node for node in range(n) if not counts[node]], []
while ready:
    node = ready.pop()
    done.append(node)
    for end in after[node]:
        if 0 <= end < n:
            counts[end] -= 1
            if not counts[end]:
                ready.append(end)
if len(done) < n:
    raise SystemExit("a circle")
print(*done)
"""
"""The largest free one first."""
BACKWARDS = QUICK.replace("print(*done)", "print(*done[::-1])")
ACCEPT = """\
def accept(text, expected, got):
    n, *lines = text.split("\\n")
    order = list(map(int, got.split()))
    if sorted(order) != sorted(map(int, expected.split())):
        return "not each node once"
    at = {node: place for place, node in enumerate(order)}
    edges = [(node, int(end)) for node, line in enumerate(lines[: int(n)]) for end in line.split()]
    return all(at[a] < at[b] for a, b in edges if b in at) or "an edge goes backwards"
"""
NEVER = "def accept(text, expected, got):\n    return 'never'\n"
FLAGS = ("--cases", "cases", "--check", "check.py::accept", "--max-examples", "20")


def graph(nodes: int, step: int) -> str:
    """A graph without circles."""
    lines = [
        " ".join(str(b) for b in range(a + 1, nodes) if (7 * a + 3 * b) % step == 0) for a in range(nodes)
    ]  # fmt: skip
    return "\n".join([str(nodes), *lines, ""])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two right programs, a wrong one, cases and a checker."""
    sizes = enumerate(((4, 2), (7, 3), (6, 5), (400, 31)))
    write_files(tmp_path / "cases", {f"{number}.in": graph(nodes, step) for number, (nodes, step) in sizes})
    return write_files(tmp_path, {"slow.py": SLOW, "quick.py": QUICK, "wrong.py": BACKWARDS, "check.py": ACCEPT})


def compare(folder: Path, new: str, *more: str) -> Done:
    return codeopt("compare", "slow.py", new, *FLAGS, "--max-pairs", "8", "-q", *more, cwd=folder)


@pytest.mark.parametrize("backend", ISOLATING)
def test_another_right_output_is_accepted_and_a_wrong_one_refused_with_the_checkers_sentence(
    folder: Path, backend: str
) -> None:
    compared = compare(folder, "quick.py", "--json", "--sandbox", backend)
    assert compared.status == 0, compared.out + compared.err
    assert compared.json["verdict"] == "faster"
    assert not [each for each in compared.json["caveats"] if each["kind"] in ("floats", "layout")]
    wrong = compare(folder, "wrong.py", "--sandbox", backend)
    assert wrong.status == 1, wrong.out + wrong.err
    assert "an edge goes backwards" in wrong.out


def test_without_it_other_outputs_are_wrong(folder: Path) -> None:
    done = codeopt("compare", "slow.py", "quick.py", "--cases", "cases", "-q", cwd=folder)
    assert done.status == 1


@pytest.mark.parametrize(
    ("accept", "said"),
    [
        (NEVER, "does not accept the original's own output on case 0: never"),
        ("def accept(text, expected, got):\n    return text[0] == '9'\n", "the checker does not accept it"),
        ("def accept(text, expected, got):\n    return {}['x']\n", "the checker raises KeyError: 'x'"),
        ("def accept(text):\n    return True\n", "the checker raises TypeError"),
        ("import os\ndef accept(text, expected, got):\n    os._exit(0)\n", "the checker gives no answer"),
        ("raise ValueError('bad')\ndef accept(text, expected, got):\n    pass\n", "ValueError: bad when it is loaded"),
        ("def other():\n    pass\n", "defines no function 'accept'"),
    ],
)
def test_what_is_no_checker_of_this_program_is_one_line(folder: Path, accept: str, said: str) -> None:
    (folder / "check.py").write_text(accept)
    done = compare(folder, "quick.py")
    assert done.status == 2, done.out + done.err
    assert said in done.err
    assert len(done.facts) == 1


def test_a_checker_does_not_see_the_host(folder: Path) -> None:
    secret = folder / "secret.txt"
    secret.write_text("1")
    looks = f"import os\ndef accept(text, expected, got):\n    return not os.path.exists({str(secret)!r})\n"
    (folder / "check.py").write_text(looks)
    assert compare(folder, "quick.py").status == 0


def test_a_checker_is_given_arguments_and_files(tmp_path: Path) -> None:
    old = "import sys\nwords = open(sys.argv[1]).read().split()\nsum(range(200_000))\nprint(*words)\n"
    accept = (
        "def accept(given, expected, got):\n    name, = given['args']\n"
        "    return sorted(given['files'][name].split()) == sorted(got.split()) and given['stdin'] == ''\n"
    )
    programs = {"old.py": old, "new.py": old.replace("print(*words)", "print(*words[::-1])"), "check.py": accept}
    write_files(tmp_path, {**programs, "words.txt": "red green\nblue\n"})
    flags = ("--check", "check.py::accept", "--max-pairs", "7", "--max-examples", "20", "-q", "--", "words.txt")
    done = codeopt("compare", "old.py", "new.py", *flags, cwd=tmp_path)
    assert done.status == 0, done.out + done.err
