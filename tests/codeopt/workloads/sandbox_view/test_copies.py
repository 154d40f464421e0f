"""The copy of a large project is kept, and whatever happened since its last use, it is the same as a new one."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from codeopt.workloads.sandbox_view.copies import KEPT_FROM, RACY_NS
from codeopt.workloads.sandbox_view.view import View, locate, open_view
from tests.codeopt.command import codeopt
from tests.codeopt.workloads.sandbox_view.test_view import tracking

Change = Callable[[Path, Path], object]
"""Of the project, and of its kept copy, as a run without isolation could make it."""


FEW = 10
"""Files from which on copies are kept here, where no other process has to know it."""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that is large enough, none of whose files changed a moment ago."""
    monkeypatch.setattr("codeopt.workloads.sandbox_view.copies.KEPT_FROM", FEW)
    return project(tmp_path, monkeypatch, FEW)


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that is large enough for every process."""
    return project(tmp_path, monkeypatch, KEPT_FROM)


def project(above: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> Path:
    monkeypatch.setattr("codeopt.workloads.sandbox_view.copies.RACY_NS", -RACY_NS)
    monkeypatch.setenv("TMPDIR", str(above))
    monkeypatch.setattr("tempfile.tempdir", str(above))
    names = [f"data/{each}.txt" for each in range(number)]
    return tracking(above / "project", "pkg/mod.py", "pkg/other.py", *names)


def opened(root: Path, *also: Path) -> View:
    return open_view(locate(root / "pkg/mod.py"), also=also)


def shown(view: View) -> dict[str, bytes | None]:
    """Content by path, and None for folders, without bytecode."""
    found = (path for path in view.folder.rglob("*") if path.suffix != ".pyc" and path.name != "__pycache__")
    return {str(path.relative_to(view.folder)): path.read_bytes() if path.is_file() else None for path in found}


def edited_in_place(path: Path) -> None:
    """Another content of the same size, and the time of before."""
    times = path.stat()
    path.write_text("y = 2\n")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def replaced_by_a_folder(root: Path) -> None:
    (root / "data/1.txt").unlink()
    tracking(root, "data/1.txt/inner.txt")


def linked_elsewhere(folder: Path, target: Path) -> None:
    shutil.rmtree(folder)
    folder.symlink_to(target)


CHANGES: dict[str, Change] = {
    "nothing": lambda root, copy: None,
    "a file edited": lambda root, copy: edited_in_place(root / "pkg/other.py"),
    "a file removed": lambda root, copy: (root / "data/7.txt").unlink(),
    "a file renamed": lambda root, copy: (root / "data/7.txt").replace(root / "data/8.txt"),
    "a file added": lambda root, copy: tracking(root, "pkg/new.py"),
    "a folder where a file was": lambda root, copy: replaced_by_a_folder(root),
    "a copy edited": lambda root, copy: edited_in_place(copy / "pkg/other.py"),
    "a copy removed": lambda root, copy: (copy / "data/3.txt").unlink(),
    "a module beside the copies": lambda root, copy: (copy / "pkg/json.py").write_text("raise SystemExit"),
    "a folder that leads elsewhere": lambda root, copy: linked_elsewhere(copy / "data", root),
    "an index of something else": lambda root, copy: (copy.parent / "index").write_text("[1]"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_it_is_the_same_as_a_new_one(root: Path, tmp_path: Path, change: Change) -> None:
    (root / ".env").write_text("named once\n")
    first = opened(root, root / ".env")
    first.close()
    change(root, first.folder)
    again = opened(root)
    before = (again.folder / "data/5.txt").stat().st_ino
    new = open_view(locate(shutil.copytree(root, tmp_path / "elsewhere") / "pkg/mod.py"))
    try:
        assert again.folder == first.folder
        assert shown(again) == shown(new)
        assert ".env" not in shown(again)
    finally:
        again.close()
        new.close()
    last = opened(root)
    assert last.folder.parent.stat().st_mode & 0o777 == 0o755
    last.close()
    assert last.folder.parent.stat().st_mode & 0o777 == 0o700
    assert (last.folder / "data/5.txt").stat().st_ino == before


def test_another_command_has_its_own_and_a_killed_one_leaves_its_to_the_next(large: Path) -> None:
    program = "import sys, time; from tests.codeopt.workloads.sandbox_view.test_copies import *; "
    program += "print(opened(Path(sys.argv[1])).folder, flush=True); time.sleep(100)"
    with subprocess.Popen([sys.executable, "-c", program, str(large)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        view = opened(large)
        view.close()
        process.send_signal(signal.SIGKILL)
    assert view.folder != folder
    view = opened(large)
    view.close()
    assert view.folder == folder


def test_clean_removes_what_is_kept(large: Path) -> None:
    view = opened(large)
    in_use = codeopt("clean", cwd=large)
    assert (in_use.status, "another command uses it" in in_use.err) == (2, True)
    view.close()
    (row,) = codeopt("clean", "--json", cwd=large).json["removed"]
    assert row == {"path": str(view.folder.parent), "files": KEPT_FROM + 2, "bytes": 6 * (KEPT_FROM + 2)}
    assert not view.folder.exists()


def test_a_folder_of_another_kind_in_its_place_is_not_taken(root: Path, tmp_path: Path) -> None:
    view = opened(root)
    view.close()
    linked_elsewhere(view.folder.parent, tmp_path)
    view = opened(root)
    view.close()
    assert view.folder.parent.name.endswith("-1")
