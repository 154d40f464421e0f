"""`compare --run COMMAND --check FILE::accept`: of a command with many right outputs the user's own checker decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import commit_all
from tests.codeopt.command import Done, codeopt
from tests.conftest import require_sandbox
from tests.support.files import write_files

pytestmark = pytest.mark.full

ORDER = """\
def order(after):
    done, left = [], sorted(after)
    while left:
        for node in left:
            if not any(node in after[other] for other in left):
                done.append(node)
                left.remove(node)
                break
    return done
"""
"""The smallest free node first."""
QUICK = """\
def order(after):
    counts = dict.fromkeys(after, 0)
    for ends in after.values():
        for end in ends:
            counts[end] += 1
    ready, done = [node for node in sorted(after) if not counts[node]], []
    while ready:
        node = ready.pop()
        done.append(node)
        for end in after[node]:
            counts[end] -= 1
            if not counts[end]:
                ready.append(end)
    return done
"""
"""The free node that was found last first."""
MAIN = """\
import sys
from order import order

n = int(sys.argv[1])
after = {a: set(range(a + 1 + a % 31, n, 31)) for a in range(n)}
for _ in range(20):
    found = order(after)
print(*found)
"""
ACCEPT = """\
def accept(given, expected, got):
    n = int(given["args"][0])
    at = {int(node): place for place, node in enumerate(got.split())}
    if sorted(at) != list(range(n)):
        return "not each node once"
    edges = [(a, b) for a in range(n) for b in range(a + 1 + a % 31, n, 31)]
    return all(at[a] < at[b] for a, b in edges) or "an edge goes backwards"
"""
NEVER = "def accept(given, expected, got):\n    return 'never'\n"
CHECK = "../accept.py::accept"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = write_files(tmp_path / "p", {"main.py": MAIN, "order.py": ORDER})
    commit_all(root, "as it was")
    (tmp_path / "accept.py").write_text(ACCEPT)
    return root


def compared(root: Path, *flags: str) -> Done:
    usual = ("--sandbox", "bubblewrap", "--max-pairs", "6", "-q", "--json", "--no-tests")
    return codeopt("compare", "--base", "HEAD", "--run", "python main.py 400", *usual, *flags, cwd=root)


@pytest.mark.parametrize(
    ("text", "accept", "verdict", "says"),
    [
        (QUICK, CHECK, "faster", ""),
        (QUICK, "tokens", "wrong", "token"),
        (QUICK.replace("return done", "return done[::-1]"), CHECK, "wrong", "an edge goes backwards"),
        (QUICK.replace("return done", "return done[1:]"), CHECK, "wrong", "not each node once"),
    ],
    ids=["another order", "without a checker", "backwards", "one is missing"],
)
def test_the_checker_says_which_other_outputs_are_right(
    project: Path, text: str, accept: str, verdict: str, says: str
) -> None:
    require_sandbox()
    (project / "order.py").write_text(text)
    found = compared(project, "--check", accept).json
    assert found["verdict"] == verdict, found
    assert says in found["reason"]
    told = [each for each in found["caveats"] if "does not judge its functions" in each["cause"]]
    assert bool(told) is (verdict == "faster"), "its function answers otherwise, which nobody judged"


def test_a_checker_that_refuses_the_commands_own_output_ends_it(project: Path) -> None:
    require_sandbox()
    (project / "order.py").write_text(QUICK)
    (project.parent / "accept.py").write_text(NEVER)
    done = compared(project, "--check", CHECK)
    assert done.status == 2
    assert "does not accept the original's own output" in done.err
