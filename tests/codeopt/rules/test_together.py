"""Rules that fire alone fire together too, and where the module itself calls the function that they are about."""

from __future__ import annotations

import pytest

from codeopt.core.revision import Revision
from codeopt.proposers.rules import stack
from codeopt.rules import Hot, HotFiles, load_rule, select_rules
from codeopt.workloads.function.view import function_rules
from tests.codeopt.rules.programs import output

HINTED = """\
def places(names: list[str], asked: list[str]) -> list[int]:
    out = []
    for name in asked:
        if name in names:
            out.append(names.count(name))
    return out


def counts(words: list[str]) -> dict[str, int]:
    return {word: words.count(word) for word in sorted(set(words))}
"""
CALL = """

if __name__ == "__main__":
    print(places(input().split(), ["b", "z", "a"]), counts(["a", "b", "a"]))
"""


@pytest.mark.parametrize("tail", ["", CALL], ids=["not called", "called by its module"])
@pytest.mark.parametrize(
    ("name", "expected"), [("places", {"counter", "list_membership_to_set"}), ("counts", {"counter"})]
)
def test_a_call_in_the_module_takes_nothing_away_from_type_hints(name: str, expected: set[str], tail: str) -> None:
    revision, used = stack(Revision.of(HINTED + tail), HotFiles(), function_rules(select_rules(), name))
    new = revision.text
    assert {one.name for one in used} == expected
    assert output(new, "a b c a\n") == output(HINTED + tail, "a b c a\n")


@pytest.mark.parametrize(
    "keep",
    [
        "KEPT.append(words)",
        "keep(words)",
        "imported_by_others(words)",
    ],
)
def test_what_others_hold_without_a_hint_may_hold_anything(keep: str) -> None:
    """A list that is given to a function with a hint, and to code that has none."""
    source = (
        "import elsewhere\nfrom elsewhere import imported_by_others\n\nKEPT = elsewhere.KEPT\n\n\n"
        "@elsewhere.wrapped\ndef keep(words):\n    return words\n\n\n"
        "def f(words: list[str]) -> list[int]:\n    return [words.count(w) for w in words]\n\n\n"
        f"words = input().split()\n{keep}\nprint(f(words))\nimported_by_others(f)\n"
    )
    assert load_rule("counter").rewrite(source, Hot()) is None
    assert load_rule("counter").rewrite(source.replace(f"{keep}\n", ""), Hot()) is not None
