"""What git knows of a change, asked so that no file name, attribute or setting of the change can bend the answer."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from codeopt.core.errors import UsageError
from codeopt.core.git import Git, find_git, new_work_tree

REGULAR = ("100644", "100755")


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

    git: Git

    @property
    def root(self) -> Path:
        """Its top level."""
        return self.git.root

    def commit(self, reference: str) -> str:
        """The full name of a commit. Raises UsageError."""
        try:
            found = self.git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}")
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
            return self.git.ask("merge-base", commit, head).decode().split()[0]
        except (UsageError, IndexError):
            raise UsageError(
                f"HEAD and {reference!r} have no commit in common here; is the clone shallow? (in CI: fetch-depth: 0)"
            ) from None

    def entries(self, base: str) -> list[Entry]:
        """Which tracked files of the working tree differ from `base`."""
        words = self.git.ask("diff", "--raw", "-z", "--no-abbrev", "-M", base, "--").split(b"\0")
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
        listed = self.git.ask("ls-files", "-z", "--cached", "--others", "--exclude-standard").split(b"\0")
        return list(dict.fromkeys(os.fsdecode(name) for name in listed if name))

    def old_bytes(self, commit: str, path: str) -> bytes:
        """A file as `commit` has it. Raises UsageError."""
        return self.git.ask("cat-file", "blob", f"{commit}:{path}")

    def diff(self, base: str) -> str:
        """The change as a unified diff; paths as git quotes them."""
        found = self.git.ask("diff", "-M", "--src-prefix=a/", "--dst-prefix=b/", base, "--")
        return found.decode("utf-8", "replace")

    def write_tree(self, commit: str, folder: Path) -> Git:
        """The files of `commit` in a folder, as a work tree of its own in which git knows what is tracked.

        No filter is run. Data for which one is meant, such as that of git-lfs, is copied from this work tree, where the
        user's git has run it, if git has the same in `commit`; code is as git keeps it.
        """
        git = new_work_tree(folder)
        index = git.root / ".git" / "index"
        self.git.ask("read-tree", commit, index=index)
        self.git.ask("checkout-index", "--all", "--quiet", f"--prefix={git.root}/", index=index)
        for name in self._filtered(commit) if self.git.has_filters else ():
            source, target = self.root / name, git.root / name
            if _is_plain(source) and _is_plain(target):
                shutil.copyfile(source, target)
        return git

    def _filtered(self, commit: str) -> set[str]:
        """Paths of data for which an attribute names a filter, of what git has as `commit` has it."""
        names = self.git.ask("ls-tree", "-r", "-z", "--name-only", commit)
        words = self.git.ask("check-attr", "-z", "--stdin", "filter", given=names).split(b"\0")
        found = zip(words[::3], words[2::3], strict=False)
        filtered = {os.fsdecode(path) for path, value in found if value not in (b"unspecified", b"unset", b"set")}
        code = {path for path in filtered if path.endswith(".py")}
        differ = self.git.ask("diff", "--cached", "--name-only", "--no-renames", "-z", commit, "--").split(b"\0")
        return filtered - code - set(map(os.fsdecode, differ))

    def attributes(self, names: Iterable[str], paths: Iterable[str]) -> dict[str, set[str]]:
        """path -> which of the attributes are set for it."""
        given = b"".join(os.fsencode(path) + b"\0" for path in paths)
        words = self.git.ask("check-attr", "-z", "--stdin", *names, given=given).split(b"\0")
        found: dict[str, set[str]] = {}
        for path, name, value in zip(words[::3], words[1::3], words[2::3], strict=False):
            if value in (b"set", b"true"):
                found.setdefault(os.fsdecode(path), set()).add(name.decode())
        return found


def open_repository(folder: Path) -> Repository:
    """The repository that a folder belongs to. Raises UsageError."""
    git = find_git(folder)
    if git is None:
        raise UsageError(f"{folder} is in no git work tree: a change is what git knows of it")
    return Repository(git)


def _is_plain(path: Path) -> bool:
    """A file, and no link on the way to it."""
    return path.is_file() and path == Path(os.path.realpath(path))
