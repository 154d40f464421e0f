"""The store of evidence: what is put in comes out, for its owner alone; damage, size and other processes do no harm."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import subprocess
import time
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeopt.core import evidence_store
from codeopt.core.evidence_place import FILE, SECRET, cache_folder, open_evidence, stores_of
from codeopt.core.evidence_store import EvidenceStore, EvidenceTable

SECRET_TEXT = b"1" * 32


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def _store(folder: Path, said: list[str] | None = None, max_bytes: int = 1 << 20) -> EvidenceStore:
    return EvidenceStore(folder / FILE, SECRET_TEXT, (said if said is not None else []).append, max_bytes)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@settings(max_examples=25)
@given(JSON)
def test_values_come_out_as_they_went_in(tmp_path_factory: pytest.TempPathFactory, value: object) -> None:
    store = _store(tmp_path_factory.getbasetemp())
    store.put(EvidenceTable.CORPUS, "k", value)
    found = store.get(EvidenceTable.CORPUS, "k")
    assert found is not None
    assert found.value == value


def test_tables_are_apart_and_values_can_be_forgotten(tmp_path: Path) -> None:
    store = _store(tmp_path)
    store.put(EvidenceTable.CORPUS, "k", 1)
    assert store.get(EvidenceTable.TIMING, "k") is None
    store.forget(EvidenceTable.CORPUS, "k")
    assert store.get(EvidenceTable.CORPUS, "k") is None


def test_clear_says_how_much(tmp_path: Path) -> None:
    store = _store(tmp_path)
    store.put(EvidenceTable.CORPUS, "a", "x")
    store.put(EvidenceTable.TIMING, "b", "y")
    size = store.clear()
    assert (size.values, size.size > 0) == (2, True)
    assert not (tmp_path / FILE).exists()
    assert store.get(EvidenceTable.CORPUS, "a") is None


@pytest.mark.parametrize(
    "damage", ["no database", "cut off", "overwritten", "another version", "another table", "view"]
)
def test_damage_is_one_line_and_a_new_file(tmp_path: Path, damage: str) -> None:
    said: list[str] = []
    store = _store(tmp_path, said)
    for number in range(50):
        store.put(EvidenceTable.CORPUS, str(number), os.urandom(2000).hex())
    path = tmp_path / FILE
    if damage == "no database":
        path.write_bytes(b"hello" * 1000)
    elif damage == "cut off":
        path.write_bytes(path.read_bytes()[:5000])
    elif damage == "overwritten":
        path.write_bytes(path.read_bytes()[:4096] + os.urandom(path.stat().st_size - 4096))
    else:
        with sqlite3.connect(path) as change:
            change.execute(
                {"another version": "PRAGMA user_version = 99", "another table": "CREATE TABLE more (x)",
                 "view": "CREATE VIEW more AS SELECT * FROM corpus"}[damage]
            )  # fmt: skip
    assert store.get(EvidenceTable.CORPUS, "7") is None
    store.put(EvidenceTable.CORPUS, "7", "new")
    found = store.get(EvidenceTable.CORPUS, "7")
    assert found is not None
    assert found.value == "new"
    assert len(said) == 1, said
    assert "made anew" in said[0]


def test_a_forged_value_is_not_believed(tmp_path: Path) -> None:
    store = _store(tmp_path)
    store.put(EvidenceTable.CORPUS, "k", "right")
    store.put(EvidenceTable.CORPUS, "other", "swapped")
    with sqlite3.connect(tmp_path / FILE) as forger:
        forger.execute("UPDATE corpus SET value = ? WHERE key = 'k'", (zlib.compress(b'"forged"'),))
        forger.execute("INSERT INTO corpus SELECT 'third', value, code, made_at, used FROM corpus WHERE key = 'other'")
        forger.execute("UPDATE corpus SET made_at = made_at + 1 WHERE key = 'other'")
    assert [store.get(EvidenceTable.CORPUS, key) for key in ("k", "third", "other")] == [None] * 3
    assert EvidenceStore(tmp_path / FILE, b"2" * 32).get(EvidenceTable.CORPUS, "k") is None


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE corpus SET key = 'third' WHERE key = 'other'",
        "UPDATE corpus SET made_at = made_at + 1 WHERE key = 'other'",
        "UPDATE corpus SET value = (SELECT value FROM corpus WHERE key = 'k') WHERE key = 'other'",
        "UPDATE corpus SET code = (SELECT code FROM corpus WHERE key = 'k') WHERE key = 'other'",
        "INSERT INTO timing SELECT * FROM corpus WHERE key = 'other'",
        "UPDATE corpus SET value = 'a text' WHERE key = 'other'",
        "UPDATE corpus SET made_at = 'never' WHERE key = 'other'",
    ],
)
def test_each_part_of_a_row_is_vouched_for(tmp_path: Path, change: str) -> None:
    """One change at a time: what was forged is gone, and its neighbour stays."""
    store = _store(tmp_path)
    store.put(EvidenceTable.CORPUS, "k", "right")
    store.put(EvidenceTable.CORPUS, "other", "swapped")
    with sqlite3.connect(tmp_path / FILE) as forger:
        forger.execute(change)
    if "timing" in change:
        assert store.get(EvidenceTable.TIMING, "other") is None
    else:
        assert store.get(EvidenceTable.CORPUS, "third") is None
        assert store.get(EvidenceTable.CORPUS, "other") is None
    found = store.get(EvidenceTable.CORPUS, "k")
    assert found is not None
    assert found.value == "right"


def test_a_value_is_its_own_secrets_alone(tmp_path: Path) -> None:
    _store(tmp_path).put(EvidenceTable.CORPUS, "k", "right")
    assert EvidenceStore(tmp_path / FILE, b"2" * 32).get(EvidenceTable.CORPUS, "k") is None


def test_a_later_value_takes_the_place_of_an_earlier_one_and_says_when(tmp_path: Path) -> None:
    store = _store(tmp_path)
    before = time.time()
    for value in ("old", "new"):
        store.put(EvidenceTable.CORPUS, "k", value)
    found = store.get(EvidenceTable.CORPUS, "k")
    assert found is not None
    assert found.value == "new"
    assert before <= found.made_at <= time.time()
    assert store.clear().values == 1


def test_a_file_that_another_process_writes_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence_store, "BUSY_S", 0.01)
    said: list[str] = []
    store = _store(tmp_path, said)
    store.put(EvidenceTable.CORPUS, "k", 1)
    with sqlite3.connect(tmp_path / FILE, isolation_level=None) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        store.put(EvidenceTable.CORPUS, "k", 2)
        writer.execute("ROLLBACK")
    writer.close()
    found = store.get(EvidenceTable.CORPUS, "k")
    assert found is not None
    assert found.value == 1
    assert said == []


def test_a_secret_that_others_may_read_or_that_was_cut_off_is_none(tmp_path: Path) -> None:
    path = cache_folder() / SECRET
    first = open_evidence(tmp_path / "project")
    assert first is not None
    assert len(first.secret) == 32
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_bytes(first.secret[:31])
    again = open_evidence(tmp_path / "project")
    assert again is not None
    assert again.secret != first.secret
    assert len(again.secret) == 32
    for mode in (0o640, 0o604, 0o620):
        path.chmod(mode)
        assert open_evidence(tmp_path / "project") is None


def test_a_value_that_unpacks_to_too_much_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = _store(tmp_path)
    store.put(EvidenceTable.CORPUS, "k", "x" * 5000)
    store.put(EvidenceTable.CORPUS, "number", 10**2000)  # whose beginning is a number, too
    monkeypatch.setattr(evidence_store, "MAX_VALUE_BYTES", 1000)
    assert store.get(EvidenceTable.CORPUS, "k") is None
    assert store.get(EvidenceTable.CORPUS, "number") is None


def test_the_least_recently_used_values_go(tmp_path: Path) -> None:
    store = _store(tmp_path, max_bytes=10_000)
    values = {key: os.urandom(1500).hex() for key in "abcd"}  # some 1.6 kB each, as stored
    for key in "abc":
        store.put(EvidenceTable.CORPUS, key, values[key])
    assert store.get(EvidenceTable.CORPUS, "a") is not None
    for number in range(4):
        store.put(EvidenceTable.TIMING, str(number), os.urandom(1500).hex())
    assert store.get(EvidenceTable.CORPUS, "a") is not None
    assert store.get(EvidenceTable.CORPUS, "b") is None
    store.put(EvidenceTable.CORPUS, "huge", os.urandom(20_000).hex())
    assert store.get(EvidenceTable.CORPUS, "huge") is None
    assert store.get(EvidenceTable.CORPUS, "a") is not None


def _write_many(folder: Path, name: str) -> None:
    store = _store(folder)
    for number in range(40):
        store.put(EvidenceTable.CORPUS, f"{name}{number}", [name, number])
        store.get(EvidenceTable.CORPUS, f"{name}{number}")


def test_a_value_that_is_larger_than_the_store_takes_no_other_ones_place(tmp_path: Path) -> None:
    store = _store(tmp_path, max_bytes=10_000)
    store.put(EvidenceTable.CORPUS, "small", 1)
    store.put(EvidenceTable.CORPUS, "large", os.urandom(20_000).hex())
    assert store.get(EvidenceTable.CORPUS, "large") is None
    assert store.get(EvidenceTable.CORPUS, "small") is not None


def test_two_processes_at_once(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=_write_many, args=(tmp_path, name)) for name in "ab"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    said: list[str] = []
    found = [_store(tmp_path, said).get(EvidenceTable.CORPUS, f"{name}{at}") for name in "ab" for at in range(40)]
    assert all(found)
    assert not said


def test_one_that_git_tracks_is_nobodys(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    own = open_evidence(project)
    assert own is not None
    assert own.path == project / ".codeopt" / FILE
    own.put(EvidenceTable.CORPUS, "k", 1)
    for command in (["init", "-q"], ["add", "--force", ".codeopt"]):
        subprocess.run(["git", *command], cwd=project, check=True)
    said: list[str] = []
    other = open_evidence(project, said.append)
    assert other is not None
    assert in_the_cache(other)
    assert other.get(EvidenceTable.CORPUS, "k") is None
    assert len(said) == 1
    assert "git tracks it" in said[0]
    assert all(store.path != own.path for store in stores_of(project))


@pytest.mark.parametrize("what", ["link", "link to the folder", "pipe"])
def test_one_that_is_no_plain_file_of_the_users_is_nobodys(tmp_path: Path, what: str) -> None:
    folder = tmp_path / "project" / ".codeopt"
    folder.parent.mkdir()
    (tmp_path / "elsewhere").mkdir()
    if what == "link to the folder":
        folder.symlink_to(tmp_path / "elsewhere")
    else:
        folder.mkdir()
        target = folder / FILE
        os.mkfifo(target) if what == "pipe" else target.symlink_to(tmp_path / "elsewhere" / "x")
    found = open_evidence(folder.parent)
    assert found is not None
    if what == "link to the folder":  # the user's own link: they said so
        assert found.path == folder / FILE
    else:
        assert in_the_cache(found)
    assert not (tmp_path / "elsewhere" / "x").exists()


def test_no_store_without_a_secret_of_ones_own(tmp_path: Path) -> None:
    assert open_evidence(tmp_path) is not None
    secret = cache_folder() / SECRET
    assert secret.stat().st_mode & 0o077 == 0
    secret.chmod(0o644)
    assert open_evidence(tmp_path) is None
    secret.unlink()
    secret.write_bytes(b"cut off")
    secret.chmod(0o600)
    assert open_evidence(tmp_path) is not None
    assert len(secret.read_bytes()) == 32
    secret.rename(tmp_path / "elsewhere")
    secret.symlink_to(tmp_path / "elsewhere")
    assert open_evidence(tmp_path) is None


def test_nothing_is_written_among_installed_packages(tmp_path: Path) -> None:
    place = tmp_path / "site-packages"
    place.mkdir()
    found = open_evidence(place)
    assert found is not None
    assert in_the_cache(found)
    assert not list(place.iterdir())


def in_the_cache(store: EvidenceStore) -> bool:
    """Whether a store is one of a single project in the user's cache folder."""
    return store.path.name == FILE and store.path.parent.parent == cache_folder() / "projects"


def test_in_the_cache_each_project_has_a_store_of_its_own(tmp_path: Path) -> None:
    """Two checkouts without a place of their own may have files of one name."""
    found = [open_evidence(tmp_path / name / "site-packages" / "shop") for name in ("one", "other")]
    one, other = (store for store in found if store)
    one.put(EvidenceTable.FINDING, "k", 1)
    assert in_the_cache(one)
    assert one.path != other.path
    assert other.get(EvidenceTable.FINDING, "k") is None
    assert [store.path for store in stores_of(tmp_path / "one" / "site-packages" / "shop")] == [one.path]
