"""What the server's own process answers, asked without a client."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.core.console import Console
from codeopt.core.errors import UsageError
from codeopt.serving.handlers import handle
from codeopt.serving.request import Operation, OperationRequest
from tests.codeopt.serving.projects import RIGHT, SLOW, TARGET, make_project


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        ({"new_source": RIGHT}, "new_source is the same as words.py as it stands"),
        ({"new_source": SLOW, "old_source": SLOW}, "new_source is the same as old_source"),
        ({"old_source": RIGHT}, "words.py is the same as old_source"),
    ],
)
def test_equal_sides_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sources: dict[str, str], said: str
) -> None:
    """The file differs from HEAD, which none of these was compared with."""
    project = make_project(tmp_path)
    (project / "words.py").write_text(RIGHT)
    monkeypatch.chdir(project)
    with pytest.raises(UsageError) as refused:
        handle(OperationRequest(Operation.COMPARE, target=TARGET, **sources), Console(quiet=True))
    assert str(refused.value).startswith(said)
    assert "same as HEAD" not in str(refused.value)


def test_an_unchanged_file_is_the_same_as_its_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(make_project(tmp_path))
    with pytest.raises(UsageError, match="words.py is the same as in HEAD: change it first"):
        handle(OperationRequest(Operation.COMPARE, target=TARGET), Console(quiet=True))
