"""The pages as those meet them who hear them, or read them on a phone: axe finds nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from codeopt.batch.batch_folder import BatchFolder
from codeopt.batch.results.metrics import measure_batch, versus
from codeopt.batch.results.page import page
from codeopt.core.run_index import open_run
from codeopt.report.answer_fields import read
from codeopt.report.answers import FindingFields
from codeopt.report.html.findings_page import findings_page
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
    """By name: of a batch, of a run, of profiles, of findings."""
    found = measure_batch(store)
    pieces = {
        "batch": page(store, found, versus(found, found)),
        "run": run_page(open_run("aaaa", home)),
        "command": command_page("python m.py", command_profile(), {"m.py": SHOWN}, "python", ()),
        "profile": profile_page("slow.py", profile(notes=("a note",)), SLOW, "python 3.11"),
        "findings": findings_page(
            "shop", [finding(), finding(accepted=False, current=False, stale_reason="the code", diff="")]
        ),
    }
    return {name: "".join(parts) for name, parts in pieces.items()}


def finding(**changed: Any) -> FindingFields:
    """A verdict as the store has it."""
    fields = {
        "path": "shop/orders.py", "function": "unpaid", "task": "runtime", "author": "rules", "accepted": True,
        "reason": "round 1: a set", "changes": ["a set finds it at once"], "share": 0.99,
        "speedup": {
            "ratio": 173.08, "ci_low": 98.07, "ci_high": 293.19, "pairs": 9, "confidence": 0.95, "metric": "cpu",
            "method": "pairs", "sandbox_instances": 2,
            "cases": [{"case": "timed", "ratio": 173.46, "before": 1.7346, "after": 0.01}],
        },
        "caveats": [], "seconds": 92.5, "command": "check",
        "machine": {"cpu": "a processor", "cores": 2, "system": "Linux", "python": "CPython 3.11"},
        "verified_at": "2026-11-25T21:44:42+00:00", "current": True, "stale_reason": "",
        "diff": "--- a/shop/orders.py\n+++ b/shop/orders.py\n@@ -1 +1 @@\n-    old = 1\n+    new = 1\n",
    }  # fmt: skip
    return read(FindingFields, {**fields, **changed})


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


def test_a_mistake_would_be_found(pages: dict[str, str], axe: str, tmp_path: Path) -> None:
    spoilt = pages["profile"].replace("</main>", "<p style='color:#999;background:#aaa'>pale</p><img src=''></main>")
    names = {each[1] for each in ask_axe(spoilt, WIDE, axe, tmp_path)["violations"]}
    assert {"color-contrast", "image-alt"} <= names
