"""A call that takes seconds is timed on a part of its arguments, and made once in full on each side."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codeopt.command import codeopt
from tests.conftest import require_sandbox
from tests.support.files import write_files

OLD = "import time\n\n\ndef total(rows):\n    time.sleep(len(rows) / 1000)\n    return sum(rows)\n"
NEW = OLD.replace("/ 1000", "/ 10_000")
SLOW_ON_WHOLE = OLD.replace("len(rows) / 1000", "(0 if len(rows) < 3000 else 3) + len(rows) / 10_000")
WRONG = NEW.replace("sum(rows)", "sum(rows) + len(rows) // 3500")
WRONG_ELSEWHERE = NEW.replace("sum(rows)", "sum(rows) + (len(rows) == 1000)")
CALLS = "CALLS = [(([3, 1, 2],), {})]\nBIG = [((list(range(3500)),), {}), ((list(range(1000)),), {})]\n"


@pytest.mark.full
@pytest.mark.parametrize(
    ("new", "faster", "said"),
    [
        pytest.param(NEW, True, "on the whole of the longest call once", id="faster"),
        pytest.param(SLOW_ON_WHOLE, False, "on the whole of the longest call once", id="slow on the whole"),
        pytest.param(WRONG, False, "expected returns 6123250, got returns 6123251", id="wrong on the whole"),
        pytest.param(WRONG_ELSEWHERE, False, "expected returns 499500, got returns 499501", id="wrong on another"),
    ],
)
def test_the_whole_is_made_once(tmp_path: Path, new: str, faster: bool, said: str) -> None:
    require_sandbox()
    write_files(tmp_path, {"old.py": OLD, "new.py": new, "calls.py": CALLS})
    flags = ("--calls", "calls.py", "--mutated-inputs", "off", "--json")
    done = codeopt("compare", "old.py::total", "new.py::total", *flags, cwd=tmp_path)
    assert (done.json["verdict"] == "faster") == faster, done
    assert said in " ".join([*done.json["notes"], done.json["reason"]])
    if faster:
        assert "of the longest call" in done.json["timed"]
        assert done.json["ratio"] > 5
