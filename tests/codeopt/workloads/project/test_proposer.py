"""The built-in rules on a project: which functions they are kept to."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from codeopt.core.revision import Revision
from codeopt.rules import HotFiles, load_rule
from codeopt.workloads.project.project_program import ProtectedFiles, ProtectedReason
from codeopt.workloads.project.proposer import project_rules

LEAST = "def least(values, best):\n    for value in values:\n        best = min(best, value)\n    return best\n"
FASTER = LEAST.replace("best = min(best, value)", "if value < best:\n            best = value")
FILES = Revision({"a.py": LEAST, "b.py": LEAST, "data.py": LEAST})


@pytest.mark.parametrize(
    ("places", "changed"),
    [
        ({("a.py", "least"): 0.9, ("b.py", "least"): 0.03}, ["a.py", "b.py"]),
        ({("a.py", "least"): 0.9, ("b.py", "least"): 0.029}, ["a.py"]),
        ({("a.py", "other"): 0.9, ("b.py", "least"): 0.5}, ["b.py"]),
        ({("made.py", "least"): 0.9, ("b.py", "least"): 0.5}, ["b.py"]),  # no file of the project
        ({("data.py", "least"): 0.9, ("a.py", "<module>"): 0.1}, None),
        ({**{("a.py", f"f{at}"): 0.05 for at in range(11)}, ("b.py", "least"): 0.04}, ["b.py"]),
        ({**{("a.py", f"f{at}"): 0.05 for at in range(12)}, ("b.py", "least"): 0.04}, []),
    ],
)
def test_rules_are_kept_to_functions_that_take_time(
    places: dict[tuple[str, str], float], changed: list[str] | None
) -> None:
    rows = [SimpleNamespace(file=file, qualname=name, own_share=share) for (file, name), share in places.items()]
    profile: Any = SimpleNamespace(functions=rows)
    ground = ProtectedFiles({"data.py": ProtectedReason.TEST})
    given = [load_rule("min_max_conditional"), load_rule("main_function")]
    assert [rule.scripts_only for rule in given] == [False, True]
    rules = project_rules(given, profile, ground)
    assert [rule.name for rule in rules] == ["min_max_conditional"] * (changed is not None)
    for rule in rules:
        new: Any = rule.revise(FILES, HotFiles())
        assert [*(new.changed_files(FILES) if new else ())] == changed
        assert all(new[path] == FASTER for path in changed or ())
