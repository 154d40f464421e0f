"""Asks axe-core, in a headless Chromium, what of a page somebody cannot see, hear or reach."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pytest

BROWSER = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
PACKAGE = "axe-core@4.14.1"
NARROW, WIDE = 390, 1280
"""Pixels: a phone and a laptop."""
_RUN = """
document.querySelectorAll("details").forEach(each => { each.open = true });
axe.run(document, {resultTypes: ["violations"]}).then(found => {
  parent.postMessage(JSON.stringify({
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
    wide: document.documentElement.scrollWidth, seen: window.innerWidth,
    passes: found.passes.length, violations: found.violations.map(each => [
      each.impact, each.id, each.nodes.slice(0, 3).map(node => node.html.slice(0, 200) + " " + node.failureSummary)])
  }), "*");
});
"""
_FRAME = """<!doctype html><iframe src="{page}" style="width:{width}px;height:2000px;border:0"></iframe>
<script>onmessage = told => {{
  const kept = document.createElement("pre"); kept.id = "axe"; kept.textContent = told.data; document.body.append(kept);
}}</script>
"""


@cache
def axe_source(folder: Path) -> str:
    """The program; a test is skipped where npm cannot bring it."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("no npm here, which brings axe-core")
    command = [npm, "install", "--silent", "--no-fund", "--no-audit", "--prefix", str(folder), PACKAGE]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        pytest.skip(f"npm did not bring {PACKAGE} within 120 s")
    file = folder / "node_modules" / "axe-core" / "axe.min.js"
    if done.returncode or not file.exists():
        pytest.skip(f"npm does not bring {PACKAGE}: {done.stderr.strip()[-200:]}")
    return file.read_text("utf-8")


def ask_axe(page: str, width: int, axe: str, folder: Path, *, dark: bool = False) -> dict[str, Any]:
    """What it says of a page with all that opens opened, and how wide the page is. Its ban on scripts is lifted."""
    assert BROWSER is not None
    allowed = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    assert allowed != page
    (folder / "page.html").write_text(
        allowed.replace("</body>", f"<script>{axe}</script><script>{_RUN}</script></body>"), "utf-8"
    )
    file = folder / "frame.html"  # a window of Chromium is never narrower than 500 pixels
    file.write_text(_FRAME.format(page="page.html", width=width), "utf-8")
    command = [
        BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={WIDE + 100},2100",
        f"--user-data-dir={folder / 'browser'}", "--virtual-time-budget=20000", "--dump-dom",
        f"--blink-settings=preferredColorScheme={0 if dark else 1}", file.as_uri(),
    ]  # fmt: skip
    shown = subprocess.run(command, check=True, capture_output=True, timeout=240, text=True).stdout
    told = re.search(r'<pre id="axe">(.*?)</pre>', shown, re.DOTALL)
    assert told, "axe has not ended"
    found: dict[str, Any] = json.loads(unescape(told.group(1)))
    return found
