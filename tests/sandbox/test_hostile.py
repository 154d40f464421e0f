"""Every program of the folder of hostile programs behaves as its index says, and leaves nothing behind.

The folder is no part of this repository: CODEOPT_HOSTILE names it, else it is looked for in shared/hostile
beside the repository.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeopt_sandbox import Case, CaseVerdict, Outcome, RunLimits, Sandbox
from codeopt_sandbox.outcome import Mode
from codeopt_sandbox.verdict import judge
from tests.conftest import ISOLATING, open_or_skip
from tests.sandbox import machine

FOLDER = Path(os.environ.get("CODEOPT_HOSTILE") or Path(__file__).parents[3] / "shared" / "hostile")
PROGRAMS = json.loads((FOLDER / "index.json").read_text())["programs"] if FOLDER.is_dir() else []
LIMITS = RunLimits(seconds=30, memory_mib=256, processes=64, output_mib=1)
QUICK = RunLimits(seconds=1, memory_mib=256, processes=64, output_mib=1)
MARKER = "codeopt_hostile_marker"
VERDICTS = {
    "time limit": CaseVerdict.TLE,
    "memory limit": CaseVerdict.MLE,
    "output limit": CaseVerdict.OLE,
    "runtime error": CaseVerdict.RE,
    "wrong answer": CaseVerdict.WA,
    "accepted": CaseVerdict.AC,
}
NEEDS_OWN_USER = {
    "h33_hardlink_out": "with the guest's user it links its own program, in a folder that is then emptied"
}
"""Stated exceptions, for bubblewrap as an ordinary user only: there guest and runs share the user."""
PRETENDS_DOCKER = b"""import os.path
_exists = os.path.exists
os.path.exists = lambda path: path == "/.dockerenv" or _exists(path)
"""
"""h29 acts only where /.dockerenv is; bubblewrap has none, and is as small a container, so the test supplies it."""

pytestmark = pytest.mark.skipif(not PROGRAMS, reason="no hostile programs: set CODEOPT_HOSTILE to their folder")


@pytest.fixture(scope="module", params=ISOLATING)
def target(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """A sandbox beside canaries: a key in our environment, and the expected output next to the input."""
    folder = tmp_path_factory.mktemp("cases")
    for file in (FOLDER / "case").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CODEOPT_CANARY_API_KEY", "canary")
        patch.chdir(folder)
        with open_or_skip(str(request.param), LIMITS) as opened:
            yield opened


@pytest.mark.parametrize("mode", ["fork", "exec"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program["id"])
def test_hostile_program(program: dict[str, str], mode: Mode, target: Sandbox) -> None:
    allowed, _, conditions = program["expect"].partition(";")
    if program["id"] == "h29_kill_all":
        target.restart_guest()  # its guard wants an own pid of at most 200
    uids = machine.uids_of_runs(target)
    if program["id"] in NEEDS_OWN_USER and not uids:
        pytest.skip(f"stated exception: {NEEDS_OWN_USER[program['id']]}")
    before = machine.marked_files(MARKER)
    for _ in range(2 if "twice" in conditions else 1):
        outcome = attack(target, program, mode, "time limit" in allowed)
        assert is_right(outcome, allowed), f"{outcome} {outcome.run}"
        assert b"ESCAPED" not in outcome.run.stdout, outcome.run.stdout
        assert b"GUARD" not in outcome.run.stderr, outcome.run.stderr
        assert machine.until(lambda: not machine.processes_of(uids)), machine.processes_of(uids)
    assert machine.marked_files(MARKER) == before
    assert target.run(machine.LOOK, b"1 2\n", mode=mode).stdout == machine.CLEAN


def attack(target: Sandbox, program: dict[str, str], mode: Mode, quick: bool) -> Outcome:
    """Run a hostile program on its case."""
    stdin = (FOLDER / "case" / "input.1.txt").read_bytes()
    if program["cls"] == "stdin":
        stdin += b" " * (4 << 20)
    source = (FOLDER / program["file"]).read_bytes()
    if target.backend == "bubblewrap":
        source = PRETENDS_DOCKER + source
    run = target.run(source, stdin, mode=mode, limits=QUICK if quick else LIMITS)
    return judge(Case(program["id"], stdin, (FOLDER / "case" / "output.1.txt").read_bytes()), run)


def is_right(outcome: Outcome, allowed: str) -> bool:
    """Whether the verdict is among the words of the index."""
    words = [word.strip() for word in allowed.split("|")]
    ended_well = outcome.run.exit == 0 and outcome.run.stop is None
    return ("ran" in words and ended_well) or outcome.verdict in [VERDICTS[w] for w in words if w != "ran"]


@pytest.mark.docker
def test_no_container_is_left() -> None:
    others = machine.containers()  # a sandbox of the tests before may still be open
    with open_or_skip("docker", QUICK) as opened:
        opened.run("import os; os.fork() and print(1)")
        ours = machine.containers()
        opened.restart_guest()
        opened.run("while True: pass", limits=RunLimits(seconds=0.2))
        ours |= machine.containers()
    assert machine.until(lambda: not ours_of_this_process((ours - others) & machine.containers())), ours - others


def ours_of_this_process(ids: set[str]) -> set[str]:
    """Containers whose owner label names this process; other sandboxes may be open on this machine."""
    import docker

    client = docker.from_env()
    try:
        found = client.api.containers(all=True, filters={"label": "codeopt.owner"})
        mine = {c["Id"] for c in found if f":{os.getpid()}:" in c["Labels"]["codeopt.owner"]}
        return mine & ids
    finally:
        client.close()
