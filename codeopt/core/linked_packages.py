"""Folders of sources that an environment imports directly, instead of a copy among its packages.

`pip install -e` links them, and uv, poetry, hatch and pdm link the members of a workspace. Files are only read, no code
runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from codeopt_sandbox.plain_files import read_text

PACKAGES = ("site-packages", "dist-packages")
FINDERS = ("__editable__*.py", "_editable_impl_*.py", "_editable_skbc_*.py", "_*_editable*.py")
"""Modules with a finder, which setuptools, the library `editables` (hatchling, pdm-backend) and scikit-build-core leave
where a folder in a .pth file would show too much."""


def package_folders(libraries: Sequence[str]) -> list[Path]:
    """Folders of installed packages among those that an interpreter imports from."""
    named = dict.fromkeys(Path(library).resolve() for library in libraries)
    inside = [folder / name for folder in named for name in PACKAGES]
    return [folder for folder in dict.fromkeys((*named, *inside)) if folder.name in PACKAGES and folder.is_dir()]


def linked_folders(libraries: Sequence[str]) -> tuple[Path, ...]:
    """Folders outside of an interpreter's packages that it imports from, resolved. Raises OSError."""
    own = package_folders(libraries)
    found = {place.resolve() for folder in own for place in _linked(folder)}
    inside = {place for place in found if any(place.is_relative_to(folder) for folder in own)}
    return tuple(place for place in sorted(found - inside) if place.is_dir() and place.parent != place)


def _linked(folder: Path) -> Iterator[Path]:
    for file in (*folder.glob("*.pth"), *folder.glob("*.egg-link")):
        yield from _of_lines(folder, read_text(file, "replace"))
    for pattern in FINDERS:
        for file in folder.glob(pattern):
            yield from _of_finder(read_text(file, "replace"))


def _of_lines(folder: Path, text: str) -> Iterator[Path]:
    """Return the folders of a .pth file, read in the same way as `site`. Lines of code are skipped."""
    for line in text.splitlines():
        word = line.strip()
        if word and not word.startswith(("#", "import ", "import\t")) and "\0" not in word:
            yield folder / word


def _of_finder(text: str) -> Iterator[Path]:
    """Folders that hold the packages and modules that a finder names by absolute paths."""
    for word in _texts(text):
        if word.startswith("/") and "\n" not in word:
            path = Path(word)
            folder = path.parent.parent if path.name == "__init__.py" else path.parent
            while (folder / "__init__.py").is_file():
                folder = folder.parent
            yield folder


def _texts(source: str) -> Iterable[str]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
