"""`codeopt clean` removes what is kept, and says how much; what is not the user's own it leaves alone."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from codeopt.core.evidence_place import FILE, open_evidence
from codeopt.core.evidence_store import EvidenceTable
from tests.codeopt.command import codeopt


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one value in its store."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("")
    store = open_evidence(folder)
    assert store is not None
    store.put(EvidenceTable.CORPUS, "k", "v")
    return folder


def test_removed_and_told(project: Path) -> None:
    (project / "sub").mkdir()
    first = codeopt("clean", "sub", "--json", cwd=project)
    assert first.status == 0
    (row,) = first.json["removed"]
    assert (row["path"], row["values"]) == (str(project / ".codeopt" / FILE), 1)
    assert row["bytes"] > 0
    assert not (project / ".codeopt" / FILE).exists()
    again = codeopt("clean", cwd=project)
    assert again.status == 0
    assert "nothing to remove" in again.out


def test_a_folder_of_modules_without_a_project_file_is_found(project: Path) -> None:
    """Without a project file each folder of modules has a store of its own."""
    for place in ("pkg", "pkg/deep", ".venv/lib"):
        (project / place).mkdir(parents=True)
        store = open_evidence(project / place)
        assert store is not None
        store.put(EvidenceTable.CORPUS, "k", "v")
    done = codeopt("clean", "--json", cwd=project)
    removed = {row["path"] for row in done.json["removed"]}
    assert removed == {str(project / place / ".codeopt" / FILE) for place in (".", "pkg", "pkg/deep")}
    assert (project / ".venv/lib/.codeopt" / FILE).exists()


def test_words(project: Path) -> None:
    done = codeopt("clean", cwd=project)
    assert "1 value" in done.out
    assert "removed" in done.out


def test_one_that_came_with_a_repository_is_left_alone(project: Path) -> None:
    for command in (["init", "-q"], ["add", "--force", ".codeopt"]):
        subprocess.run(["git", *command], cwd=project, check=True)
    done = codeopt("clean", cwd=project)
    assert done.status == 0
    assert (project / ".codeopt" / FILE).exists()


def test_no_such_project(tmp_path: Path) -> None:
    done = codeopt("clean", "nowhere", cwd=tmp_path)
    assert done.status == 2
    assert "there is no nowhere" in done.err
