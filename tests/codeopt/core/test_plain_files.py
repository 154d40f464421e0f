"""Pipes, devices, sockets and links in the place of files: each command refuses them at once, in one line."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from codeopt_sandbox.caseio import read_cases
from codeopt_sandbox.plain_files import NotPlain, TooLarge, read_bytes
from tests.codeopt.command import codeopt
from tests.conftest import require_sandbox, rest_in_full
from tests.support.files import make_repository, write_files

PROGRAM = "import sys\nprint('READ', sys.stdin.read()[:20])\n"
FUNCTION = "def f(n: int) -> int:\n    return sum(range(n))\n"
FILES = {
    "slow.py": PROGRAM, "new.py": PROGRAM + "\n", "mod.py": FUNCTION, "mod2.py": FUNCTION + "\n",
    "cases/input.1.txt": "20\n", "calls.py": "CALLS = [((3,), {})]\n",
    "ok.py": "def accept(case, expected, got):\n    return True\n",
}  # fmt: skip


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _circle(path: Path) -> None:
    path.symlink_to(path.name)


KINDS: dict[str, Callable[[Path], None]] = {"pipe": _pipe, "socket": _socket, "endless": _endless, "circle": _circle}
PLACES = {
    "program": ("slow.py", "profile slow.py --cases cases"),
    "second program": ("new.py", "compare slow.py new.py --cases cases"),
    "module": ("mod.py", "improve mod.py::f --calls calls.py"),
    "notebook": ("slow.ipynb", "improve slow.ipynb --cases cases"),
    "case": ("cases/input.2.txt", "improve slow.py --cases cases"),
    "expected output": ("cases/output.1.txt", "compare slow.py new.py --cases cases"),
    "case beside the program": ("a.in", "profile slow.py"),
    "arguments": ("cases/a.args", "profile slow.py --cases cases"),
    "folder of a case": ("cases/a.files", "profile slow.py --cases cases"),
    "folders of inputs": ("in", "compare slow.py new.py --cases ."),
    "generator": ("cases/generate.py", "profile slow.py --cases cases"),
    "input": ("data.txt", "compare slow.py new.py --stdin data.txt"),
    "calls": ("calls.py", "compare mod.py::f mod2.py::f --calls calls.py"),
    "checker": ("ok.py", "compare slow.py new.py --cases cases --check ok.py::accept"),
    "settings": ("pyproject.toml", "profile slow.py --cases cases"),
    "recorded replies": ("talk.jsonl", "improve slow.py --cases cases --model replay:talk.jsonl"),
    "scripted replies": ("talk.md", "improve slow.py --cases cases --model scripted:talk.md"),
    "saved run": (".codeopt/runs/a/state.json", "show a"),
    "set of programs": ("set.txt", "batch set.txt --run-dir runs"),
}


WHEREVER = ("program", "case", "settings", "set of programs")
"""Places where each kind is tried; at the others, one that waits and one that never ends."""


@pytest.mark.full
@pytest.mark.parametrize(
    ("place", "kind"),
    [(place, kind) for place in PLACES for kind in KINDS if kind in ("pipe", "endless") or place in WHEREVER],
)
def test_what_is_no_file_is_refused_in_one_line(
    place: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_sandbox()
    name, command = PLACES[place]
    write_files(tmp_path, FILES)
    path = tmp_path / name
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(path.parent)
    KINDS[kind](path)
    done = codeopt(*command.split(), cwd=tmp_path)
    said = [line for line in done.lines if line.startswith("error: ")]
    assert (done.status, len(said)) == (4 if place == "recorded replies" else 2, 1), done
    assert path.name in said[0] or "/dev/zero" in said[0] or place == "saved run"
    assert "Errno" not in said[0]


def test_a_plain_file_is_read_up_to_a_limit(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"x" * 11)
    assert read_bytes(tmp_path / "large", 11) == b"x" * 11
    with pytest.raises(TooLarge):
        read_bytes(tmp_path / "large", 10)
    assert read_bytes(Path(os.devnull)) == b""
    with pytest.raises(NotPlain, match="a folder"):
        read_bytes(tmp_path)


def test_cases_are_plain_files(tmp_path: Path) -> None:
    write_files(tmp_path, {"in/1.txt": "1", "out/1.txt": "2", "secret": "3"})
    assert len(read_cases(tmp_path)) == 1
    (tmp_path / "in" / "2.txt").symlink_to("../secret")
    with pytest.raises(NotPlain, match="a link"):
        read_cases(tmp_path)


READ_BY_GIT = (
    "sub/.gitignore", ".git/config", ".gitignore", ".gitattributes", "sub/.gitattributes", ".git/index", ".git/HEAD",
    ".git/info/exclude",
)  # fmt: skip


def _link_to_a_pipe(path: Path) -> None:
    pipe = Path.cwd() / "a pipe"
    os.mkfifo(pipe)
    path.symlink_to(pipe)


@pytest.mark.parametrize("make", [_pipe, _link_to_a_pipe], ids=["pipe", "link to a pipe"])
@pytest.mark.parametrize("name", rest_in_full(READ_BY_GIT, 2))
def test_git_does_not_wait_for_a_pipe(
    name: str, make: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pipe is named. Git itself follows no link that is named HEAD, .gitignore or .gitattributes."""
    monkeypatch.chdir(tmp_path)
    make_repository(tmp_path, {"mod.py": FUNCTION, "sub/mod.py": FUNCTION})
    (tmp_path / name).unlink(missing_ok=True)
    make(tmp_path / name)
    code = (
        "import sys; from pathlib import Path; from codeopt.review.change import whole_files; "
        "repository, _ = whole_files([Path.cwd()]); repository.attributes(['x'], ['mod.py', 'sub/mod.py'])"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    if make is _pipe or name in (".git/config", ".git/index", ".git/info/exclude"):
        assert f"{name}: it is a named pipe, and git would wait for it" in done.stderr
    else:
        assert ("named pipe" in done.stderr, done.returncode == 0) == (False, name != ".git/HEAD"), done.stderr
