"""Which functions come first: one run of the tests of all files says how long each takes."""

from __future__ import annotations

from pathlib import Path

from codeopt.review.change import whole_files
from codeopt.review.changed_functions import find_targets
from codeopt.review.ranking import ranked
from codeopt_sandbox import Options, Sandbox, open_sandbox
from tests.codeopt.review.pull_request import BASE, propose
from tests.conftest import require_sandbox

FILES = {
    **BASE,
    "shop/slow.py": "def spin(n):\n    return sum(i * i % 7 for i in range(n))\n\n\ndef unused():\n    return 1\n",
    "shop/slower.py": "from shop.slow import spin\n\n\ndef twice(n):\n    return spin(n) + spin(n)\n",
    "tests/test_slower.py": "from shop.slower import twice\n\n\ndef test_twice():\n    assert twice(100_000) > 0\n",
    "tests/test_broken.py": "import shop\nimport nowhere_to_be_found\n",
}


def test_all_files_share_one_run_of_their_tests(tmp_path: Path) -> None:
    require_sandbox()
    folder = propose(tmp_path / "r", FILES, {})
    repository, everything = whole_files([folder])
    targets, skipped = find_targets(everything, repository)
    assert skipped == []
    opened = []

    def open_with(mounts: tuple[tuple[str, str], ...]) -> Sandbox:
        opened.append(mounts)
        return open_sandbox("bubblewrap", options=Options(mounts=mounts))

    ranking = ranked(targets, open_with)
    found = {target.function: target for target in ranking.targets}
    assert len(opened) == 1
    assert list(found)[:2] == ["twice", "spin"]
    assert 0.5 < (found["spin"].share or 0) <= (found["twice"].share or 0) <= 1
    assert found["total"].seconds > 0
    assert (found["unused"].seconds, found["unused"].share) == (0, None)
    (shortfall,) = ranking.diagnostics
    assert shortfall.message == "1 test file cannot be loaded and counts for nothing"
    assert "No module named 'nowhere_to_be_found'" in shortfall.words


def test_why_no_time_is_known(tmp_path: Path) -> None:
    """There are no tests, and there is no sandbox to run them in: functions with loops come first."""
    require_sandbox()
    (tmp_path / "alone.py").write_text("def still(n):\n    return n\n\n\ndef spin(n):\n    for _ in range(n): pass\n")
    repository, everything = whole_files([tmp_path])
    targets, _ = find_targets(everything, repository)
    found = ranked(targets, lambda mounts: open_sandbox("bubblewrap", options=Options(mounts=mounts)))
    assert [each.function for each in found.targets] == ["spin", "still"]
    assert [each.words for each in found.diagnostics] == ["no test was found for alone (--tests PATH names some)"]
    gone = ranked(targets, lambda mounts: open_sandbox("bubblewrap", options=Options(mounts=mounts, python="/gone")))
    (short,) = gone.diagnostics
    assert short.words.startswith("the tests could not be run: ")
    assert "/gone" in short.cause
