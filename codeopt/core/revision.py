"""The text of one or several files at one point in time: what is improved, and each draft of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Annotated, Any

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
