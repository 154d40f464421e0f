"""A function whose arguments no text can hold is refused with the command that judges it, and that command does."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.codeopt.command import Done, codeopt
from tests.codeopt.review.pull_request import git
from tests.conftest import require_sandbox

pytestmark = pytest.mark.full

SHOP = """\
def ranked(session):
    items = session.all()
    out = []
    for item in items:
        place = 1
        for other in items:
            if other > item:
                place += 1
        out.append((item, place))
    return sorted(out, key=lambda pair: pair[1])
"""
RIGHT = """\
def ranked(session):
    items = session.all()
    first = {}
    for place, item in enumerate(sorted(items, reverse=True), 1):
        first.setdefault(item, place)
    return sorted([(item, first[item]) for item in items], key=lambda pair: pair[1])
"""
TESTS = """\
import pytest
from shop import ranked


def session(count):
    class Session:
        lock = open(__file__)

        def all(self):
            return [i * 7 % 31 for i in range(count)]

    return Session()


@pytest.mark.parametrize("count", [0, 1, 5, 40, 900])
def test_ranked(count):
    found = ranked(session(count))
    assert len(found) == count
    assert [item for item, _ in found] == sorted([i * 7 % 31 for i in range(count)], reverse=True)
"""
FAST = {"CODEOPT_MAX_PAIRS": "9", "CODEOPT_MUTATED_INPUTS": "off"}


def project(folder: Path) -> None:
    folder.mkdir()
    (folder / "shop.py").write_text(SHOP)
    (folder / "test_shop.py").write_text(TESTS)
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-qm", "as it was")):
        git(folder, *arguments)


def named_command(advice: str) -> list[str]:
    """The command at the end of an advice, as a shell takes it."""
    return shlex.split(advice[advice.index("codeopt ") :])[1:]


def test_the_refusal_says_the_command(tmp_path: Path) -> None:
    require_sandbox()
    project(tmp_path / "r")
    done = codeopt("improve", "r/shop.py::ranked", "--model", "rules", "--json", cwd=tmp_path)
    assert (done.status, done.json["status"]) == (5, 5), done.err
    assert named_command(done.json["hint"]) == ["improve", "r", "--run", "pytest -q test_shop.py"]


def judged(folder: Path, new: str) -> Done:
    """A refused comparison, and the command that it names on the project with NEW in the place of OLD."""
    project(folder / "r")
    (folder / "new.py").write_text(new)
    refused = codeopt("compare", "r/shop.py::ranked", "new.py::ranked", "--json", cwd=folder)
    assert (refused.status, refused.json["verdict"]) == (5, "inconclusive"), refused.err
    command = named_command(refused.json["next_step"])
    assert command == ["compare", "r", "--base", "HEAD", "--run", "pytest -q test_shop.py"]
    (folder / "r" / "shop.py").write_text(new)
    return codeopt(*command, "--json", cwd=folder, env=FAST)


def test_the_command_rejects_what_is_wrong(tmp_path: Path) -> None:
    require_sandbox()
    done = judged(tmp_path, RIGHT.replace("reverse=True", "reverse=False"))
    assert (done.status, done.json["verdict"]) == (1, "wrong"), done.err


def test_the_command_accepts_what_is_right(tmp_path: Path) -> None:
    require_sandbox()
    done = judged(tmp_path, RIGHT)
    assert done.status == 0, done.json["reason"]
    assert done.json["verdict"] in ("faster", "same", "inconclusive")


def test_against_a_commit_it_names_the_users_own_folder(tmp_path: Path) -> None:
    require_sandbox()
    project(tmp_path / "r")
    (tmp_path / "r" / "shop.py").write_text(RIGHT)
    done = codeopt("compare", "--base", "HEAD", "--json", cwd=tmp_path / "r")
    (found,) = done.json["functions"]
    assert named_command(found["next_step"]) == ["compare", "--run", "pytest -q test_shop.py", "--base", "HEAD"]
