"""What an answer changes of classes and modules outside of functions."""

from __future__ import annotations

import pytest

from codeopt.core.revision import Revision
from codeopt.workloads.project.proposer import apply_answer, now_unused
from codeopt.workloads.source.functions import SpliceError

BOOK = '''import json


class Row:
    """One row.

    With a price.
    """

    limit = 3
    name: str = ""

    def __init__(self, price):
        self.price = price

    def half(self):
        return self.price / 2

    class Kind:
        size = 1


if json:
    READ = json.loads


def total(rows):
    return sum(row.price for row in rows)
'''


def answered(part: str) -> str:
    return apply_answer(Revision({"book.py": BOOK, "a.py": "A = 1\n"}), f"# === file: book.py ===\n{part}")["book.py"]


@pytest.mark.parametrize(
    ("part", "old", "new"),
    [
        ("class Row:\n    limit = 4\n", "    limit = 3\n", "    limit = 4\n"),
        ('class Row:\n    name: str = "x"\n', '    name: str = ""\n', '    name: str = "x"\n'),
        (
            'class Row:\n    __slots__ = ("price",)\n    def half(self):\n        return self.price * 0.5\n',
            '    name: str = ""\n\n',
            '    name: str = ""\n\n    __slots__ = ("price",)\n\n',
        ),
        (
            "class Row:\n    __float__ = half\n",
            "        size = 1\n",
            "        size = 1\n    __float__ = half\n",
        ),
        ("class Row(dict):\n    limit = 3\n", "class Row:\n", "class Row(dict):\n"),
        ("@json.hook\nclass Row:\n    limit = 3\n", "class Row:\n", "@json.hook\nclass Row:\n"),
        ("class Row:\n    class Kind:\n        size = 2\n", "        size = 1\n", "        size = 2\n"),
        ("if json:\n    READ = json.loads\n", "", ""),
        ('class Row:\n    """Another."""\n    pass\n', "", ""),
        ('if __name__ == "__main__":\n    total([])\n', "", ""),
        (
            "for n in range(3):\n    json.add(n)\n",
            "import json\n",
            "import json\n\nfor n in range(3):\n    json.add(n)\n",
        ),
    ],
)
def test_lines_outside_of_functions_are_changed(part: str, old: str, new: str) -> None:
    found, expected = answered(part), BOOK.replace(old, new, 1)
    if "half(self)" in part:
        expected = expected.replace("self.price / 2", "self.price * 0.5")
    assert found == expected


def test_a_block_that_binds_what_another_one_binds_is_refused_with_the_way_to_change_it() -> None:
    with pytest.raises(SpliceError, match="READ is bound in a block outside of functions; .* SEARCH block"):
        answered("if json is not None:\n    READ = json.load\n")


def test_bases_decorators_and_fields_that_an_answer_leaves_out_stay() -> None:
    text = BOOK.replace("class Row:", "@json.hook\nclass Row(dict):")
    part = "# === file: book.py ===\nclass Row:\n    def half(self):\n        return 1\n"
    assert apply_answer(Revision({"book.py": text}), part)["book.py"] == text.replace("self.price / 2", "1")


def test_functions_around_search_blocks_are_taken_and_prose_is_not() -> None:
    block = "<<<<<<< SEARCH\n    limit = 3\n=======\n    limit = 5\n>>>>>>> REPLACE\n"
    both = answered(f"{block}\ndef total(rows):\n    return sum([row.price for row in rows])\n")
    assert both == BOOK.replace("limit = 3", "limit = 5").replace(
        "sum(row.price for row in rows)", "sum([row.price for row in rows])"
    )
    for prose in ("The limit, as said above:", "Notes: faster", "Done"):
        assert answered(f"{prose}\n{block}") == BOOK.replace("limit = 3", "limit = 5")
    with pytest.raises(SpliceError, match="is mixed with prose"):
        answered(f"{block}\ndef total(rows):\n    return 0\n\nThis is faster now.\n")


PRIVATE = """def _index(rows):
    return {row: at for at, row in enumerate(rows)}


class Store:
    def _find(self, row):
        return _index(self.rows)[row]

    def find(self, row):
        return self._find(row)


def other():
    return 1
"""


@pytest.mark.parametrize(
    ("answer", "gone", "unused"),
    [
        ("class Store:\n    def find(self, row):\n        return 0\n", [], ("Store._find",)),
        ("del Store._find\nclass Store:\n    def find(self, row):\n        return 0\n", ["_find("], ("_index",)),
        (
            "del _index, Store._find\nclass Store:\n    def find(self, row):\n        return 0\n",
            ["_find(", "_index("],
            (),
        ),
        ("def other():\n    return 2\n", [], ()),
    ],
)
def test_functions_that_an_answer_deletes_go_and_those_left_unused_are_named(
    answer: str, gone: list[str], unused: tuple[str, ...]
) -> None:
    before = Revision({"store.py": PRIVATE})
    after = apply_answer(before, answer)
    assert [name for name in ("_find(", "_index(") if f"def {name}" not in after["store.py"]] == gone
    assert now_unused(before, after) == unused
    assert "\n\n\n\n" not in after["store.py"]


@pytest.mark.parametrize("answer", ["del other", "del nothing", "del Store"])
def test_a_public_function_is_not_deleted(answer: str) -> None:
    with pytest.raises(SpliceError):
        apply_answer(Revision({"store.py": PRIVATE}), answer)
