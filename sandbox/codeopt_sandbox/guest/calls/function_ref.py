"""Reference to the function that is called; shared with the host."""

from __future__ import annotations

from ..record import Record


class FunctionRef(Record):
    """Reference to the function that is called, and where its module believes itself to be."""

    module: str
    file: str
    """Path of the module in the sandbox."""
    qualname: str
    paths: tuple[str, ...] = ()
    """Put first on sys.path, in the sandbox."""
    globals: tuple[str, ...] = ()
    """Module-level data of the original; calls that change it are found out."""
    classes: tuple[str, ...] = ()
    """Module-level classes of the original; the same for their data."""
    attributes: tuple[str, ...] = ()
    """Attributes of functions that the original's text sets, `f.calls`; the same for them."""
    generator: bool = False
    """The function is a generator function for its callers, who may close it: another iterator in its place is
    reported."""
    receives: bool = False
    """The generator takes what is sent to it, unlike an iterator: one in its place is another answer."""
    first_line: int = 1
    """First line of the function's body: lines from here on count for coverage."""
    asynchronous: bool = False
    calls_file: str | None = None
    """Text of the user's file with CALLS and BIG."""
    memory_bytes: int = 0
    """Memory limit of one worker beyond the import, bytes: it then gets a MemoryError where a run would be killed; 0
    for no limit."""
    whole_answers: bool = False
    """Long answers are reported whole, up to a million characters: a checker of the user's own reads them."""
    aliases: tuple[str, ...] = ()
    """Other names under which pickled arguments may know the module."""
    test_paths: tuple[str, ...] = ()
    """Folders of the project's tests, put last on sys.path once the module is imported: classes of arguments
    may be there."""
    django: str = ""
    """Settings module of the Django project that the module is part of, which is set up before its import; empty: it
    is part of none."""
    calls_paths: tuple[str, ...] = ()
    """Folders where modules that the calls file imports are looked for after all others: those of the original, where
    the function is in another project."""
    libraries: tuple[str, ...] = ()
    """Libraries that are imported before the module: those that a version imports and the original does not. Names of
    anything else are ignored."""


class OwnCode:
    """The file of the module under test, and those of the project around it."""

    def __init__(self, ref: FunctionRef) -> None:
        self.file = ref.file
        top = ref.file.rpartition("/")[0]
        package = ref.module if ref.file.endswith("/__init__.py") else ref.module.rpartition(".")[0]
        for _ in package.split(".")[1:]:
            top = top.rpartition("/")[0]
        paths = [path for path in ref.paths if not path.endswith("-packages")]
        self.folders = tuple([f"{path}/" for path in [*([top] if package else []), *paths]])

    def has(self, file: object) -> bool:
        """Whether a file is one of them; what is installed below the project is not, unless it is what is judged."""
        if type(file) is not str or file == self.file:
            return file == self.file
        inside = next((folder for folder in self.folders if file.startswith(folder)), None)
        return inside is not None and "-packages/" not in file[len(inside) :]
