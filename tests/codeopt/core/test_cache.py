"""The cache: what is put in comes out; damage, size and other processes do no harm; a checkout brings nothing."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import time
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeopt.core import cache as cache_module
from codeopt.core.cache import Cache, CachedValue, CacheKind, existing_caches, open_cache


def _cache(folder: Path, said: list[str] | None = None, max_bytes: int = 1 << 20) -> Cache:
    return Cache(folder, (said if said is not None else []).append, max_bytes)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


def held(cache: Cache, key: str = "k") -> CachedValue:
    """What a cache holds; the test fails where it is nothing."""
    found = cache.get(CacheKind.CORPUS, key)
    assert found is not None
    return found


@settings(max_examples=25)
@given(JSON)
def test_values_come_out_as_they_went_in(tmp_path_factory: pytest.TempPathFactory, value: object) -> None:
    cache = _cache(tmp_path_factory.getbasetemp() / "values")
    cache.put(CacheKind.CORPUS, "k", value)
    assert held(cache).value == value


def test_kinds_are_apart_and_values_can_be_forgotten(tmp_path: Path) -> None:
    cache = _cache(tmp_path)
    cache.put(CacheKind.CORPUS, "k", 1)
    cache.put(CacheKind.CORPUS, "other", 2)
    assert cache.get(CacheKind.TIMING, "k") is None
    cache.forget(CacheKind.CORPUS, "k")
    assert cache.get(CacheKind.CORPUS, "k") is None
    assert cache.get(CacheKind.CORPUS, "other") is not None


@pytest.mark.parametrize("damage", ["no database", "cut off", "overwritten", "another version"])
def test_damage_is_one_line_and_a_new_file(tmp_path: Path, damage: str) -> None:
    said: list[str] = []
    cache = _cache(tmp_path, said)
    for number in range(50):
        cache.put(CacheKind.CORPUS, str(number), os.urandom(2000).hex())
    path = cache.file
    if damage == "no database":
        path.write_bytes(b"hello" * 1000)
    elif damage == "cut off":
        path.write_bytes(path.read_bytes()[:5000])
    elif damage == "overwritten":
        path.write_bytes(path.read_bytes()[:4096] + os.urandom(path.stat().st_size - 4096))
    else:
        with sqlite3.connect(path) as change:
            change.execute("PRAGMA user_version = 99")
    assert cache.get(CacheKind.CORPUS, "7") is None
    cache.put(CacheKind.CORPUS, "7", "new")
    assert held(cache, "7").value == "new"
    assert said == [f"{path} is damaged: rebuilt"]


@pytest.mark.parametrize("value", [b"no archive", zlib.compress(b"no JSON")])
def test_a_damaged_value_is_none(tmp_path: Path, value: bytes) -> None:
    cache = _cache(tmp_path)
    cache.put(CacheKind.CORPUS, "k", "right")
    with sqlite3.connect(cache.file) as change:
        change.execute("UPDATE entry SET value = ?", (value,))
    assert cache.get(CacheKind.CORPUS, "k") is None
    assert cache.values(CacheKind.CORPUS) == []


def test_a_later_value_takes_the_place_of_an_earlier_one_and_says_when(tmp_path: Path) -> None:
    cache = _cache(tmp_path)
    before = time.time()
    for value in ("old", "new"):
        cache.put(CacheKind.CORPUS, "k", value)
    found = held(cache)
    assert found.value == "new"
    assert before <= found.made_at <= time.time()
    assert cache.clear()[0] == 1


def test_a_file_that_another_process_writes_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "BUSY_S", 0.01)
    said: list[str] = []
    cache = _cache(tmp_path, said)
    cache.put(CacheKind.CORPUS, "k", 1)
    with sqlite3.connect(cache.file, isolation_level=None) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        cache.put(CacheKind.CORPUS, "k", 2)
        writer.execute("ROLLBACK")
    writer.close()
    assert held(cache).value == 1
    assert said == []


def test_a_folder_that_cannot_be_made_is_an_empty_cache(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = _cache(tmp_path / "file")
    cache.put(CacheKind.CORPUS, "k", 1)
    assert cache.get(CacheKind.CORPUS, "k") is None


def test_the_least_recently_used_values_go(tmp_path: Path) -> None:
    cache = _cache(tmp_path, max_bytes=10_000)
    values = {key: os.urandom(1500).hex() for key in "abcd"}  # some 1.6 kB each, as stored
    for key in "abc":
        cache.put(CacheKind.CORPUS, key, values[key])
    assert cache.get(CacheKind.CORPUS, "a") is not None
    for number in range(4):
        cache.put(CacheKind.TIMING, str(number), os.urandom(1500).hex())
    assert cache.get(CacheKind.CORPUS, "a") is not None
    assert cache.get(CacheKind.CORPUS, "b") is None
    cache.put(CacheKind.CORPUS, "huge", os.urandom(20_000).hex())
    assert cache.get(CacheKind.CORPUS, "huge") is None
    assert cache.get(CacheKind.CORPUS, "a") is not None


def _write_many(folder: Path, name: str) -> None:
    cache = _cache(folder)
    for number in range(40):
        cache.put(CacheKind.CORPUS, f"{name}{number}", [name, number])
        cache.get(CacheKind.CORPUS, f"{name}{number}")


def test_two_processes_at_once(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=_write_many, args=(tmp_path, name)) for name in "ab"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    said: list[str] = []
    found = [_cache(tmp_path, said).get(CacheKind.CORPUS, f"{name}{at}") for name in "ab" for at in range(40)]
    assert all(found)
    assert not said


def test_each_project_has_a_folder_of_its_own_that_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    projects = [tmp_path / name / "shop" for name in ("one", "other")]
    one, other = (cache for project in projects if (cache := open_cache(project)))
    assert existing_caches(projects) == []
    one.put(CacheKind.FINDING, "k", 1)
    assert one.folder.parent == tmp_path / "cache" / "codeopt" / "projects"
    assert one.folder.stat().st_mode & 0o777 == 0o700
    assert other.get(CacheKind.FINDING, "k") is None
    assert one.get(CacheKind.FINDING, "k") is not None


def test_a_folder_of_another_user_is_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = open_cache(tmp_path)
    assert cache is not None
    cache.put(CacheKind.FINDING, "k", 1)
    monkeypatch.setattr(os, "geteuid", lambda: 54321)
    assert open_cache(tmp_path) is None


def test_a_folder_behind_a_closed_one_is_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The home of another user, as `HOME=/root` has it in some containers; root itself may go everywhere."""
    closed = PermissionError(13, "Permission denied")

    def refused(path: Path, **how: bool) -> bool:
        raise closed

    monkeypatch.setattr(Path, "exists", refused)
    assert open_cache(tmp_path) is None


def test_a_store_in_the_checkout_is_not_read(tmp_path: Path) -> None:
    """Wherever in it: what lies in the checkout may have come with the repository."""
    for place in (".codeopt", ".cache/codeopt", "."):
        Cache(tmp_path / place).put(CacheKind.FINDING, "k", "brought")
    cache = open_cache(tmp_path)
    assert cache is not None
    assert not cache.folder.is_relative_to(tmp_path)
    assert cache.get(CacheKind.FINDING, "k") is None
