"""The HTML page: whole by itself, hostile text harmless, and looked at in a real headless browser."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from codeopt.batch.batch_folder import BatchFolder
from codeopt.batch.results.metrics import measure_batch, versus
from codeopt.batch.results.page import page
from codeopt.report.html.charts import anchor
from codeopt.report.html.templating import join, tag
from tests.support.filled_batch import HOSTILE


@pytest.fixture
def html(store: BatchFolder) -> str:
    found = measure_batch(store)
    return "".join(page(store, found, versus(found, found)))


class Outline(HTMLParser):
    """Which elements there are, with what attributes, and whether they nest."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def outline(html: str) -> Outline:
    parser = Outline()
    parser.feed(html)
    parser.close()
    return parser


def test_text_is_escaped_and_what_steers_is_made_visible() -> None:
    assert join("<b>&", "\x1b", "\u202e") == "&lt;b&gt;&amp;\\x1b\\u202e"
    assert tag("a", "x", href='"><script>') == '<a href="&quot;&gt;&lt;script&gt;">x</a>'
    assert tag("p", ["a", tag("b", "c"), None]) == "<p>a<b>c</b></p>"


def test_the_page_is_well_formed_and_alone(html: str) -> None:
    found = outline(html)
    assert found.open == []
    names = {name for name, _ in found.elements}
    assert [attributes for name, attributes in found.elements if name == "script"] == [{}]  # our own, in the page
    assert not names & {"img", "link", "iframe", "object", "embed"}
    for name, attributes in found.elements:
        assert not any(key.startswith("on") for key in attributes), (name, attributes)
        assert (attributes.get("href") or "#").startswith("#")
    assert "url(" not in html
    assert "@import" not in html


def test_links_of_the_charts_lead_to_a_problem(html: str) -> None:
    found = outline(html)
    ids = {attributes.get("id") for _, attributes in found.elements}
    links = {attributes["href"] for name, attributes in found.elements if name == "a"}
    assert links
    assert {str(link)[1:] for link in links} <= ids
    assert re.fullmatch(r"p-[a-z0-9_]+", anchor(HOSTILE.lower()))


def test_one_problem_alone(tmp_path: Path) -> None:
    from tests.support.filled_batch import problem

    store = BatchFolder(tmp_path, create=True)
    store.register([problem("only")])
    assert outline("".join(page(store, measure_batch(store)))).open == []
