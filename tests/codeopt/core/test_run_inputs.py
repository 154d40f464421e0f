"""Arguments and the files that they name."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.core.errors import UsageError
from codeopt.core.run_inputs import environment, is_secret, read_run_inputs
from tests.support.files import write_files


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a file, and a folder that holds a key and a link."""
    here = tmp_path / "here"
    write_files(here, {"a.csv": "a", "data/b.csv": "b", "data/deep/c.csv": "c", "data/.env": "KEY=1"})
    (here / "data" / "link").symlink_to("/etc/passwd")
    (tmp_path / "a.csv").write_text("outside")
    monkeypatch.chdir(here)
    return here


def test_arguments_that_are_paths_bring_their_files(folder: Path) -> None:
    """Those inside the current folder keep their place; others are found by their names, never over each other."""
    args, files = read_run_inputs(("--top", "10", "a.csv", "--in=./a.csv", "../a.csv", "-", "", "/dev/null", "x\0"), ())
    assert args == ("--top", "10", "a.csv", "--in=a.csv", "_a.csv", "-", "", "/dev/null", "x\0")
    assert dict(files) == {"a.csv": b"a", "_a.csv": b"outside"}


def test_folders_come_without_secrets_and_links(folder: Path) -> None:
    args, files = read_run_inputs((str(folder / "data"),), (Path("a.csv"),))
    assert args == ("data",)
    assert dict(files) == {"a.csv": b"a", "data/b.csv": b"b", "data/deep/c.csv": b"c"}


NAMES_OF_SECRETS = (
    ".env", ".env.local", "prod.env", "server.pem", "server.KEY", "a.p12", "a.pfx", "a.jks", "a.keystore", "a.kdbx",
    "id_rsa", "a.ppk", ".netrc", "_netrc", ".pypirc", ".npmrc", ".htpasswd", ".git-credentials", ".pgpass", ".my.cnf",
    "aws_credentials", "client_secret.json", "secrets.yml", "secrets.yaml", "secret.toml", "my-service-account-1.json",
    "a.tfstate", "a.tfstate.backup", "a.tfvars", ".ssh/config", ".aws/x", ".git/config", ".codeopt/cache/cache.sqlite",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES_OF_SECRETS)
def test_what_may_be_a_secret_by_its_name_is_not_shown(name: str) -> None:
    assert is_secret(Path("deep") / name)


@pytest.mark.parametrize("name", ["environment.txt", "keys.csv", "secrets.py", "id.csv", "pem.txt", "data.json"])
def test_what_only_sounds_like_one_is(name: str) -> None:
    assert not is_secret(Path("deep") / name)


def test_what_cannot_be_given_is_one_line(folder: Path) -> None:
    """Too large, missing, too many."""
    with (folder / "big").open("wb") as file:
        file.truncate(3 << 30)
    with pytest.raises(UsageError, match=r"big makes 3072 MiB of files, and a run takes at most 64 MiB"):
        read_run_inputs(("big",), ())
    with pytest.raises(UsageError, match=r"--with nope: there is no such file or folder"):
        read_run_inputs((), (Path("nope"),))
    for number in range(401):
        (folder / "data" / f"{number}.txt").touch()
    with pytest.raises(UsageError, match=r"more than 400 files"):
        read_run_inputs(("data",), ())


def test_variables_are_set_or_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE", "1")
    monkeypatch.delenv("NOT_THERE", raising=False)
    assert environment(("MINE", "A=b=c", "EMPTY=")) == (("MINE", "1"), ("A", "b=c"), ("EMPTY", ""))
    with pytest.raises(UsageError, match=r"--env NOT_THERE: it is not set here"):
        environment(("NOT_THERE",))
