"""What a run leaves behind: a diff that applies, a file put in place whole, JSON for programs, lines for people.

The fast program comes from a recording, so that each run has one round.
"""
# looks at codeopt/cli/commands/improve, codeopt/cli/output, codeopt/core/program, codeopt/core/screen

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from codeopt.cli.commands.profile import slow_lines
from codeopt.core.program import file_text, read_program, replace_files, replacement, write_whole
from codeopt.core.revision import Revision
from codeopt.core.screen import colour_choice, open_terminal, write_lines
from codeopt.report.result import diff
from codeopt_sandbox.profile import HotLine, Profile
from tests.codeopt.command import (
    FAST,
    NO_FEEDBACK,
    QUICK,
    SLOW,
    Done,
    codeopt,
    command,
    environment,
    reply,
    write_problem,
)
from tests.support.terminal import Shown, on_a_terminal

SCRIPT = ("--model", "scripted:answers.txt", "-n", "1")
COLOUR = re.compile(r"\x1b\[[\d;]*m")
STYLES: dict[str, Callable[[str], str]] = {
    "plain": lambda text: text,
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "no newline at the end": lambda text: text.removesuffix("\n"),
    "CRLF, none at the end": lambda text: text.replace("\n", "\r\n").removesuffix("\r\n"),
    "byte order mark": lambda text: "\ufeff" + text,
    "form feed": lambda text: text + "\f\n# The end.\n",
}


def improve(folder: Path, *arguments: str, style: str = "plain", **env: str) -> Done:
    """One run that accepts the fast program."""
    prepare(folder, style)
    return codeopt("improve", "slow.py", *SCRIPT, *QUICK, *arguments, cwd=folder, env={**NO_FEEDBACK, **env})


def prepare(folder: Path, style: str = "plain") -> Path:
    path = write_problem(folder, words=2000)
    path.write_bytes(STYLES[style](SLOW).encode())
    (folder / "answers.txt").write_text(reply(FAST, "a set"))
    return path


def run_fast(folder: Path) -> None:
    """The file is now the fast program, and still right."""
    path = folder / "slow.py"
    assert "set(words)" in path.read_text()
    given, expected = (folder / "input.1.txt").read_bytes(), (folder / "output.1.txt").read_bytes()
    assert subprocess.check_output(["python3", path], input=given) == expected


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("tool", [["git", "apply", "-"], ["patch", "-p1", "--binary"]], ids=["git apply", "patch"])
def test_the_diff_applies(style: str, tool: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To every kind of file, which keeps its kind."""
    program = read_program(prepare(tmp_path, style))
    monkeypatch.chdir(tmp_path)
    subprocess.run(tool, cwd=tmp_path, input=diff(program, Revision.of(FAST)).encode(), check=True)
    assert (tmp_path / "slow.py").read_bytes() == file_text(FAST, program.text).encode()
    assert ("\r\n" in file_text(FAST, program.text)) == ("CRLF" in style)
    run_fast(tmp_path)


def test_nothing_accepted_is_an_empty_output(tmp_path: Path) -> None:
    prepare(tmp_path)
    (tmp_path / "answers.txt").write_text("I have no idea.")
    done = codeopt("improve", "slow.py", *SCRIPT, *QUICK, "--write", "-v", cwd=tmp_path, env=NO_FEEDBACK)
    assert (done.status, done.out) == (6, "")
    assert (tmp_path / "slow.py").read_text() == SLOW
    assert not (tmp_path / "slow.py.orig").exists()


@pytest.mark.full
def test_the_object_for_programs(tmp_path: Path) -> None:
    """Its fields are in the rows of the engine's `test_same_run`."""
    done = improve(tmp_path, "--json", "--html", "page.html")
    result = done.json
    assert f"saved in {result['run']}</footer>" in (tmp_path / "page.html").read_text()
    speedup = result["speedup"]
    assert speedup["ci_low"] <= speedup["ratio"] <= speedup["ci_high"]
    assert json.loads((tmp_path / result["run"] / "result.json").read_text()) == result


@pytest.mark.parametrize("style", ["CRLF", "byte order mark"])
def test_write_keeps_the_kind_of_file(style: str, tmp_path: Path) -> None:
    replace_files(read_program(prepare(tmp_path, style)), Revision.of(FAST))
    assert (tmp_path / "slow.py").read_bytes() == STYLES[style](FAST).encode()
    assert (tmp_path / "slow.py.orig").read_bytes() == STYLES[style](SLOW).encode()


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    prepare(tmp_path).rename(tmp_path / "real.py")
    (tmp_path / "slow.py").symlink_to("real.py")
    replacement(read_program(tmp_path / "slow.py"), FAST).write()
    assert (tmp_path / "slow.py").is_symlink()
    run_fast(tmp_path)


def test_what_is_no_file_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    """A device (`-o /dev/null`) or a pipe: root could put a file in its place."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(pipe, FAST)
        assert os.read(reader, 1 << 16).decode() == FAST
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_a_link_to_the_output_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.py").write_text(SLOW)
    (tmp_path / "link.py").symlink_to("real.py")
    write_whole(tmp_path / "link.py", FAST)
    assert (tmp_path / "link.py").is_symlink()
    assert (tmp_path / "real.py").read_text() == FAST


@pytest.mark.parametrize(
    ("streams", "status"), [(">&-", 0), (">&- 2>&- <&-", 0), (">/dev/full", 2)], ids=["closed", "all closed", "full"]
)
def test_streams_that_take_nothing(streams: str, status: int, tmp_path: Path) -> None:
    """One line at most, and no mistake of ours: nor a file of one in the temporary folder."""
    (tmp_path / "temporary").mkdir()
    given = {**environment(), "TMPDIR": str(tmp_path / "temporary")}
    line = f'"$0" -m codeopt improve --list-rules {streams}'
    done = subprocess.run(["bash", "-c", line, sys.executable], cwd=tmp_path, env=given, capture_output=True)
    assert done.returncode == status, done.stderr
    assert list((tmp_path / "temporary").glob("codeopt-error-*")) == []
    assert done.stderr.decode() in ("", "error: cannot write: No space left on device\n")


def test_names_in_the_diff_are_below_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a file elsewhere the diff names the file alone, to be applied in its folder."""
    prepare(tmp_path / "sub" / "deep")
    (tmp_path / "other").mkdir()
    for cwd, target, name in (
        (tmp_path, tmp_path / "sub/deep/slow.py", "sub/deep/slow.py"),
        (tmp_path / "other", Path("../sub/deep/slow.py"), "slow.py"),
    ):
        monkeypatch.chdir(cwd)
        assert diff(read_program(target), Revision.of(FAST)).startswith(f"--- a/{name}\n+++ b/{name}\n")


LIVE = re.compile(r"  \d:\d\d( \(\d+:\d\d left\))?  ")
"""Beginning of the live lines."""


def test_ctrl_c_leaves_a_clean_screen(tmp_path: Path) -> None:
    prepare(tmp_path)
    (tmp_path / "slow.py").write_text("import time\ntime.sleep(3)\n" + SLOW)
    shown = run_on_a_terminal(tmp_path, 80, interrupt=lambda screen: any("› original" in row for row in screen))
    assert shown.status == 130
    assert shown.cursor
    assert not [row for row in shown.lines if LIVE.match(row) or "Traceback" in row]


@pytest.mark.parametrize(
    ("flags", "env", "coloured"),
    [((), {}, False), (("--color", "always"), {}, True), (("--color", "always"), {"NO_COLOR": "1"}, True),
     (("--color", "never"), {"FORCE_COLOR": "1"}, False)],
)  # fmt: skip
def test_the_flag_goes_before_the_variables(
    flags: tuple[str, ...], env: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    before = dict(os.environ)
    stream = io.StringIO()
    with colour_choice(flags[1] if flags else None):  # type: ignore[arg-type]
        write_lines("accepted   4.00x faster", open_terminal(stream))
    assert bool(COLOUR.search(stream.getvalue())) is coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", stream.getvalue()) == "accepted   4.00x faster\n"
    assert dict(os.environ) == before


def run_on_a_terminal(
    folder: Path, columns: int, interrupt: Callable[[list[str]], bool] = lambda screen: False, **env: str
) -> Shown:
    line = command("improve", "slow.py", *SCRIPT, *QUICK)
    return on_a_terminal(
        line, folder, environment(**{"TERM": "xterm-256color", **NO_FEEDBACK, **env}), columns, interrupt
    )


def test_the_time_of_a_call_has_the_unit_that_fits() -> None:
    lines = (HotLine(8, 0.9, 1, 0.2842, "wait()"), HotLine(4, 0.1, 600_000, 0.03, "pass " * 12))
    _, *rows = slow_lines(Profile("c", lines, (), None, None, None, None, None, (), ()), 5, source="")
    assert [" ".join(row.split()[2:4]) for row in rows] == ["0.28 s", "50 ns"]
    assert max(map(len, rows)) == 80  # no terminal breaks a row
