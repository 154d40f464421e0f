"""The pages as those meet them who hear them, or read them on a phone: axe finds nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.batch.batch_folder import BatchFolder
from codeopt.batch.results.metrics import measure_batch, versus
from codeopt.batch.results.page import page
from codeopt.core.run_index import open_run
from codeopt.report.html.profile_page import profile_page
from codeopt.report.html.run_page import run_page
from codeopt.workloads.project.page import command_page
from tests.codeopt.core.test_run_index import home as home
from tests.codeopt.report.html.test_golden import command_profile
from tests.support.axe import BROWSER, NARROW, WIDE, ask_axe, axe_source
from tests.support.candidates import SLOW, profile

SHOWN = b"def slow():\n    return 1\n"
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium here")


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    return axe_source(tmp_path_factory.mktemp("axe"))


@pytest.fixture
def pages(store: BatchFolder, home: Path) -> dict[str, str]:
    """By name: of a batch, of a run, of profiles."""
    found = measure_batch(store)
    pieces = {
        "batch": page(store, found, versus(found, found)),
        "run": run_page(open_run("aaaa", home)),
        "command": command_page("python m.py", command_profile(), {"m.py": SHOWN}, "python", ()),
        "profile": profile_page("slow.py", profile(notes=("a note",)), SLOW, "python 3.11"),
    }
    return {name: "".join(parts) for name, parts in pieces.items()}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_nothing_is_found_and_no_page_is_wider_than_its_window(
    pages: dict[str, str], width: int, dark: bool, axe: str, tmp_path: Path
) -> None:
    for name, text in pages.items():
        found = ask_axe(text, width, axe, tmp_path, dark=dark)
        assert (name, found["violations"]) == (name, [])
        assert found["dark"] == dark
        assert found["seen"] == width
        assert (name, found["wide"] <= found["seen"]) == (name, True), found["wide"]
