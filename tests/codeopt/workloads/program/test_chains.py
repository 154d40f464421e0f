"""Trees among the inputs of programs become chains, deeper than a recursion may be."""

from __future__ import annotations

import pytest

from codeopt.workloads import Checked
from codeopt.workloads._judging import InputPolicy
from codeopt.workloads.program.differential import ProbeSource, make_differential_test
from codeopt.workloads.program.mutated_inputs import MutatedInput, mutated_inputs
from codeopt_sandbox import Sandbox
from codeopt_sandbox.outcome import Case
from codeopt_sandbox.verdict import check_tokens


def edges(nodes: int, width: int) -> bytes:
    """A tree of two columns, the lower number first; at width 1 a chain."""
    lines = [f"{nodes}", *(f"{max(1, node - 1 - node % width)} {node}" for node in range(2, nodes + 1))]
    return "\n".join([*lines, ""]).encode()


def chains(inputs: list[bytes]) -> list[MutatedInput]:
    """Those among the changed inputs."""
    return [each for each in mutated_inputs("", inputs, seed=1) if "chain" in each.name]


def test_a_chain_of_edges() -> None:
    (made,) = chains([edges(n, 3) for n in (1, 2, 5, 9, 40)])
    assert len(made.stdin.split(b"\n")) > 1200
    assert b"\n7 8\n8 9\n" in made.stdin


def test_a_chain_of_parents_where_no_tree_is_deep() -> None:
    lines = (" ".join(str(node // 2) for node in range(2, n + 1)) for n in (5, 30, 60, 41))
    (made,) = chains([f"{line.count(' ') + 2}\n{line}\n".encode() for line in lines])
    assert made.because
    assert b"\n0 0 1 2 3 4 5 " in made.stdin or b"1 2 3 4 5 " in made.stdin


@pytest.mark.parametrize("inputs", [[b"3\n1 2 3\n", b"2\n5 9\n"], [b"abc\n", b"xy\n"], [b"7\n", b"9\n"]])
def test_no_chain_without_a_tree(inputs: list[bytes]) -> None:
    assert not chains(inputs)


READ = "import sys\ndata = list(map(int, sys.stdin.read().split()))\nn, above = data[0], {}\n" + (
    "for a, b in zip(data[1::2], data[2::2]):\n    above[b] = a\n"
)
LOOP = READ + "depth = {1: 0}\nfor node in range(2, n + 1):\n    depth[node] = depth[above[node]] + 1\n"
LOOP += "print(max(depth.values()), sum(depth.values()))\n"
RECURSION = READ + (
    "def go(node):\n    return 0 if node == 1 else go(above[node]) + 1\n"
    "depths = [go(node) for node in range(1, n + 1)]\nprint(max(depths), sum(depths))\n"
)
OWN_STACK = READ + (
    "below = {}\nfor b, a in above.items():\n    below.setdefault(a, []).append(b)\n"
    "most = total = 0\nwork = [(1, 0)]\nwhile work:\n    node, depth = work.pop()\n    most = max(most, depth)\n"
    "    total += depth\n    work += [(each, depth + 1) for each in below.get(node, ())]\nprint(most, total)\n"
)


def checked(sandbox: Sandbox, draft: str) -> Checked:
    """What counts against a draft where the known trees are all nearly chains."""
    cases = [Case(f"case{n}", edges(n, 3)) for n in (1, 2, 5, 9, 40, 90)]
    differential = make_differential_test(sandbox, LOOP, ProbeSource(cases, 1, most=12), check_tokens, InputPolicy())
    return differential.run(sandbox, draft, check_tokens)


def test_a_recursion_as_deep_as_the_tree_is_refused(isolated: Sandbox) -> None:
    found = checked(isolated, RECURSION)
    assert any("RecursionError" in outcome.detail for outcome in found.outcomes), found


@pytest.mark.full
def test_a_draft_with_a_stack_of_its_own_is_not(isolated: Sandbox) -> None:
    assert not checked(isolated, OWN_STACK).outcomes
