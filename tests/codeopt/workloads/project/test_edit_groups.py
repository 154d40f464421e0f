"""Edits of a patch that belong together, by the names that one introduces and another uses."""

from __future__ import annotations

import pytest

from codeopt.core.revision import Revision
from codeopt.workloads.project.edit_gains import edit_groups
from codeopt.workloads.project.proposer import apply_answer
from tests.codeopt.workloads.shop import ADD, FIND, HEAD, REPORT, STORE, USELESS

OLD = Revision({
    "shop/store.py": STORE,
    "shop/report.py": REPORT,
    "shop/names.py": "def _key(name):\n    return name\n\n\ndef label(name):\n    return _key(name)\n\n\n"
    "def twice(name):\n    blocked = name\n    return blocked + blocked\n",
    "shop/empty.py": "A = 1\n",
})  # fmt: skip
NAMES = "# === file: shop/names.py ===\n"
STORES = ("Store.__init__", "Store.add", "Store._find")


@pytest.mark.parametrize(
    ("answer", "groups"),
    [
        (HEAD + ADD + "\n" + FIND + "\n" + USELESS, [STORES, ("Store.size",)]),  # an attribute
        (HEAD + USELESS + ADD + "\n" + FIND, [STORES, ("Store.size",)]),
        (
            NAMES + "def _key(name, upper):\n    return name\n\ndef label(name):\n    return _key(name, False)\n",
            [("_key", "label")],  # a parameter
        ),
        (
            NAMES + "def _key(name):\n    return name + ''\n\ndef label(name):\n    return _key(name)[:]\n",
            [("_key",), ("label",)],  # what is used as before does not join
        ),
        (
            NAMES + "def label(name):\n    found = name\n    return found\n\ndef twice(name):\n    found = name\n"
            "    return found + found\n",
            [("label",), ("twice",)],  # nor do variables of the same name
        ),
        (
            "# === file: shop/empty.py ===\n_TABLE = {}\n" + NAMES + "from shop.empty import _TABLE\n\n"
            "def label(name):\n    return _TABLE.setdefault(name, name)\n\ndef twice(name):\n    return name * 2\n",
            [("label", "<module>"), ("twice",)],  # a constant of another file
        ),
    ],
)
def test_what_belongs_together(answer: str, groups: list[tuple[str, ...]]) -> None:
    found = edit_groups(OLD, apply_answer(OLD, answer))
    assert [tuple(each.qualname for each in group) for group in found] == groups
