"""What a user may ask for is one frozen value, whoever fills it."""

from __future__ import annotations

import argparse
import pickle
from dataclasses import FrozenInstanceError, fields
from pathlib import Path
from typing import Any

import pytest

from codeopt.cli.commands import improve as command
from codeopt.cli.flags import options_of
from codeopt.core.errors import UsageError
from codeopt.core.options import FuzzPolicy, ImproveOptions, options_table

OF_THE_COMMAND = {
    "list_rules",
    "list_tasks",
    "branch",
    "html",
    "verbose",
    "color",
    "max_functions",
    "help",
    "target",
    "module",
    "write",
    "output",
    "json",
    "quiet",
}
"""Flags about where a result goes, and which targets there are; all others are fields."""


def parse(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return parser.parse_args(["slow.py", *words])


def test_each_flag_is_a_field_with_the_same_default() -> None:
    found = vars(parse())
    named = {field.name for field in fields(ImproveOptions)}
    assert set(found) - OF_THE_COMMAND <= named
    settings = {row.name for row in options_table().values() if not row.has_flag}
    assert named - set(found) == {"args", *settings}  # `args` stands behind `--`
    assert options_of(parse()) == ImproveOptions()


def test_flags_and_keywords_make_the_same_value() -> None:
    words = ["--model", "rules", "--select", "counter, row_hoist", "--tests", "a", "--tests", "b", "--max-rounds", "2"]
    by_flags = options_of(parse(*words, "--mutated-inputs", "off", "--no-profile"))
    by_keywords = ImproveOptions.of(
        {"model": "rules", "select": ["counter", "row_hoist"], "tests": ["a", "b"], "max_rounds": 2,
         "mutated_inputs": "off", "no_profile": True}
    )  # fmt: skip
    assert by_flags == by_keywords
    assert by_keywords.tests == (Path("a"), Path("b"))
    assert by_keywords.mutated_inputs is FuzzPolicy.OFF


def test_it_goes_to_other_processes_and_never_changes() -> None:
    found = ImproveOptions(max_rounds=3)
    assert pickle.loads(pickle.dumps(found)) == found
    with pytest.raises(FrozenInstanceError):
        found.max_rounds = 4  # type: ignore[misc]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"max_rounds": 0}, "--max-rounds: 0 is not a whole number above zero"),
        ({"max_rounds": 1.5}, "--max-rounds: 1.5 is not a whole number above zero"),
        ({"timeout": -1}, "--timeout: -1 is not a number above zero"),
        ({"check": "near"}, "--check: there is no checker 'near'"),
        ({"metric": "sun"}, "--metric: 'sun' is not one of auto, cpu, wall"),
        ({"sandbox": "sand"}, "--sandbox: 'sand' is not one of auto, isolated"),
        ({"mutated_inputs": "some"}, "--mutated-inputs: "),
        ({"cases": 7}, "--cases: "),
    ],
)
def test_a_value_that_makes_no_sense_is_one_line(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        ImproveOptions.of(given)
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


def test_a_keyword_that_does_not_exist_names_those_that_do() -> None:
    with pytest.raises(TypeError, match=r"no keyword 'colour'; there are: api_key_env, args, base_url"):
        ImproveOptions.of({"colour": "red"})


@pytest.mark.parametrize(("check", "tolerance"), [("tokens", 0.0), ("exact", 0.0), ("float:1e-6", 1e-6)])
def test_a_tolerance_is_part_of_how_outputs_are_compared(check: str, tolerance: float) -> None:
    assert ImproveOptions(check=check).tolerance == tolerance
