"""The only place that starts git: at a work tree's own top level.

Every feature is off by which a repository, its attributes or its settings could name a program to run. A nested folder
that tracks `HEAD`, `config`, `objects` and `refs` is not a repository here. Only `.git` is, which git itself never
checks out. The settings of a `.git` are the user's own, unless the work tree came as an archive that includes `.git`.
So each setting that names a program is overridden, independent of its author.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from codeopt.core.errors import UsageError
from codeopt_sandbox.interpreter import find_program
from codeopt_sandbox.plain_files import NotPlain, what_waits

MAX_COMMAND_S = 120.0
"""Time limit of one git command, seconds."""
LOOK_S = 1.0
"""Seconds after which the files that a git command reads are looked at: a named pipe among them would block it.

Not earlier: in a large work tree the look takes as long as git itself.
"""
MAX_OUTPUT_BYTES = 256 << 20
"""Output limit of one git command, bytes."""
MAX_PATHS_AT_ONCE = 500
"""Most paths in one call of git, whose command line is limited."""
_COMMANDS = """
    add branch cat-file check-attr check-ref-format checkout-index commit-tree config diff hash-object init
    ls-files ls-tree merge-base read-tree rev-parse status update-index var write-tree
"""
COMMANDS = frozenset(_COMMANDS.split())
"""The git commands that may be run: no command here contacts a server, merges, opens an editor or signs."""
READ_BY_GIT = (".gitattributes", ".gitignore", ".gitmodules")
"""Names of files that git reads in any folder of a work tree."""
_FLAGS: Mapping[str, tuple[str, ...]] = {
    "diff": ("--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short", "--ignore-submodules=dirty"),
    "status": ("--ignore-submodules=dirty",),
    "init": ("--template=",),
}
"""Flags for commands that would otherwise start a second git in a submodule, under the submodule's settings, or copy
hooks from a template."""
_SETTINGS = """
    core.fsmonitor= core.hooksPath=/dev/null core.attributesFile=/dev/null core.pager=cat core.editor=false
    core.askPass=false core.sshCommand=false core.gitProxy= core.alternateRefsCommand=false core.quotePath=true
    sequence.editor=false diff.external= diff.noprefix=false diff.mnemonicPrefix=false diff.relative=false
    diff.orderFile=/dev/null credential.helper= gpg.program=false gpg.openpgp.program=false gpg.x509.program=false
    gpg.ssh.program=false gpg.ssh.defaultKeyCommand=false commit.gpgSign=false tag.gpgSign=false
    log.showSignature=false protocol.allow=never submodule.recurse=false status.submoduleSummary=false
    uploadpack.packObjectsHook=false maintenance.auto=false gc.auto=0 safe.bareRepository=explicit
"""
_NAMED_SETTINGS: Mapping[str, str] = {
    **dict.fromkeys(("clean", "smudge", "process", "event", "helper", "vcs"), ""),
    **dict.fromkeys(
        ("required", "textconv", "command", "cmd", "driver", "enabled", "program", "uploadpack", "receivepack"), "false"
    ),
    "update": "none",
    "allow": "never",
}
"""Harmless value for each setting `section.NAME.word`, by its last word.

git has no pattern that switches all of them off. So each one that is set is overridden by its full name.
"""
_KEPT = ("GIT_CONFIG_", "GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_EXEC_PATH")
"""Prefixes of the user's own GIT_ variables that git still gets. Settings made by them are overridden like
any other.
"""
_QUIET = """
    LC_ALL=C LANGUAGE= PAGER=cat EDITOR=false VISUAL=false SSH_ASKPASS=false GIT_ASKPASS=false GIT_EDITOR=false
    GIT_SSH_COMMAND=false GIT_PAGER=cat GIT_TERMINAL_PROMPT=0 GIT_OPTIONAL_LOCKS=0 GIT_ALLOW_PROTOCOL=
    GIT_NO_LAZY_FETCH=1
"""


class GitError(UsageError):
    """A git command that refused, failed or did not end. The message is git's own last line."""


class NoGit(GitError):
    """Error for a machine without a git program."""


class GitRefused(GitError):
    """A repository that git does not open: it belongs to somebody else."""


@dataclass(frozen=True)
class Git:
    """A git that runs in one folder."""

    root: Path
    """Top level of the work tree, links resolved. With `inside` False, a folder in no work tree."""
    inside: bool = True
    named: tuple[str, ...] = field(default=(), repr=False)
    """Overridden settings that have a name in the middle, such as `filter.lfs.smudge=`."""

    def ask(self, command: str, *arguments: str, given: bytes = b"", index: Path | None = None) -> bytes:
        """Run a git command and return its standard output.

        given: the command's standard input. index: an index file to use in place of the repository's own. Raises
        GitError, and NoGit where there is no git; ValueError for a command outside of COMMANDS.
        """
        if command not in COMMANDS:
            raise ValueError(f"git {command} is not on the list of commands that run nothing")
        program = find_program("git")
        if program is None:
            raise NoGit("there is no git here")
        words = [program, "-C", str(self.root), "--no-pager", "--literal-pathspecs"]
        for setting in (*_SETTINGS.split(), *self.named):
            words += ["-c", setting]
        words += [command, *_FLAGS.get(command, ()), *arguments]
        return _printed(command, words, given, self._environment(index), self.root)

    @property
    def has_filters(self) -> bool:
        """Return whether a filter is configured. git itself would run it on files that ask for it. No filter is run
        here.
        """
        return any(setting.startswith("filter.") for setting in self.named)

    def files(self, folder: Path, *flags: str) -> list[Path]:
        """Paths that `git ls-files` lists below a folder of the work tree, relative to that folder, whose own links are
        resolved.

        Raises GitError, and ValueError for a folder outside of the work tree.
        """
        place = folder.relative_to(self.root)
        listed = self.ask("ls-files", "-z", *flags, "--", *([str(place)] if place != Path() else []))
        found = (Path(os.fsdecode(name)) for name in listed.split(b"\0") if name)
        return [path.relative_to(place) for path in found] if place != Path() else list(found)

    def tracked(self, paths: Sequence[Path]) -> list[Path]:
        """The files that git tracks at and below some paths of the work tree, each of which has a parent that is no
        link. Raises GitError."""
        names = [str(path.relative_to(self.root)) for path in paths]
        parts = (names[at : at + MAX_PATHS_AT_ONCE] for at in range(0, len(names), MAX_PATHS_AT_ONCE))
        listed = (self.ask("ls-files", "-z", "--cached", "--", *part) for part in parts)
        return [self.root / os.fsdecode(name) for each in listed for name in each.split(b"\0") if name]

    def _environment(self, index: Path | None) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_") or key.startswith(_KEPT)}
        found = kept | dict(setting.split("=") for setting in _QUIET.split())
        found["GIT_CEILING_DIRECTORIES"] = str(self.root.parent)
        if self.inside:  # goes before core.worktree; discovery, with its look at who owns it, is as ever
            found["GIT_WORK_TREE"] = str(self.root)
        return found | ({"GIT_INDEX_FILE": str(index)} if index else {})


def work_trees(place: Path) -> Iterator[Path]:
    """The top levels of the work trees around a path, the innermost first. Starts no program."""
    real = Path(os.path.realpath(place))
    for folder in (real, *real.parents):
        mark = folder / ".git"
        if mark.is_file() or os.path.lexists(mark / "HEAD"):  # as for git, an empty `.git` does not count
            yield folder


def open_git(root: Path) -> Git:
    """git at the top level of a work tree.

    Raises GitError where the settings cannot be read, or one of them cannot be switched off.
    """
    return _overriding(Git(root))


def find_git(place: Path) -> Git | None:
    """git for the innermost work tree around a path; None outside of any.

    Raises GitError as `open_git` does.
    """
    root = next(work_trees(place), None)
    return open_git(root) if root else None


def new_work_tree(folder: Path) -> Git:
    """Make a folder of codeopt's own a work tree, and open it.

    Raises GitError as `Git.ask` and `open_git` do.
    """
    root = Path(os.path.realpath(folder))
    _overriding(Git(root, inside=False)).ask("init", "-q")
    return open_git(root)


def tracked_files(folder: Path) -> list[Path] | None:
    """Files below a folder that git tracks, relative to it; None where there is no repository or no git.

    Raises GitError for a repository that git refuses.
    """
    return _files(folder, "--cached")


def unadded_files(folder: Path) -> list[Path] | None:
    """Files below a folder that git neither tracks nor ignores, relative to it; None where there is no repository or no
    git.

    Raises GitError for a repository that git refuses.
    """
    return _files(folder, "--others", "--exclude-standard")


def _files(folder: Path, *flags: str) -> list[Path] | None:
    folder = Path(os.path.realpath(folder))
    try:
        git = find_git(folder)
        return git.files(folder, *flags) if git else None
    except NoGit:
        return None


def _overriding(git: Git) -> Git:
    """Return the same git with every setting that names a program overridden. Raises GitError, also for a key that
    holds an `=`."""
    keys = [os.fsdecode(key) for key in git.ask("config", "--name-only", "-z", "--list").split(b"\0") if key]
    found = []
    for key in dict.fromkeys(keys):
        section, _, rest = key.partition(".")
        name, dot, last = rest.rpartition(".")
        neutral = "version" if section == "alias" else _NAMED_SETTINGS.get(last) if dot else None
        if neutral is None:
            continue
        if "=" in key:  # git reads `-c KEY=VALUE` up to the first one
            raise GitError(
                f"the git settings of {git.root} name {name!r}, which cannot be switched off", hint="rename it"
            )
        found.append(f"{key}={neutral}")
    return Git(git.root, git.inside, tuple(found))


# --- the process ---------------------------------------------------------------------------------


def _printed(command: str, words: Sequence[str], given: bytes, environment: Mapping[str, str], root: Path) -> bytes:
    """Start git, wait for its end and return its standard output. Raises GitError."""
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stderr:
        stdin.write(given)
        stdin.seek(0)
        try:
            process = subprocess.Popen(
                words, stdin=stdin, stdout=subprocess.PIPE, stderr=stderr, env=environment, start_new_session=True
            )
        except OSError as error:
            raise GitError(f"git {command} cannot be started: {error.strerror}") from error
        printed, status = _read(process, f"git {command}", root)
        if status:
            stderr.seek(0)
            raise _failure(command, stderr.read(1 << 20).decode("utf-8", "replace"), status)
    return printed


def _read(process: subprocess.Popen[bytes], name: str, root: Path) -> tuple[bytes, int]:
    """The standard output and the exit status of a process. Raises GitError where either limit is met, and where it
    waits for what is no file."""
    late = threading.Event()
    waited: list[NotPlain] = []

    def look() -> None:
        """Look at the files that git itself reads in a work tree: those of `.git`, and those that say what is ignored
        and how files are treated."""
        for folder, folders, names in os.walk(root):
            own = ".git" in Path(folder).relative_to(root).parts
            for path in (Path(folder, each) for each in (*folders, *names) if own or each in READ_BY_GIT):
                if (found := what_waits(path)) and process.returncode is None:
                    waited.append(found)
                    _kill(process)
                    return

    def end() -> None:
        late.set()
        _kill(process)

    timer, looker = threading.Timer(MAX_COMMAND_S, end), threading.Timer(LOOK_S, look)
    looker.daemon = True
    timer.start()
    looker.start()
    try:
        assert process.stdout is not None
        printed = bytearray()
        with process.stdout as stdout:
            while part := stdout.read(1 << 16):
                printed += part
                if len(printed) > MAX_OUTPUT_BYTES:
                    raise GitError(f"{name} printed more than {MAX_OUTPUT_BYTES >> 20} MiB")
        status = process.wait()
    finally:
        timer.cancel()
        looker.cancel()
        _kill(process)
        process.wait()
    if waited:
        raise GitError(f"{waited[0].filename}: {waited[0].strerror}, and git would wait for it")
    if late.is_set():
        raise GitError(f"{name} did not end within {MAX_COMMAND_S:g} s")
    return bytes(printed), status


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the process group, unless its leader was reaped: the number may belong to another by then."""
    if process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def _failure(command: str, said: str, status: int) -> GitError:
    """The failure, told in one line: the cause, and what the user can do."""
    if "promisor" in said or "lazy fetching disabled" in said:
        return GitError(
            f"git {command} failed: this partial clone lacks objects",
            hint="fetch them with `git archive REF >/dev/null`, REF being the commit",
        )
    lines = said.strip().splitlines()
    fatal = next((line for line in lines if line.startswith("fatal: ")), lines[-1] if lines else "")
    reason = fatal.removeprefix("fatal: ").removeprefix("error: ")
    if "dubious ownership" in reason:
        place = reason.partition(" at ")[2].strip("'")
        return GitRefused(f"git {command} failed: {reason}", hint=f"git config --global --add safe.directory {place}")
    return GitError(f"git {command} failed: {reason or f'exit status {status}'}")
