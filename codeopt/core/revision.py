"""The text of one or several files at one point in time, such as a project with a draft in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256


class Revision(Mapping[str, str]):
    """A mapping of path to text that never changes; equal ones have the same files with the same text."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = dict(files)

    def __getitem__(self, path: str) -> str:
        return self._files[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __hash__(self) -> int:
        return hash(frozenset(self._files.items()))

    def __repr__(self) -> str:
        return f"<Revision {self.digest[:12]} of {', '.join(self)}>"

    @property
    def digest(self) -> str:
        """SHA-256 of the paths and texts, in hexadecimal; the order of the files does not matter."""
        found = sha256()
        for path, text in sorted(self._files.items()):
            for each in (path.encode(), text.encode("utf-8", "surrogatepass")):
                found.update(b"%d:%b" % (len(each), each))
        return found.hexdigest()

    def with_file(self, path: str, text: str) -> Revision:
        """The same with another text for one file."""
        return Revision({**self._files, path: text})

    def changed_files(self, before: Mapping[str, str]) -> tuple[str, ...]:
        """Paths of the files that stand in both and have another text than `before`."""
        return tuple(path for path, text in self._files.items() if path in before and before[path] != text)
