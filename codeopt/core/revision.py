"""The text of one or several files at one point in time; several versions of one as a patch, and merged."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Annotated, Any

from codeopt.core.sanitize import printable

HEAD = "# === file: {path} ===\n"
"""Line above each of several files in a text for a language model."""
OWN = ""
"""Path of the target itself, if it is one file. The paths of a project's files start in its folder."""


class Revision(Mapping[str, str]):
    """A mapping of path to text that never changes; equal ones have the same files with the same text."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = dict(files)

    @classmethod
    def of(cls, text: str, path: str = OWN) -> Revision:
        """The revision of a target that is one file."""
        return cls({path: text})

    def __getitem__(self, path: str) -> str:
        return self._files[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __eq__(self, other: object) -> bool:
        return self._files == (other._files if isinstance(other, Revision) else other)

    def __hash__(self) -> int:
        return hash(frozenset(self._files.items()))

    def __repr__(self) -> str:
        return f"<Revision {self.digest[:12]} of {', '.join(self) or len(self)}>"

    @property
    def text(self) -> str:
        """Text of the only file. Raises ValueError where there are several, or none."""
        if len(self._files) != 1:
            raise ValueError(f"a revision of {len(self._files)} files has no text of its own; look at each file")
        return next(iter(self._files.values()))

    @property
    def is_one_file(self) -> bool:
        """The target is a file, not a project."""
        return self._files.keys() == {OWN}

    @property
    def digest(self) -> str:
        """SHA-256 in hexadecimal: of a single file's text as sha256sum says it, of a project's paths and texts, whose
        order does not matter."""
        found = sha256()
        if self.is_one_file:
            found.update(self.text.encode("utf-8", "surrogatepass"))
            return found.hexdigest()
        for path, text in sorted(self._files.items()):
            for each in (path.encode("utf-8", "surrogatepass"), text.encode("utf-8", "surrogatepass")):
                found.update(b"%d:%b" % (len(each), each))
        return found.hexdigest()

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from pydantic import AfterValidator, PlainSerializer

        return handler.generate_schema(Annotated[dict[str, str], AfterValidator(cls), PlainSerializer(dict)])

    def with_file(self, path: str, text: str) -> Revision:
        return Revision({**self._files, path: text})

    def changed_files(self, before: Mapping[str, str]) -> tuple[str, ...]:
        """Return the paths in both revisions whose text differs from `before`."""
        return tuple(path for path, text in self._files.items() if path in before and before[path] != text)


UNCHANGED = Revision({})
"""Revision that leaves a project unchanged. Files that a revision does not have stay unchanged."""


def pack(revision: Mapping[str, str]) -> str:
    """The files as one text for a prompt, each below its line `# === file: PATH ===`; a target that is one file as it
    is."""
    return "".join(f"{HEAD.format(path=path) if path else ''}{text}" for path, text in revision.items())


def lines_of(text: str) -> list[str]:
    """Split a text into lines as patch does. str.splitlines would also split at form feeds."""
    return [line + "\n" for line in text.split("\n")[:-1]] + [last for last in text.split("\n")[-1:] if last]


def unified(path: str, old: str, new: str) -> str:
    """Make a unified diff that `git apply` and `patch -p1` take. Empty: the texts are equal."""
    before, after = (
        # patch(1) would end a name at a space that no tab follows.
        f"{name}\t" if " " in name and not name.startswith('"') else name
        for name in (quoted(f"a/{path}"), quoted(f"b/{path}"))
    )
    lines = difflib.unified_diff(lines_of(old), lines_of(new), before, after)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def patch(path: str, old: str, new: str) -> str:
    """Make the same with the line above it by which git knows a diff of several files."""
    found = unified(path, old, new)
    return f"diff --git {quoted(f'a/{path}')} {quoted(f'b/{path}')}\n{found}" if found else ""


def quoted(path: str) -> str:
    """Quote a path as git does in a diff: in C's quotes where a character of it could end the line or hide."""
    if printable(path) == path and not set(path) & set('\n\t"\\'):
        return path
    escapes = {ord('"'): '\\"', ord("\\"): "\\\\", ord("\n"): "\\n", ord("\t"): "\\t"}
    codes = (escapes.get(byte) or (chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}") for byte in os.fsencode(path))
    return f'"{"".join(codes)}"'


def merged(original: str, versions: Sequence[str]) -> tuple[str, list[int]]:
    """Merge the changes of all versions. Returns the text and the versions left out, as they touch the same lines."""
    old = lines_of(original)
    taken: dict[tuple[int, int], list[str]] = {}
    left_out = []
    for number, version in enumerate(versions):
        new = lines_of(version)
        steps = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        edits = {(a, b): new[c:d] for kind, a, b, c, d in steps if kind != "equal"}
        if any(_clash(place, text, taken) for place, text in edits.items()):
            left_out.append(number)
        else:
            taken |= edits
    for (start, end), text in sorted(taken.items(), reverse=True):
        old[start:end] = text
    return "".join(old), left_out


def _clash(place: tuple[int, int], text: list[str], taken: dict[tuple[int, int], list[str]]) -> bool:
    """Return whether another change touches the same lines. An identical change does not clash."""
    start, end = place
    return any(
        not (place == other and text == was) and start <= other[1] and other[0] <= end for other, was in taken.items()
    )


def holds(original: str, version: str, part: str) -> bool:
    """Return whether a version of a text has all changes of another version."""
    text, left_out = merged(original, [version, part])
    return not left_out and text == version


def added(original: str, now: str, new: str) -> str | None:
    """Merge the change from `original` to `new` into `now`. None if they do not go together."""
    text, left_out = merged(original, [now, new])
    return None if left_out else text
