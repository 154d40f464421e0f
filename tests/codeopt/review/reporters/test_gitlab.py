"""The code quality report of GitLab."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from codeopt.review.reporters.gitlab import render
from tests.support.reviews import FILES, IN_NEW, NEW, ONE_HUNK, OUTSIDE, review


def text(pattern: str = ".") -> dict[str, Any]:
    return {"type": "string", "pattern": pattern}


CODE_QUALITY = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "additionalProperties": False,
        "properties": {
            "description": text(),
            "check_name": text(),
            "fingerprint": text(),
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "additionalProperties": False,
                "properties": {
                    "path": text(r"^(?!/|\./)."),
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "additionalProperties": False,
                        "properties": {
                            "begin": {"type": "integer", "minimum": 1},
                            "end": {"type": "integer", "minimum": 1},
                        },
                    },
                },
            },
        },
    },
}
"""The table of fields at https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format, written down as a
schema: GitLab publishes none in a package. What its own parser asks for (app/validators/json_schemas/codeclimate.json:
a description, a fingerprint, a severity, a location, of these kinds) is less. `end` is Code Climate's."""


def test_the_report_has_what_gitlab_asks_for() -> None:
    """A fingerprint twice would hide a finding."""
    found = json.loads(render(review(FILES, ONE_HUNK, IN_NEW, OUTSIDE, OUTSIDE)))
    jsonschema.Draft202012Validator(CODE_QUALITY).validate(found)
    assert len({one["fingerprint"] for one in found}) == 4
    assert all(one["location"]["lines"]["begin"] <= one["location"]["lines"]["end"] for one in found)
    at = NEW.split("\n").index("    total = 0") + 1
    assert found[0]["location"] == {"path": "pkg/m.py", "lines": {"begin": at, "end": at + 3}}
    assert render(review(FILES)) == "[]\n"


@pytest.mark.parametrize(
    "wrong",
    [{"severity": "note"}, {"description": None}, {"fingerprint": 7}, {"location": {"path": "./a.py"}}, {"more": 1}],
)
def test_a_report_that_gitlab_would_not_take_is_found(wrong: dict[str, Any]) -> None:
    (good,) = json.loads(render(review(FILES, ONE_HUNK)))
    assert not jsonschema.Draft202012Validator(CODE_QUALITY).is_valid([{**good, **wrong}])
