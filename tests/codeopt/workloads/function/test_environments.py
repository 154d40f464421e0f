"""Known calls are compared in three environments, and what is made from them once, in another than the original's."""

from __future__ import annotations

import pytest

from codeopt.workloads._runs import other_environments, variables_read
from tests.codeopt.workloads.conftest import Compare

CALLS = """\
CALLS = [(([n * k + 1 for k in range(n)],), {}) for n in range(1, 13)]
BIG = [(([7 * k + 1 for k in range(20_000)],), {})]
"""
SLOW = "    for x in xs * 20:\n        pass\n"
OLD_UTC = f"""\
from datetime import datetime, timezone
def f(xs: list[int]) -> list[str]:
{SLOW}    return [str(datetime.fromtimestamp(x, timezone.utc).replace(tzinfo=None)) for x in xs]
"""
OLD_LOCAL = f"""\
from datetime import datetime
def f(xs: list[int]) -> list[str]:
{SLOW}    return [str(datetime.fromtimestamp(x)) for x in xs]
"""
OLD_SEPARATOR = f"""\
import os
def f(xs: list[int]) -> str:
{SLOW}    return os.environ.get("SEP", ",").join(map(str, xs))
"""
OLD_LOG = f"""\
import logging
log = logging.getLogger(__name__)
def f(xs: list[int]) -> int:
    for x in xs:
        if x % 2:
            log.warning("odd")
{SLOW}    return sum(xs)
"""
OLD_SUM = f"""\
def f(xs: list[int]) -> int:
{SLOW}    return sum(xs)
"""
SUM = OLD_SUM.replace(SLOW, "")
PAIRS: dict[str, tuple[str, str, str]] = {
    "right in UTC alone": (OLD_UTC, OLD_LOCAL.replace(SLOW, ""), "timezone AAA+3:30"),
    "a variable is no longer read": (
        OLD_SEPARATOR,
        OLD_SEPARATOR.replace(SLOW, "").replace('os.environ.get("SEP", ",")', '","'),
        "variables SEP 1",
    ),
    "it logs where DEBUG is on": (
        OLD_LOG,
        OLD_LOG.replace(SLOW, "").replace("for x in xs:", "for x in xs * log.isEnabledFor(10):"),
        "logs 1 WARNING",
    ),
    "it works in the thread of its import": (
        OLD_SUM,
        "import threading\nkept = threading.local()\nkept.start = 0\n" + SUM.replace("(xs)", "(xs, kept.start)"),
        "thread other",
    ),
    "it works where no test runs": (
        OLD_SUM,
        "import os\n" + SUM.replace("sum(xs)", 'sum(xs) + ("PYTEST_CURRENT_TEST" in os.environ)'),
        "test_marks True",
    ),
    "it reads the working folder": (
        OLD_SUM,
        "import os\n" + SUM.replace("sum(xs)", 'sum(xs) + os.getcwd().endswith("elsewhere")'),
        "folder elsewhere",
    ),
    "it answers by the first call": (
        OLD_SUM,
        "first = []\n" + SUM.replace("return sum(xs)", "first.append(len(xs))\n    return sum(xs) + (first[0] > 2)"),
        "",
    ),
}  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize("name", PAIRS)
def test_a_difference_in_another_environment_rejects(compare: Compare, name: str) -> None:
    old, new, where = PAIRS[name]
    found = compare(old, new, CALLS)
    assert found["verdict"] == "wrong", found
    assert where in found["reason"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('import os\nos.environ["A"], os.environ.get("B", 1), os.getenv("C")', ["A", "B", "C"]),
        ('from os import environ, getenv\nenviron["A"]\ngetenv("B")\nif "C" not in environ: pass', ["A", "B", "C"]),
        ('import os\nos.environ["PATH"], os.getenv("PYTHONPATH"), os.environ[name], settings.get("A")', []),
        ("no python", []),
    ],
)
def test_variables_that_a_text_looks_up_get_other_values(text: str, names: list[str]) -> None:
    assert variables_read(text) == names
    assert other_environments(text)[0].variables == tuple((name, "1") for name in names)
