"""The site: what a stranger meets first, and what mkdocs.yml has to say for it to work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.support.documents import README, ROOT, blocks

DOCS = ROOT / "docs"
HOME = DOCS / "index.md"
START = sorted((DOCS / "start").glob("*.md"))
ALL_FLAGS = "configuration.md#all-flags"


class Loader(yaml.SafeLoader):
    """Reads mkdocs.yml."""


CONFIG: dict[str, Any] = yaml.load((ROOT / "mkdocs.yml").read_text("utf-8"), Loader)  # noqa: S506  a safe loader


def pages(entries: Any) -> Iterator[str]:
    """Paths of the navigation."""
    if isinstance(entries, str):
        yield entries
    for entry in entries if isinstance(entries, list) else entries.values() if isinstance(entries, dict) else ():
        yield from pages(entry)


def test_the_home_page_has_the_demonstration_of_the_readme() -> None:
    demonstration = next(iter(blocks(README))).text
    assert demonstration.startswith("$ codeopt improve")
    assert len(demonstration.splitlines()) == 12
    assert demonstration in [block.text for block in blocks(HOME)]


def test_the_home_page_has_a_picture_for_each_scheme() -> None:
    found = re.findall(r"!\[[^]]+\]\((assets/[\w-]+\.png)#only-(light|dark)\)", HOME.read_text("utf-8"))
    assert {scheme for _, scheme in found} == {"light", "dark"}
    for file, _ in found:
        assert (DOCS / file).read_bytes()[:4] == b"\x89PNG"


def test_each_scheme_can_be_reached() -> None:
    """The theme applies a scheme by its button: one without is never applied."""
    palette = CONFIG["theme"]["palette"]
    assert all(each["toggle"]["name"] for each in palette)
    media = {each["media"]: each.get("scheme") for each in palette}
    assert media["(prefers-color-scheme: dark)"] == "slate"
    assert "(prefers-color-scheme)" in media


@pytest.mark.parametrize("task", ["script", "function", "project", "ci", "agent", "problem-set"])
def test_each_task_has_a_short_page_that_the_home_page_leads_to(task: str) -> None:
    text = (DOCS / "start" / f"{task}.md").read_text("utf-8")
    assert len(text.splitlines()) <= 40
    assert "```sh" in text
    assert f"(start/{task}.md)" in HOME.read_text("utf-8")
    assert f"start/{task}.md" in list(pages(CONFIG["nav"]))


def test_every_flag_is_two_clicks_away() -> None:
    """One click leads to the table of all flags, from the home page; and the navigation names its page."""
    assert ALL_FLAGS in HOME.read_text("utf-8")
    assert {"Flags and settings": "configuration.md"} in CONFIG["nav"]


def test_the_reference_names_what_can_be_imported() -> None:
    from importlib import import_module

    names = re.findall(r"^::: (\S+)$", (DOCS / "api.md").read_text("utf-8"), re.M)
    assert len(names) >= 5
    for name in names:
        module, _, last = name.rpartition(".")
        assert hasattr(import_module(module), last), name
