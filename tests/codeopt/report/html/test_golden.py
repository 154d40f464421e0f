"""Pages are the same, tag by tag, as they were when each was built by nested calls."""

from __future__ import annotations

import re
from html import unescape
from importlib.resources import files
from pathlib import Path

import pytest

from codeopt.core.run_index import open_run
from codeopt.report.html.profile_page import profile_page
from codeopt.report.html.run_page import run_page
from codeopt.report.stacks import Frame
from codeopt.workloads.project.page import command_page
from codeopt.workloads.project.profile import FunctionTime, LibraryTime, LineTime, ProjectProfile, Sample
from codeopt_sandbox.profile import HotFunction, HotLine, LineSplit, MemoryLine, Profile
from tests.codeopt.core.test_run_index import HOSTILE, home

__all__ = ["home"]
SCRIPT = files("codeopt.report.html").joinpath("page.js").read_text("utf-8")
GOLDEN = Path(__file__).parent / "golden"
LINES = (HotLine(2, 0.9, 10, 1.5, "b"), HotLine(1, 0.1, 10, 0.1, "a"))
FULL = Profile(
    f"c{HOSTILE}", LINES, (HotFunction(f"f{HOSTILE}", 1, 0.5, 1234),), 0.5, None, 0.25, 12.5, 3.0,
    (MemoryLine(2, 1.5, -0.5),), (f"note {HOSTILE}",), (), (LineSplit(1, 0.125, 0.0), LineSplit(2, 0.25, 0.625)),
)  # fmt: skip
BARE = Profile("0", (), (), None, None, None, None, None, (), ())
SOURCE = f"a = 1\nb = {HOSTILE!r}\n"


def tags(page: str) -> str:
    """A line for each tag and text between two, without the style sheet and what is of this machine."""
    page = page.replace(f"<script>{SCRIPT}</script>", "", 1)  # of any other each tag is in the golden file
    page = re.sub(r"<style>.*?</style>|(?<=script-src ')sha256-[^']*|<footer>.*?</footer>", "", page, flags=re.DOTALL)
    parts = (re.sub(r"\s*/?>$", ">", part) if part[:1] == "<" else part for part in re.split(r"(<[^>]+>)", page))
    return "".join(f"{unescape(part)}\n" for part in parts if part.strip())


def command_profile() -> ProjectProfile:
    """Functions, a tree, lines and libraries."""
    functions = (
        FunctionTime("m.py", "slow", 1, 0.6, 0.7, 0.1, 1200),
        FunctionTime(f"n{HOSTILE}.py", "other", 3, 0.2, 0.3, 0.0, None),
    )
    spots = (Frame("<module>", "m.py", 1), Frame("slow", "m.py", 1))
    samples = (Sample(spots, 2, "", False, 1.5), Sample(spots[:1], 1, "", False, 0.5))
    return ProjectProfile(
        2.5, 2.0, functions, (LineTime("m.py", 2, 0.4),), (LibraryTime(f"json{HOSTILE}", "m.py", 2, 0.2),),
        (LibraryTime("re", "", 0, 0.1),), 0.05, 0.1, samples, (), (f"n {HOSTILE}",),
    )  # fmt: skip


def pages(name: str, home: Path) -> str:
    if name.startswith("run"):
        return "".join(run_page(open_run(name[-4:], home))).replace(str(home.parent), "HERE")
    if name == "command":
        shown = {"m.py": b"def slow():\n    return 1\n"}
        return "".join(command_page(f"python m.py {HOSTILE}", command_profile(), shown, "python X", (HOSTILE,)))
    return "".join(profile_page(f"t{HOSTILE}", FULL if name == "profile" else BARE, SOURCE, f"python {HOSTILE}"))


@pytest.mark.parametrize("name", ["run-aaaa", "run-bbbb", "run-cccc", "profile", "bare", "command"])
def test_a_page_is_as_it_was(name: str, home: Path) -> None:
    assert tags(pages(name, home)) == (GOLDEN / f"{name}.txt").read_text()
