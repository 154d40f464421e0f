"""A git repository, asked so that no file name, attribute or setting of a change can bend the answer."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from codeopt.core.errors import UsageError
from codeopt.core.git import Git, GitError, GitRefused, find_git, new_work_tree
from codeopt_sandbox.plain_files import is_plain


@dataclass(frozen=True)
class Entry:
    """One file that differs between a commit and the working tree."""

    status: str
    """Git's letter of the difference: A, M, R, C, D or T."""
    old_path: str
    """Path in the commit."""
    path: str
    """Path below the root, with `/`. Surrogates represent bytes that are not UTF-8."""
    regular: bool
    """True if it is a plain file in the working tree, not a link or submodule."""


@dataclass(frozen=True)
class Repository:
    """A work tree of git."""

    git: Git

    @property
    def root(self) -> Path:
        """Top level of the work tree."""
        return self.git.root

    def commit(self, reference: str) -> str:
        """Full hash of a commit. Raises UsageError where git does not know it, GitRefused where it does not look."""
        found = self._known(reference)
        if not found:
            hint = "fetch it first; in CI check out with fetch-depth: 0"
            raise UsageError(f"git knows no commit {reference!r} here", hint=hint)
        return found

    def has(self, reference: str) -> bool:
        """Return whether git knows a commit by this name. Raises GitRefused if git refuses to look."""
        return bool(self._known(reference))

    def _known(self, reference: str) -> str:
        """Full hash of a commit. Empty if git does not know it. Raises GitRefused."""
        try:
            found = self.git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}")
        except GitRefused:
            raise
        except GitError:
            return ""
        return found.decode().strip()

    def fork_point(self, reference: str) -> str:
        """Commit at which HEAD left `reference`: what came to the other branch since is no part of the change.
        Raises UsageError."""
        commit, head = self.commit(reference), self.commit("HEAD")
        try:
            return self.git.ask("merge-base", commit, head).decode().split()[0]
        except (UsageError, IndexError):
            hint = "fetch more of a shallow clone; in CI check out with fetch-depth: 0"
            raise UsageError(f"HEAD and {reference!r} have no commit in common here", hint=hint) from None

    def entries(self, base: str) -> list[Entry]:
        """Tracked files of the working tree that differ from `base`. Raises UsageError."""
        words = self.git.ask("diff", "--raw", "-z", "--no-abbrev", "-M", base, "--").split(b"\0")
        found, at = [], 0
        while at < len(words) - 1:
            _, mode, _, _, status = words[at].decode().removeprefix(":").split(" ")
            paths = 2 if status[0] in "RC" else 1
            old, new = (os.fsdecode(words[at + 1]), os.fsdecode(words[at + paths]))
            # Git's modes of plain files
            found.append(Entry(status[0], old, new, mode in ("100644", "100755")))
            at += 1 + paths
        return found

    def names(self) -> list[str]:
        """Paths of the files that git tracks or would track. Raises UsageError."""
        listed = self.git.ask("ls-files", "-z", "--cached", "--others", "--exclude-standard").split(b"\0")
        return list(dict.fromkeys(os.fsdecode(name) for name in listed if name))

    def old_bytes(self, commit: str, path: str) -> bytes:
        """Content of a file in a commit. Raises UsageError."""
        return self.git.ask("cat-file", "blob", f"{commit}:{path}")

    def diff(self, base: str) -> str:
        """Unified diff from a commit to the working tree, paths as git quotes them. Raises UsageError."""
        found = self.git.ask("diff", "-M", "--src-prefix=a/", "--dst-prefix=b/", base, "--")
        return found.decode("utf-8", "replace")

    def write_tree(self, commit: str, folder: Path) -> Git:
        """Write the files of a commit into a folder, as a work tree of its own. Raises UsageError.

        No filter is run. Data for which one is meant, such as that of git-lfs, is copied from this work tree, where the
        user's git has run it, if git has the same in `commit`; code is as git keeps it.
        """
        git = new_work_tree(folder)
        index = git.root / ".git" / "index"
        self.git.ask("read-tree", commit, index=index)
        self.git.ask("checkout-index", "--all", "--quiet", f"--prefix={git.root}/", index=index)
        if self.git.has_filters:
            names = self.git.ask("ls-tree", "-r", "-z", "--name-only", commit)
            words = self.git.ask("check-attr", "-z", "--stdin", "filter", given=names).split(b"\0")
            differ = {*self.git.ask("diff", "--cached", "--name-only", "--no-renames", "-z", commit, "--").split(b"\0")}
            for path, value in zip(words[::3], words[2::3], strict=False):
                source, target = self.root / os.fsdecode(path), git.root / os.fsdecode(path)
                is_data = value not in (b"unspecified", b"unset", b"set") and not path.endswith(b".py")
                if is_data and path not in differ and is_plain(source) and is_plain(target):
                    shutil.copyfile(source, target)
        return git

    def attributes(self, names: Iterable[str], paths: Iterable[str]) -> dict[str, set[str]]:
        """Map each path to those of the attributes that are set for it. Raises UsageError."""
        given = b"".join(os.fsencode(path) + b"\0" for path in paths)
        words = self.git.ask("check-attr", "-z", "--stdin", *names, given=given).split(b"\0")
        found: dict[str, set[str]] = {}
        for path, name, value in zip(words[::3], words[1::3], words[2::3], strict=False):
            if value in (b"set", b"true"):
                found.setdefault(os.fsdecode(path), set()).add(name.decode())
        return found


def open_repository(folder: Path) -> Repository:
    """Open the repository that a folder belongs to. Raises UsageError without one."""
    git = find_git(folder)
    if git is None:
        hint = "codeopt check needs no git; git init makes a repository"
        raise UsageError(f"{folder} is in no git work tree", hint=hint)
    return Repository(git)
