"""Public functions are judged by what they stand for after an import, whatever the text of a change says."""
# looks at sandbox/codeopt_sandbox/guest/tests/surface

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from codeopt.core.revision import Revision
from codeopt.workloads.project.impact import MOST, WIDELY, Impact, ImportedNames, impact_of
from codeopt.workloads.source.edits import CodeEdit
from codeopt_sandbox.guest.tests.surface import names_of
from tests.support.files import write_files


def features(text: str) -> dict[str, list[str]]:
    module = ModuleType("core")
    exec(compile(text, "core", "exec", dont_inherit=True), vars(module))  # noqa: S102  texts of this file
    return dict(names_of(module))


def differing(old: str, new: str) -> set[str]:
    was, now = features(old), features(new)
    return {name for name in {**was, **now} if was.get(name) != now.get(name)}


DEDUPE = "def dedupe(xs):\n    return [x for at, x in enumerate(xs) if x not in xs[:at]]\n"
POINT = "from dataclasses import dataclass\n\n\n@dataclass(order=True)\nclass Point:\n    x: float\n"
CLASS = (
    "class C:\n    limit = 3\n    def m(self):\n        return 1\n    @property\n    def p(self):\n        return 2\n"
)
WRAP = "from functools import lru_cache, wraps\n\n\ndef twice(f):\n    @wraps(f)\n    def g(*a):\n"
WRAP += "        return f(*a)\n    return g\n\n\n"


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        (DEDUPE, f"{DEDUPE}\n# a comment\n", set()),
        (DEDUPE, DEDUPE.replace("\n    return", '\n    """Distinct."""\n\n    return'), set()),
        (DEDUPE, f"import re\n\n\n{DEDUPE}", set()),
        (DEDUPE, f"{DEDUPE}\ndef _quick(xs):\n    return [*{{*xs}}]\ndedupe = _quick\n", {"dedupe", "_quick"}),
        (DEDUPE, DEDUPE.replace("(xs)", "(xs, key=None)", 1), {"dedupe"}),
        (f"{WRAP}{DEDUPE}", f"{WRAP}@twice\n{DEDUPE}", {"dedupe"}),
        (f"{WRAP}@lru_cache\n{DEDUPE}", f"{WRAP}@lru_cache(maxsize=None)\n{DEDUPE}", {"dedupe"}),
        (f"{WRAP}@twice\n{DEDUPE}", f"{WRAP}@twice\n{DEDUPE}".replace("not in", "in"), {"dedupe"}),
        ("A = {'b': [1, 2]}\nB = {3, 'c'}\n", "A = {'b': [1, 3]}\nB = {'c', 3}\n", {"A"}),
        ("import re\nA = re.compile('a')\n", "import re\nA = re.compile('b')\n", {"A"}),
        (POINT, POINT.replace("order=True", "order=True, repr=True"), set()),
        (CLASS, CLASS.replace("return 2", "return 4"), {"C.p"}),
        (CLASS, CLASS.replace("limit = 3", "limit = 4"), {"C.limit"}),
        (CLASS, CLASS.replace("class C:", "class C(dict):"), {"C"}),
        (CLASS, f"{CLASS}    def __eq__(self, other):\n        return True\n", {"C", "C.__eq__", "C.__hash__"}),
        (CLASS, f"{CLASS}    def _more(self):\n        return 1\n", {"C._more"}),
    ],
)  # fmt: skip
def test_a_name_differs_when_its_behaviour_may(old: str, new: str, names: set[str]) -> None:
    assert differing(old, new) == names


def test_a_flag_of_a_dataclass_is_seen() -> None:
    names = differing(POINT, POINT.replace("order=True", "eq=False"))
    assert {"Point", "Point.__eq__", "Point.__hash__", "Point.__lt__"} <= names


ODD = "class Odd:\n    @property\n    def __wrapped__(self):\n        raise ValueError\n\n\nODD = Odd()\n"


def test_a_module_that_refuses_to_be_looked_at_costs_no_other(tmp_path: Path) -> None:
    write_files(tmp_path, {"odd.py": ODD, "core.py": DEDUPE})
    asked = f"import odd; main({str(tmp_path)!r}, [('odd.py', 'odd'), ('core.py', 'core')], 'found.json')"
    text = f"from codeopt_sandbox.guest.tests.surface import main; {asked}"
    subprocess.run([sys.executable, "-c", text], cwd=tmp_path, check=True)
    found = json.loads((tmp_path / "found.json").read_text())
    assert (list(found["names"]), found["failed"]) == (["core.py"], ["odd.py"])


FILES = {
    "app/core.py": "LIMIT = 3\n\n\ndef _low(x):\n    return x + LIMIT\n\n\ndef _mid(x):\n    return _low(x)\n\n\n"
    "def near(x):\n    return _mid(x)\n\n\ndef far(x):\n    return near(x)\n\n\ndef _unused():\n    return 1\n",
    "app/other.py": "from app.core import _low\n\n\nclass Box:\n    def __init__(self):\n        self.x = _low(1)\n\n\n"
    "def boxed():\n    return Box()\n",
    "app/kept.py": "class Kept:\n    def __cut(self):\n        return 1\n\n    def whole(self):\n"
    "        return self.__cut()\n\n\ndef kept():\n    return Kept()\n",
    "main.py": "from app.core import near\nprint(near(1))\n",
}


BEFORE = Revision(FILES)
NONE = ImportedNames(BEFORE)


def impact(
    changes: dict[str, tuple[str, str]], old: ImportedNames | None = None, new: ImportedNames | None = None
) -> Impact:
    """By the texts, as of modules that cannot be imported."""
    after = {
        path: text.replace(*changes.get(path, ("", ""))) if path in changes else text for path, text in FILES.items()
    }
    return impact_of(old or NONE, replace(new or NONE, revision=Revision(after)), "main.py")


@pytest.mark.parametrize(
    ("file", "change", "judged", "gaps"),
    [
        ("app/core.py", ("_low(x)\n\n\ndef near", "_low(x + 0)\n\n\ndef near"), ["near"], []),
        ("app/core.py", ("x + LIMIT", "LIMIT + x"), ["near", "boxed"], []),
        ("app/core.py", ("return near(x)", "return near(x + 0)"), ["far"], []),
        ("app/core.py", ("return 1", "return 2"), [], ["app/core.py::_unused"]),
        ("app/other.py", ("_low(1)", "_low(2)"), ["boxed"], []),
        ("app/kept.py", ("return 1", "return 2"), ["Kept.whole"], []),
        ("main.py", ("near(1)", "near(2)"), [], ["main.py::<module>"]),
        ("app/other.py", ("def boxed", "class _New:\n    def m(self):\n        return 1\n\n\ndef boxed"), [], []),
        ("app/other.py", ("_low(1)\n", "_low(1)\n\n    def _more(self):\n        return 2\n"), [], []),
        ("app/other.py", ("_low(1)\n", "_low(1)\n\n    def __len__(self):\n        return 2\n"), ["boxed"], []),
        ("app/core.py", ("LIMIT\n", "LIMIT  # as before\n"), [], []),
    ],
)  # fmt: skip
def test_public_functions_that_lead_to_a_change_are_judged(
    file: str, change: tuple[str, str], judged: list[str], gaps: list[str]
) -> None:
    found = impact({file: change})
    assert [each.qualname for each in found.judged] == judged
    assert [gap.message.partition(" is ")[0] for gap in found.gaps] == gaps


def test_of_many_functions_that_lead_to_a_change_those_are_judged_that_the_command_was_seen_in() -> None:
    """A class that all modules use is reached by more functions than can be judged, most of which are never called."""
    core = "class Point:\n    def __init__(self, x):\n        self.x = x\n\n\ndef origin():\n    return _at(0)\n\n\n"
    core += "def _at(x):\n    return Point(x)\n"
    use = "from app.core import Point\n\n\ndef use(x):\n    return Point(x)\n"
    files = {"app/core.py": core, **{f"app/m{k}.py": use for k in range(WIDELY + 1)}}
    both = Revision(files), Revision({**files, "app/core.py": core.replace("= x", "= +x")})
    old, new = map(ImportedNames, both)
    seen = [CodeEdit("app/core.py", "origin"), CodeEdit("app/core.py", "_at"), CodeEdit("app/m7.py", "use")]
    found = impact_of(old, new, "", seen=seen)
    assert sorted(map(str, found.judged)) == ["app/core.py::origin", "app/m7.py::use"]
    assert "app/m7.py" not in {each.file for each in impact_of(old, new, "", tests=["app/m7.py"]).judged}
    assert len(impact_of(old, new, "").judged) == MOST


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("A = {'b': len, 'c': len}", "A = {'b': len}", [("holds 'c'", "does not")]),
        ("A = {'b': len}", "A = {'b': abs}", []),
        ("A = [len, abs]", "A = [len, min]", [("holds builtins.abs", "holds builtins.min")]),
        ("A = [1, 2]", "A = {2, 1}", []),
        ("A = list(range(900))", "A = list(range(800))", []),
        ("_A = ['b', 'c']", "_A = ['b']", []),
        ("", "A = ['b']", []),
    ],
)
def test_what_an_import_leaves_in_a_container_is_a_caveat(old: str, new: str, told: list[tuple[str, str]]) -> None:
    was, now = (
        ImportedNames(BEFORE, {"a.py": {n: frozenset(f) for n, f in features(text).items()}}) for text in (old, new)
    )
    assert [(each.expected, each.got) for each in impact({}, was, now).caveats] == told


def test_a_changed_method_is_no_reason_to_leave_its_own_calls_out() -> None:
    one = ImportedNames(BEFORE, {"app/other.py": {"Box.m": frozenset({"is 1"}), "Box.n": frozenset({"is 1"})}})
    m, both = (
        {**one.modules["app/other.py"], **dict.fromkeys(names, frozenset({"is 2"}))}
        for names in (["Box.m"], ["Box.m", "Box.n"])
    )
    judged = CodeEdit("app/other.py", "Box.m")
    assert impact({}, one, ImportedNames(BEFORE, {"app/other.py": m})).classes_without(judged) == set()
    assert impact({}, one, ImportedNames(BEFORE, {"app/other.py": both})).classes_without(judged) == {"Box"}
