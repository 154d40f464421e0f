"""`codeopt clean` removes what is cached of a project, and says how much."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.core.cache import Cache, CacheKind, open_cache
from tests.codeopt.command import codeopt


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one cached value."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("")
    cached(folder)
    return folder


def cached(folder: Path) -> Cache:
    """The cache of a folder, with one value."""
    cache = open_cache(folder)
    assert cache is not None
    cache.put(CacheKind.CORPUS, "k", "v")
    return cache


def test_removed_and_told(project: Path) -> None:
    cache = cached(project)
    (project / "sub").mkdir()
    first = codeopt("clean", "sub", "--json", cwd=project)
    assert first.status == 0
    (row,) = first.json["removed"]
    assert (row["path"], row["values"]) == (str(cache.file), 1)
    assert row["bytes"] > 0
    assert not cache.folder.exists()
    again = codeopt("clean", cwd=project)
    assert again.status == 0
    assert again.out == f"Nothing is cached for {project}\n"


def test_a_folder_of_modules_without_a_project_file_is_found(project: Path) -> None:
    """Without a project file each folder of modules has a cache of its own."""
    for place in ("pkg", "pkg/deep", ".venv/lib"):
        (project / place).mkdir(parents=True)
    caches = {place: cached(project / place) for place in (".", "pkg", "pkg/deep", ".venv/lib")}
    done = codeopt("clean", "--json", cwd=project)
    removed = {row["path"] for row in done.json["removed"]}
    assert removed == {str(cache.file) for place, cache in caches.items() if place != ".venv/lib"}
    assert caches[".venv/lib"].file.exists()


def test_no_such_project(tmp_path: Path) -> None:
    done = codeopt("clean", "nowhere", cwd=tmp_path)
    assert done.status == 2
    assert "there is no nowhere" in done.err
