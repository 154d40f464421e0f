"""What an answer changes of classes and modules outside of functions."""

from __future__ import annotations

import pytest

from codeopt.core.revision import Revision
from codeopt.workloads.project.proposer import apply_answer

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
