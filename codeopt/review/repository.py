"""git, asked so that no file name, attribute or setting of a change can bend the answer."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from codeopt.errors import UsageError

PLAIN = ("--no-ext-diff", "--no-textconv", "--no-color", "-M")
REGULAR = ("100644", "100755")
_SETTINGS = ("core.quotePath=true", "core.fsmonitor=false", "safe.bareRepository=explicit", "diff.noprefix=false")
SECONDS = 120.0


@dataclass(frozen=True)
class Entry:
    """One file that differs between a commit and the working tree."""

    status: str
    """A, M, R, C, D or T, as git says."""
    old_path: str
    path: str
    """Below the root, with `/`; bytes that are not UTF-8 stand as surrogates."""
    regular: bool
    """A plain file in the working tree: no link, no submodule."""


@dataclass(frozen=True)
class Repository:
    """A work tree."""

    root: Path

    def ask(self, *arguments: str, given: bytes = b"", environment: Mapping[str, str] | None = None) -> bytes:
        """What a git command prints. Raises UsageError with its last words."""
        return run_git(self.root, *arguments, given=given, environment=environment)

    def commit(self, reference: str) -> str:
        """The full name of a commit. Raises UsageError."""
        try:
            found = self.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}")
        except UsageError:
            raise UsageError(
                f"git knows no commit {reference!r} here; fetch it first (in CI: check out with fetch-depth: 0)"
            ) from None
        return found.decode().strip()

    def has(self, reference: str) -> bool:
        """Whether a commit of that name is here."""
        try:
            return bool(self.commit(reference))
        except UsageError:
            return False

    def fork_point(self, reference: str) -> str:
        """The commit that HEAD and `reference` have in common: what came to the other branch since is no part of the
        change. Raises UsageError."""
        commit, head = self.commit(reference), self.commit("HEAD")
        try:
            return self.ask("merge-base", commit, head).decode().split()[0]
        except (UsageError, IndexError):
            raise UsageError(
                f"HEAD and {reference!r} have no commit in common here; is the clone shallow? (in CI: fetch-depth: 0)"
            ) from None

    def entries(self, base: str) -> list[Entry]:
        """Which tracked files of the working tree differ from `base`."""
        words = self.ask("diff", "--raw", "-z", "--no-abbrev", *PLAIN, base, "--").split(b"\0")
        found, at = [], 0
        while at < len(words) - 1:
            _, mode, _, _, status = words[at].decode().removeprefix(":").split(" ")
            paths = 2 if status[0] in "RC" else 1
            old, new = (os.fsdecode(words[at + 1]), os.fsdecode(words[at + paths]))
            found.append(Entry(status[0], old, new, mode in REGULAR))
            at += 1 + paths
        return found

    def names(self) -> list[str]:
        """Every file of the work tree that git tracks or would track."""
        listed = self.ask("ls-files", "-z", "--cached", "--others", "--exclude-standard").split(b"\0")
        return list(dict.fromkeys(os.fsdecode(name) for name in listed if name))

    def old_bytes(self, commit: str, path: str) -> bytes:
        """A file as `commit` has it. Raises UsageError."""
        return self.ask("cat-file", "blob", f"{commit}:{path}")

    def diff(self, base: str) -> str:
        """The change as a unified diff; paths as git quotes them."""
        found = self.ask("diff", *PLAIN, "--src-prefix=a/", "--dst-prefix=b/", base, "--")
        return found.decode("utf-8", "replace")

    def write_tree(self, commit: str, folder: Path) -> None:
        """The files of `commit` in a folder, as a work tree of its own in which git knows what is tracked."""
        run_git(folder, "init", "-q")
        own = {"GIT_INDEX_FILE": str(folder / ".git" / "index")}
        self.ask("read-tree", commit, environment=own)
        self.ask("checkout-index", "--all", "--quiet", f"--prefix={folder}/", environment=own)

    def attributes(self, names: Iterable[str], paths: Iterable[str]) -> dict[str, set[str]]:
        """path -> which of the attributes are set for it."""
        given = b"".join(os.fsencode(path) + b"\0" for path in paths)
        words = self.ask("check-attr", "-z", "--stdin", *names, given=given).split(b"\0")
        found: dict[str, set[str]] = {}
        for path, name, value in zip(words[::3], words[1::3], words[2::3], strict=False):
            if value in (b"set", b"true"):
                found.setdefault(os.fsdecode(path), set()).add(name.decode())
        return found


def open_repository(folder: Path) -> Repository:
    """The repository that a folder belongs to. Raises UsageError."""
    try:
        top = run_git(folder, "rev-parse", "--show-toplevel").rstrip(b"\n")
    except UsageError:
        raise UsageError(f"{folder} is in no git work tree: a change is what git knows of it") from None
    return Repository(Path(os.fsdecode(top)))


def run_git(folder: Path, *arguments: str, given: bytes = b"", environment: Mapping[str, str] | None = None) -> bytes:
    """What a git command prints. Raises UsageError."""
    command = ["git", "-C", str(folder), "--literal-pathspecs"]
    for setting in _SETTINGS:
        command += ["-c", setting]
    around = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C", **(environment or {})}
    try:
        done = subprocess.run([*command, *arguments], input=given, capture_output=True, timeout=SECONDS, env=around)
    except FileNotFoundError as error:
        raise UsageError("there is no git here, which a review needs") from error
    except subprocess.TimeoutExpired as error:
        raise UsageError(f"git {arguments[0]} did not end within {SECONDS:g} s") from error
    if done.returncode != 0:
        last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise UsageError(f"git {arguments[0]} failed: {last or done.returncode}")
    return done.stdout
