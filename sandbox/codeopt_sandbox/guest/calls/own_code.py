"""Files of the project: warnings and log records of any other code are not compared."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .function_ref import FunctionRef


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
