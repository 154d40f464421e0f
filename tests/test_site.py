"""The site: what a stranger meets first, and what mkdocs.yml has to say for it to work."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.documents import README, ROOT, blocks
from tests.support.site_walk import flags_of, lost_flags

DOCS = ROOT / "docs"
HOME = DOCS / "index.md"
START = sorted((DOCS / "start").glob("*.md"))
ALL_FLAGS = "flags.md#all-flags"


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


@pytest.mark.parametrize(
    "task", ["start/script", "start/function", "start/project", "start/ci", "start/agent", "batch"]
)
def test_each_task_has_a_short_page_that_the_home_page_leads_to(task: str) -> None:
    text = (DOCS / f"{task}.md").read_text("utf-8")
    assert len(text.splitlines()) <= 40
    assert "```sh" in text
    assert f"({task}.md)" in HOME.read_text("utf-8")
    assert f"{task}.md" in list(pages(CONFIG["nav"]))


def test_every_flag_is_two_clicks_away() -> None:
    """One click leads to the index of all flags, from the home page; and the navigation names its page. (.ci/docs walks
    the links of the built site.)"""
    assert ALL_FLAGS in HOME.read_text("utf-8")
    assert "flags.md" in list(pages(CONFIG["nav"]))
    text, flags = (DOCS / "flags.md").read_text("utf-8"), flags_of(DOCS / "flags.md")
    assert len(flags) > 70
    for flag in flags:
        name = f"flag-{flag.removeprefix('--')}"
        assert text.count(f"[`{flag}`](#{name})") == text.count(f'<a id="{name}"></a>') == 1, flag


def test_a_lost_flag_would_be_seen(tmp_path: Path) -> None:
    (tmp_path / "flags").mkdir()
    (tmp_path / "index.html").write_text('<a href="flags/#all">flags</a><a href="elsewhere.html">gone</a>')
    for name, link in (("one", "#flag-one"), ("two", "#flag-two"), ("three", "#flag-3")):
        old = (tmp_path / "flags" / "index.html").read_text() if name != "one" else ""
        (tmp_path / "flags" / "index.html").write_text(f'{old}<a href="{link}">x</a><p id="flag-{name}">')
    assert lost_flags(tmp_path, ["--one", "--two", "--three", "--four"]) == ["--three", "--four"]


REFERENCE = [DOCS / "python.md", DOCS / "extend" / "api-plug-ins.md"]
PUBLIC = ("codeopt", "codeopt_sandbox", "codeopt.tasks", "codeopt.rules", "codeopt.analysis", "codeopt.selfrefine",
          "codeopt.engine.guards")  # fmt: skip
IMPORTED = re.compile(r"^\s*from (codeopt[\w.]*) import ([\w, ]+)$", re.M)


def named(name: str) -> Any:
    """The object with a dotted name, or the module of that name."""
    module, _, last = name.rpartition(".")
    try:
        return getattr(import_module(module), last)
    except AttributeError:
        return import_module(name)


def shown() -> list[Any]:
    """Everything that a page of the reference shows."""
    found = []
    for page in REFERENCE:
        for name, members in re.findall(
            r"^::: (\S+)\n(?:    options:\n      members: \[(.*)\])?", page.read_text("utf-8"), re.M
        ):
            found += [named(f"{name}.{each}") for each in members.split(", ")] if members else [named(name)]
    return found


@pytest.mark.parametrize("module", PUBLIC)
def test_the_reference_has_every_public_function_and_class(module: str) -> None:
    public = {name: getattr(import_module(module), name) for name in import_module(module).__all__}
    code = {name: found for name, found in public.items() if inspect.isclass(found) or inspect.isfunction(found)}
    assert code
    assert [name for name, found in code.items() if found not in shown()] == []
    assert [name for name, found in code.items() if not (found.__doc__ or "").strip()] == []


def test_the_reference_has_what_the_documents_import() -> None:
    texts = [page.read_text("utf-8") for page in (*DOCS.rglob("*.md"), README)]
    found = {(module, name.strip()) for text in texts for module, names in IMPORTED.findall(text)
             for name in names.split(",")}  # fmt: skip
    assert len(found) > 20
    known = shown()
    assert [pair for pair in sorted(found) if getattr(import_module(pair[0]), pair[1]) not in known] == []
