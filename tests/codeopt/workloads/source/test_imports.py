"""Where the imports and definitions of an answer go: the module that it makes can be imported."""

from __future__ import annotations

import pytest

from codeopt.analysis import parse
from codeopt.core.revision import Revision
from codeopt.rules._rule import top_imports
from codeopt.workloads.project.proposer import apply_answer
from codeopt.workloads.source.splice import splice

LATE = """\
import os


def f(x):
    return x + 1


import json


def g(x):
    return json.dumps(x)
"""
ANSWER = "from functools import cache\n\n\n@cache\ndef f(x):\n    return x + 1\n"
MODULES = {
    "a late import": LATE,
    "a docstring and a late import": '"""A."""\n\n\n' + LATE.removeprefix("import os\n\n\n"),
    "comments at the top": "#!/usr/bin/python\n# coding: utf-8\n" + LATE.removeprefix("import os\n\n\n"),
    "one of __future__ and a late import": "from __future__ import annotations\n\n\n"
    + LATE.removeprefix("import os\n\n\n"),
    "the same import, too late": LATE.replace("import json", "from functools import cache\nimport json"),
    "what the function needs stands in a block": LATE.replace("import os", "try:\n    import os\nexcept ImportError:\n"
                                                              "    os = None\nimport sys"),
    "statements that are no import": LATE.replace("import os", "import sys\n\nsys.path.append('.')\nimport os"),
    "two statements in a line": LATE.replace("import os", "import os; N = 3"),
}  # fmt: skip


def in_project(module: str, answer: str) -> str:
    """The module as the answer of a project's proposer makes it."""
    return apply_answer(Revision({"a.py": module}), f"# === file: a.py ===\n{answer}")["a.py"]


def names(module: str) -> dict[str, object]:
    found: dict[str, object] = {}
    exec(compile(module, "a.py", "exec"), found)
    return found


@pytest.mark.parametrize("module", MODULES.values(), ids=MODULES)
def test_a_decorator_stands_below_its_import(module: str) -> None:
    for new in (in_project(module, ANSWER), splice(module, "f", ANSWER)):
        assert hasattr(names(new)["f"], "cache_info")
        assert new.startswith(module[:2])


def test_all_three_say_the_same_place() -> None:
    """The function's, the project's and the rules'."""
    one, other = in_project(LATE, ANSWER), splice(LATE, "f", ANSWER)
    assert one == other == LATE.replace("os\n", "os\nfrom functools import cache\n").replace("def f", "@cache\ndef f")
    assert [statement.lineno for statement in top_imports(parse(LATE))] == [1]


def test_an_import_that_is_late_on_purpose_is_no_other_when_an_answer_repeats_it() -> None:
    """It may be one of a circle; nothing needs it earlier."""
    answer = "import json\n\n\ndef g(x):\n    return json.dumps(x, indent=None)\n"
    expected = LATE.replace("dumps(x)", "dumps(x, indent=None)")
    assert in_project(LATE, answer) == splice(LATE, "g", answer) == expected


def test_a_path_that_is_extended_stays_above_an_import_that_may_need_it() -> None:
    for place in (in_project, lambda module, answer: splice(module, "f", answer)):
        new = place(MODULES["statements that are no import"], ANSWER)
        assert new.index("sys.path") < new.index("import cache")


def test_an_import_of_the_future_stands_above_all_others() -> None:
    answer = "from __future__ import annotations\n\n\ndef f(x):\n    return 1 + x\n"
    assert names(in_project(f'"""A."""\n{LATE}', answer))["annotations"]


def test_what_a_new_definition_evaluates_stands_above_it() -> None:
    """A table by a helper, a class of a base, a constant of a constant."""
    answer = (
        "import functools\n\n_TABLE = _made()\n_LAST = LIMIT - 1\n\n"
        "def _made():\n    return dict.fromkeys(range(9))\n\nclass _Rows(Base):\n    pass\n\n"
        "def f(x):\n    return _Rows, _TABLE, _LAST, functools\n"
    )
    old = "import os\n\nLIMIT = 3\n\n\nclass Base:\n    pass\n\n\ndef f(x):\n    return x\n"
    found = names(in_project(old, answer))
    assert (found["_TABLE"], found["_LAST"]) == (dict.fromkeys(range(9)), 2)


def test_a_getter_is_not_taken_for_its_setter() -> None:
    old = (
        "class C:\n    @property\n    def g(self):\n        return 1\n\n    @g.setter\n    def g(self, value):\n"
        "        self.value = value\n"
    )
    new = in_project(old, "class C:\n    @property\n    def g(self):\n        return 2\n")
    assert new == old.replace("return 1", "return 2")
    both = old.replace("return 1", "return 3").replace("= value", "= -value")
    assert in_project(old, both) == both, "the whole class, as a model may give it"
    setter = "class C:\n    @g.setter\n    def g(self, value):\n        self.value = 1 + value\n"
    assert in_project(old, setter) == old.replace("= value", "= 1 + value")


def test_a_setter_that_is_new_stands_at_the_end_of_its_class() -> None:
    old = "class C:\n    @property\n    def g(self):\n        return 1\n"
    setter = "    @g.setter\n    def g(self, value):\n        self.value = value\n"
    assert in_project(old, f"class C:\n{setter}") == f"{old}\n{setter}"
