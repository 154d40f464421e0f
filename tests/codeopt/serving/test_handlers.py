"""What the server's own process answers, asked without a client."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.core.console import Console
from codeopt.core.errors import UsageError
from codeopt.serving.handlers import handle
from codeopt.serving.request import Operation, OperationRequest
from tests.codeopt.serving.projects import RIGHT, SLOW, TARGET, make_project
from tests.codeopt.workloads.shop import STORE, write_shop
from tests.conftest import require_sandbox


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        ({"new_source": RIGHT}, "new_source is the same as words.py: change it"),
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


def test_an_edited_project_is_judged_by_its_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As an agent works: any of its files is edited, and compared with the commit."""
    require_sandbox()
    shop = write_shop(tmp_path / "shop")
    monkeypatch.chdir(shop)
    options = {"run": "python bench.py", "sandbox": "bubblewrap", "max_pairs": 12}
    asked = OperationRequest(Operation.COMPARE, target=".", options=options)
    nothing = handle(asked, Console(quiet=True))
    assert (nothing["verdict"], nothing["reason"][:15]) == ("inconclusive", "no file differs")
    (shop / "shop" / "store.py").write_text(
        STORE.replace("for each, price in self.rows if", "for each, price in [] if")
    )
    found = handle(asked, Console(quiet=True))
    assert found["verdict"] == "wrong"
    assert "+        return [price for each, price in []" in found["diff"]
    assert len(found["base"]) == 40


@pytest.mark.parametrize(
    ("target", "sources", "said"),
    [
        ("bench.py", {}, "run takes the folder of a project, but bench.py is not one"),
        (".", {"new_source": "A = 1"}, "leave old_source and new_source out"),
    ],
)
def test_a_command_is_of_a_whole_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, sources: dict[str, str], said: str
) -> None:
    monkeypatch.chdir(write_shop(tmp_path / "shop"))
    asked = OperationRequest(Operation.COMPARE, target=target, options={"run": "python bench.py"}, **sources)
    with pytest.raises(UsageError, match=said):
        handle(asked, Console(quiet=True))
