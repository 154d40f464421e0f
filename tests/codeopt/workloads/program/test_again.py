"""A line to paste shows a caveat again, whatever is in the input; memory and resumed seeds are told of runs, too."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from codeopt.core.options import ImproveOptions
from codeopt.core.program import read_program
from codeopt.core.session import Session
from codeopt.core.target import Target
from codeopt.workloads import WorkloadRequest
from codeopt.workloads.program.differences import again
from codeopt_sandbox.outcome import Case
from tests.codeopt.command import ALL_EXAMPLES, STATUSES, codeopt

pytestmark = pytest.mark.full

ECHO = "import sys\nfrom pathlib import Path\nsys.stdout.buffer.write(sys.stdin.buffer.read())\n"
FILES = ECHO + "print(sys.argv[1:], [p.read_bytes() for p in sorted(Path().rglob('*.csv'))])\n"
INPUTS = {
    "quotes and signs": b'it\'s 100%\\ "$HOME" `x`\n\ttab',
    "any bytes": bytes(range(256)),
    "long": b"12345 678\n" * 10_000,
}


def request(folder: Path, source: str) -> WorkloadRequest:
    path = folder / "a program.py"
    path.write_text(source)
    return WorkloadRequest(Target(path), read_program(path), ImproveOptions(), Session())


def pasted(line: str, folder: Path) -> bytes:
    """What a shell prints, in which `python` is this one."""
    binary = folder / "bin"
    binary.mkdir(exist_ok=True)
    for name in ("python", "python3"):
        (binary / name).unlink(missing_ok=True)
        (binary / name).symlink_to(sys.executable)
    done = subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, env={"PATH": f"{binary}:/usr/bin:/bin"})
    assert not done.stderr, done.stderr
    return done.stdout


@pytest.mark.parametrize("data", INPUTS.values(), ids=INPUTS)
def test_the_input_arrives(tmp_path: Path, data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    line = again(request(tmp_path, ECHO), Case("a", data))
    assert "\n" not in line
    assert len(line) <= 160 + len(str(tmp_path))
    assert pasted(line, tmp_path) == data


def test_arguments_and_files_arrive(tmp_path: Path) -> None:
    case = Case("a", b"x\n", args=("--top", "it's"), files=(("data/a.csv", b"1,2\n"), ("b.csv", b"%d\\n")))
    assert (
        pasted(again(request(tmp_path, FILES), case), tmp_path) == b"x\n['--top', \"it's\"] [b'%d\\\\n', b'1,2\\n']\n"
    )


SLOW = "n = int(input())\na = list(map(int, input().split()))\nprint(max(x - y for x in a for y in a), len(a) * [0])\n"
FAST = "n = int(input())\na = [abs(int(x)) for x in input().split()]\n{more}print(max(a) - min(a), len(a) * [0])\n"
TABLE = "table = b'x' * 60_000_000\n"


@pytest.fixture(scope="module")
def problem(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("caveats")
    folder.joinpath("slow.py").write_text(SLOW)
    folder.joinpath("fast.py").write_text(FAST.format(more=""))
    folder.joinpath("roomy.py").write_text(FAST.format(more=TABLE))
    for cases, largest in (("cases", 800), ("large", 1500)):
        folder.joinpath(cases).mkdir()
        for name, count in enumerate((4, 7, largest)):
            numbers = " ".join(str(at * 7919 % 997 + 1) for at in range(count))
            folder.joinpath(cases, f"input.{name}.txt").write_text(f"{count}\n{numbers}\n")
    return folder


def compared(problem: Path, new: str, *flags: str, cases: str = "cases", **env: str) -> Any:
    done = codeopt(
        "compare", "slow.py", new, "--cases", cases, "--max-pairs", "12", "--sandbox", "bubblewrap", "--json", "-q",
        *flags, cwd=problem, env={**ALL_EXAMPLES, **env},
    )  # fmt: skip
    assert done.status == STATUSES.get((done.json["verdict"], done.json["inconclusive_about"]), 0), done.err
    return done.json


def test_a_caveat_of_a_whole_run_is_seen_again_by_its_line(problem: Path) -> None:
    found = compared(problem, "fast.py")
    assert found["verdict"] == "faster", found
    caveat = next(each for each in found["caveats"] if "so small" in " ".join(each["domain"]))
    assert caveat["tier"] == "unusual"
    old, new = pasted(caveat["reproduce"], problem).decode().splitlines()
    assert old != new
    for line, told in ((old, caveat["expected"]), (new, caveat["got"])):
        assert line.split()[0] == told.removeprefix("prints '").split()[0]
    refused = compared(problem, "fast.py", "--strict")
    assert (refused["verdict"], "--strict" in refused["reason"]) == ("wrong", True)
    assert any("so small" in " ".join(each["domain"]) for each in refused["caveats"])
    assert found["input_seed"] != refused["input_seed"]


def test_memory_that_a_gain_costs_is_told(problem: Path) -> None:
    found = compared(problem, "roomy.py", "--mutated-inputs", "off", "--max-pairs", "30", cases="large")
    assert found["verdict"] == "faster", found
    assert [caveat["kind"] for caveat in found["caveats"]] == ["memory"]
    assert "MiB" in found["caveats"][0]["got"]


def test_the_seed_of_made_inputs_is_kept_in_the_record(problem: Path) -> None:
    flags = ("--model", "rules", "--sandbox", "bubblewrap", "--json", "-q", "--cases", "cases", "--max-rounds", "1")
    first = codeopt("improve", "slow.py", *flags, "--no-profile", cwd=problem)
    run = problem / first.json["run"]
    seed = json.loads((run / "state.json").read_text())["input_seed"]
    assert first.json["input_seed"] == seed
    again = codeopt("improve", "slow.py", *flags, "--no-profile", "--resume", first.json["run"], cwd=problem)
    assert again.json["input_seed"] == seed
    assert compared(problem, "fast.py", CODEOPT_INPUT_SEED=str(seed))["input_seed"] == seed
