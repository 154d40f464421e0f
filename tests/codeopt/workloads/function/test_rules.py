"""The built-in rules on functions of modules: the calls in the module are not all the calls that there are."""

from __future__ import annotations

from codeopt.rules import Hot, load_rule
from codeopt.workloads.function.view import within

MODULE = """\
def common(a, b):
    out = []
    for x in a:
        if x in b:
            out.append(x)
    return out


def least(values, best):
    for value in values:
        best = min(best, value)
    return best


if __name__ == "__main__":
    print(common([1, 2], [2, 3]), least([1, 2], 3))
"""


def rewritten(name: str, qualname: str) -> str | None:
    (cut,) = within([load_rule(name)], qualname)
    return cut.rewrite(MODULE, Hot())


def test_what_is_known_of_the_calls_in_the_module_alone_is_not_used() -> None:
    assert load_rule("list_membership_to_set").rewrite(MODULE, Hot()) is not None, "as a program it is safe"
    assert rewritten("list_membership_to_set", "common") is None, "others may call it with lists of lists"


def test_only_the_function_changes() -> None:
    new = rewritten("min_max_conditional", "least")
    assert new == MODULE.replace(
        "        best = min(best, value)\n", "        if value < best:\n            best = value\n"
    )
    assert rewritten("min_max_conditional", "common") is None
