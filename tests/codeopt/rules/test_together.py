"""Rules that fire alone fire together too, and where the module itself calls the function that they are about."""

from __future__ import annotations

import pytest

from codeopt.core.revision import Revision
from codeopt.proposers.rules import stack
from codeopt.rules import Hot, HotFiles, load_rule, select_rules
from codeopt.workloads.function.view import function_rules
from tests.codeopt.rules.programs import output

GROWING = """\
words = input().split()
seen = []
for w in words:
    if w not in seen:
        seen.append(w)
print([seen.index(w) for w in words])
"""
HINTED = """\
def places(names: list[str], asked: list[str]) -> list[int]:
    out = []
    for name in asked:
        if name in names:
            out.append(names.index(name))
    return out


def counts(words: list[str]) -> dict[str, int]:
    return {word: words.count(word) for word in sorted(set(words))}
"""
CALL = """

if __name__ == "__main__":
    print(places(input().split(), ["b", "z", "a"]), counts(["a", "b", "a"]))
"""


def test_a_list_that_is_asked_by_in_and_by_index() -> None:
    for order in (("index_to_dict", "list_membership_to_set"), ("list_membership_to_set", "index_to_dict")):
        revision, used = stack(Revision.of(GROWING), HotFiles(), map(load_rule, order))
        new = revision.text
        assert {one.name for one in used} == set(order)
        assert "not in seen_set" in new
        assert "seen_index[w]" in new
        for stdin in ("a b a c b\n", "\n"):
            assert output(new, stdin) == output(GROWING, stdin)


@pytest.mark.parametrize("tail", ["", CALL], ids=["not called", "called by its module"])
@pytest.mark.parametrize(
    ("name", "expected"), [("places", {"index_to_dict", "list_membership_to_set"}), ("counts", {"counter"})]
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
