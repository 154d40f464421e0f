"""Samples the working function of one file while a user's own command runs, by its CPU time."""

from __future__ import annotations

import os

from .cpu_sampler import CpuSampler
from .watched_file import WatchedFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

OUTSIDE = -1
"""First line for code outside of the file."""
MODULE_LEVEL = 0
"""First line for the module itself."""
LIBRARIES = (os.path.dirname(os.__file__) + os.sep, "<")  # noqa: PTH120  what a user's program imports is left alone


class OwnTime(CpuSampler):
    """Adds up seconds by the first line of the innermost function of the file; what libraries do counts for who called
    them."""

    nobody = OUTSIDE

    def __init__(self, path: str, sink: Callable[[str], None]) -> None:
        super().__init__()
        self.watched, self.sink = WatchedFile(path), sink
        self.files: dict[str, bool] = {}
        """True for the recorded file, by the file name of a code object."""

    def key(self, frame: FrameType) -> int:
        """Return a function's first line, OUTSIDE or MODULE_LEVEL."""
        inner: FrameType | None = frame
        while inner is not None:
            code = inner.f_code
            name = code.co_filename
            if name not in self.files:
                self.files[name] = self.watched.is_at(name)
            if self.files[name]:
                return MODULE_LEVEL if code.co_name == "<module>" else code.co_firstlineno
            if not name.startswith(LIBRARIES) and "-packages" not in name:
                return OUTSIDE
            inner = inner.f_back
        return OUTSIDE

    def tell(self, key: int, seconds: float) -> None:
        """One line of the log."""
        self.sink(f"@ time {key} {seconds:.6f}")


def install(path: str, sink: Callable[[str], None]) -> None:
    """Start sampling in the main thread of an interpreter that just starts."""
    OwnTime(path, sink).install()
