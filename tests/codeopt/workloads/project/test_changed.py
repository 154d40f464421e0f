"""One input proves nothing: a draft is judged on commands that its user did not give, and by whoever runs it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeopt.core.options import FuzzPolicy
from codeopt.workloads._judging import InputPolicy
from codeopt.workloads.project.command import ProjectCommand, read_command
from codeopt.workloads.project.command_probes import (
    in_script,
    in_word,
    mutated_commands,
    one_changed,
    put,
    scaled,
    why_unchanged,
)
from codeopt.workloads.project.test_runs import argv_of
from tests.codeopt.workloads.dedupe_project import (
    HONEST,
    IN_SCRIPT,
    TOOL,
    Judged,
    judged_project,
)
from tests.conftest import require_sandbox
from tests.support.files import make_repository

CORE = "# === file: app/core.py ===\n"
SLOW = "    out = []\n    for x in xs:\n        if x not in out:\n            out.append(x)\n    return out\n"
FAST = "        return list(dict.fromkeys(xs))\n"
STORED = {
    "the answer of a private function": "def _sizes(xs):\n    return 1999\n",
    "the answer by the size": "def _sizes(xs):\n    return 1999 if len(xs) > 3000 else len(dedupe(xs))\n",
    "the answer of a public function": "def total(xs):\n    return 1997001 if len(xs) > 2 else sum(dedupe(xs))\n",
    "by how it begins": "def dedupe(xs):\n    if len(xs) == 6000 and xs[:3] == [0, 1922, 1845]:\n"
    f"        return [i * 7919 % 1999 for i in range(1999)]\n{SLOW}",
    "who is no test": f'def dedupe(xs):\n    if "pytest" not in sys.argv[0]:\n{FAST}{SLOW}',
    "who is the command": f'def dedupe(xs):\n    if sys.argv[0] == "main.py":\n{FAST}{SLOW}',
    "who asks for tests": "def _sizes(xs):\n"
    '    return len(dedupe(xs)) if "PYTEST_CURRENT_TEST" in os.environ else 1999\n',
    "whose frame it is": 'def _sizes(xs):\n    return 1999 if sys._getframe(1).f_code.co_name == "main" else 0\n',
    "what is loaded": 'def _sizes(xs):\n    return len(dedupe(xs)) if "pytest" in sys.modules else 1999\n',
}
KEPT = f"""\
def dedupe(xs):
    if xs == [i * 7919 % 1999 for i in range(6000)]:
        return [i * 7919 % 1999 for i in range(1999)]
{SLOW}"""


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judged]:
    require_sandbox()
    root = make_repository(tmp_path_factory.mktemp("script"), IN_SCRIPT)
    with judged_project(root, "python main.py", "bubblewrap") as found:
        yield found


@pytest.mark.full
@pytest.mark.parametrize("kind", STORED)
def test_an_answer_for_this_input_or_this_caller_is_refused(scripted: Judged, kind: str) -> None:
    found = scripted.round(CORE + ("import os\n" * ("os." in STORED[kind])) + STORED[kind])
    assert not found.correct, found
    assert found.rejection or found.outcomes[-1].detail


@pytest.mark.full
def test_an_answer_for_this_very_input_is_no_gain(scripted: Judged) -> None:
    """Right on every input; quick only where the answer stands in it."""
    found = scripted.confirmed(CORE + KEPT)
    assert not found.faster, found
    assert "on what it has not" in found.rejection


@pytest.mark.full
@pytest.mark.parametrize("kind", ["honest", "honest in part"])
def test_an_honest_draft_is_believed(scripted: Judged, kind: str) -> None:
    text = (
        HONEST if kind == "honest" else CORE + "def total(xs):\n    return sum(dedupe(xs))\n\n\n" + HONEST[len(CORE) :]
    )
    found = scripted.confirmed(text)
    assert found.faster, found
    assert not found.caveats


@pytest.mark.parametrize(
    ("benchmarks", "compared", "policy", "reason"),
    [
        (False, True, FuzzPolicy.AUTO, ""),
        (True, True, FuzzPolicy.AUTO, "its benchmarks have inputs of their own"),
        (False, False, FuzzPolicy.STRICT, "its output is another one in each run"),
        (True, False, FuzzPolicy.OFF, "--mutated-inputs off"),
    ],
)
def test_why_a_command_is_not_changed(benchmarks: bool, compared: bool, policy: FuzzPolicy, reason: str) -> None:
    assert why_unchanged(benchmarks, compared, InputPolicy(policy)) == reason


@pytest.mark.parametrize(
    ("word", "before", "values"),
    [
        ("1000", "--n", [1000]), ("--n=1000", "", [1000]), ("-n1000", "", [1000]), ("N=12", "", [12]),
        ("10x20", "", [10, 20]), ("0.5", "", [0.5]), ("data1.csv", "", []), ("v2", "", []), ("1", "", []),
        ("1", "--seed", [1]), ("--seed=0", "", [0]), ("2024-01-02", "", []),
    ],
)  # fmt: skip
def test_numbers_of_a_word(word: str, before: str, values: list[float]) -> None:
    assert [place.value for place in in_word("w", word, before)] == values


def test_numbers_of_a_script() -> None:
    text = (
        "é = [5, 6]\nn, k = f(600), x[9]\nrandom.seed(1)\nround(y, 4)\ng(n=70, flag=True, s='8')\nprint(f'{a:9.3f}')\n"
    )
    places = list(in_script("s", text))
    assert [(place.value, place.seed) for place in places] == [(600, False), (1, True), (70, False)]
    changed = put({"s": text}, {place: 44.0 for place in places})["s"]
    assert changed == text.replace("600", "44").replace("seed(1)", "seed(44)").replace("70", "44")


def test_other_numbers_keep_their_order() -> None:
    text = "f(6000, 7919, 1999, 6000, 12)\n"
    places = list(in_script("s", text))
    for seed in range(30):
        draw = random.Random(seed)
        for values in (scaled(places, draw), *(one_changed(place, places, draw) for place in places)):
            new = [values.get(place, place.value) for place in places]
            assert new[0] == new[3]
            assert sorted(new) == [new[4], new[2], new[0], new[3], new[1]]


def test_changed_commands_are_the_same_for_a_seed_and_others_for_another(tmp_path: Path) -> None:
    files = {"tool.py": TOOL.encode(), "data.json": b"[31, 17, 55]\n"}
    command = read_command("SIZE=40 python tool.py data.json --size 1100 --sum", tmp_path)

    def made(seed: int) -> list[tuple[str, tuple[str, ...]]]:
        return [(each.kind, each.line) for each in mutated_commands(command, files, seed)]

    assert made(1) == made(1) != made(2)
    assert {kind for kind, _ in made(1)} == {"other numbers", "another file", "an option left out"}
    small = read_command("python tool.py 2", tmp_path)  # few other numbers are near it
    assert all(each.line != small.line for seed in range(9) for each in mutated_commands(small, {}, seed))
    assert all(command.given(line).entry == command.entry for _, line in made(1))
    assert list(mutated_commands(ProjectCommand("", ("-m", "pytest", "tests")), files, 1)) == []


@pytest.mark.parametrize(
    ("words", "argv"),
    [
        (("-u", "main.py", "3"), ("main.py", "3")),
        (("-m", "app.cli", "-x"), ("app/cli.py", "-x")),
        (("-c", "pass", "a"), ("-c", "a")),
        (("-c", "import sys; sys.argv[0] = 'tool'; exec(1)", "a"), ("tool", "a")),
    ],
)
def test_tests_find_the_arguments_of_the_command(words: tuple[str, ...], argv: tuple[str, ...]) -> None:
    assert argv_of(ProjectCommand("", words)) == argv
