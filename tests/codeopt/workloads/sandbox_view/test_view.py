"""What of a project is shown, and under which name its files are imported."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from codeopt.core.errors import UsageError
from codeopt.workloads.sandbox_view.view import INSIDE, is_secret, locate, open_places, open_view, tracked
from tests.support.files import make_repository, write_files


def tracking(folder: Path, *names: str) -> Path:
    """A git repository that tracks these files."""
    return make_repository(folder, dict.fromkeys(names, "x = 1\n"))


@pytest.mark.parametrize(
    ("file", "others", "name", "base"),
    [
        ("pkg/mod.py", ["pkg/__init__.py"], "pkg.mod", "."),
        ("pkg/sub/mod.py", ["pkg/__init__.py", "pkg/sub/__init__.py"], "pkg.sub.mod", "."),
        ("pkg/__init__.py", [], "pkg", "."),
        ("src/pkg/mod.py", ["src/pkg/__init__.py"], "pkg.mod", "src"),
        ("src/space/pkg/mod.py", ["src/space/pkg/__init__.py"], "space.pkg.mod", "src"),
        ("script.py", [], "script", "."),
        ("tools/one-off.py", [], "one_off", "tools"),
    ],
)
def test_import_names(tmp_path: Path, file: str, others: list[str], name: str, base: str) -> None:
    root = tracking(tmp_path, file, *others)
    found = locate(root / file)
    assert (found.name, found.roots[0], found.root) == (name, (root / base).resolve(), root.resolve())


def test_only_what_git_tracks_and_no_secrets(tmp_path: Path) -> None:
    secrets = [".env", "prod.env", "deploy/id_rsa", "certs/server.pem", "aws-credentials", "config/secrets.yaml"]
    root = tracking(tmp_path, "pkg/__init__.py", "pkg/mod.py", "pkg/secret_sharing.py", "data.csv", *secrets)
    (root / "untracked.py").write_text("x = 1\n")
    module = locate(root / "pkg/mod.py")
    view = open_view(module)
    try:
        shown = [path.relative_to(view.folder) for path in view.folder.rglob("*") if path.is_file()]
        found = sorted(str(path) for path in shown if path.suffix != ".pyc")
        compiled = {path.name.partition(".")[0] for path in shown if path.suffix == ".pyc"}
    finally:
        view.close()
    assert compiled <= {"__init__", "mod"}
    assert found == ["data.csv", "pkg/__init__.py", "pkg/mod.py", "pkg/secret_sharing.py"]
    assert not view.folder.exists()
    assert view.mounts == ((str(view.folder), INSIDE),)


@pytest.mark.parametrize(("same", "folders"), [(True, 1), (False, 2)], ids=["same project", "other project"])
def test_two_versions_of_one_project_have_one_copy(tmp_path: Path, same: bool, folders: int) -> None:
    root = tracking(tmp_path / "one", "pkg/__init__.py", "pkg/old.py", "pkg/test_old.py", "notes/test_x.txt")
    other = root if same else tracking(tmp_path / "two", "pkg/__init__.py")
    (other / "pkg/new.py").write_text("from pkg import helper\n")
    (other / "pkg/helper.py").write_text("x = 1\n")  # of this version alone, and not added to git
    new = open_view(locate(other / "pkg/new.py"), f"{INSIDE}-new")
    old = open_view(locate(root / "pkg/old.py"), beside=new)
    try:
        assert len({old.folder, new.folder}) == folders
        assert (old.folder / "pkg/old.py").exists()
        assert (new.folder / "pkg/helper.py").exists()
        assert old.test_folders == [root.resolve(), root.resolve() / "pkg"]
    finally:
        old.close()
        new.close()
    assert not old.folder.exists()


def test_a_file_outside_of_git_brings_its_neighbours(tmp_path: Path) -> None:
    write_files(tmp_path, dict.fromkeys(("one.py", "two.py", "notes.txt", ".env"), ""))
    assert [str(path) for path in tracked(locate(tmp_path / "one.py"))] == ["one.py", "two.py"]


def test_and_a_package_all_its_files_and_the_projects_tests_with_what_they_read(tmp_path: Path) -> None:
    package = ["pkg/__init__.py", "pkg/one.py", "pkg/tables/grammar.txt"]
    shown = [*package, "tests/data/rows.csv", "tests/test_one.py", "test_two.py", "conftest.py"]
    hidden = ["pkg/.env", "pkg/__pycache__/one.cpython-311.pyc", "pkg/server.pem"]
    for name in (*shown, *hidden, "tests/.env", "tests/__pycache__/x.pyc", "notes.txt", "other/two.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert [str(path) for path in tracked(locate(tmp_path / "pkg" / "one.py"))] == shown


def test_an_installed_package_is_not_copied() -> None:
    import packaging.version

    module = locate(Path(packaging.version.__file__))
    assert module.name == "packaging.version"
    view = open_view(module)
    view.close()
    assert not view.mounts


@pytest.mark.parametrize(
    "name", [".git/config", "a/.env.local", "id_ed25519", "x.pem", ".ssh/known", "credentials.json"]
)
def test_secrets(name: str) -> None:
    assert is_secret(Path(name))


@pytest.mark.parametrize("name", ["environment.py", "credentials.py", "keys.md", "a/identity.py"])
def test_no_secrets(name: str) -> None:
    assert not is_secret(Path(name))


def test_more_than_a_sandbox_is_given_is_an_error(tmp_path: Path) -> None:
    """A part of the files alone would be another project."""
    root, tests = tracking(tmp_path / "project", "mod.py"), tmp_path / "tests"
    tests.mkdir()
    for number in range(21):
        for folder in (root, tests):
            with (folder / f"{number}.bin").open("wb") as file:
                file.truncate(20 << 20)
    with closing(open_view(locate(root / "mod.py"))) as view, pytest.raises(UsageError, match="400 MiB"):
        open_places([tests], view)
    tracking(root)
    with pytest.raises(UsageError, match="400 MiB"):
        open_view(locate(root / "mod.py"))
