"""Library code of a project's profile, its own copies of libraries included: whose time it is in the project."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import PurePosixPath

from codeopt.report.stacks.model import Frame
from codeopt.workloads.project.profile import ProjectProfile, Sample

FOLDERS = frozenset({
    "_vendor", "_vendored", "vendor", "vendored", "vendors", "third_party", "thirdparty", "_third_party", "3rdparty",
    "extern", "_extern", "externals", "_externals", "site-packages",
})  # fmt: skip
"""Folders of libraries that a project has copies of."""


def is_vendored(path: str) -> bool:
    """Return True if a file belongs to a copy of a library in the project."""
    return bool(FOLDERS & set(PurePosixPath(path).parts[:-1]))


@dataclass(frozen=True)
class LibraryShare:
    """Time in a library below a function of the project's own."""

    caller: Frame
    """The nearest frame of the project's own above the library."""
    library: str
    share: float
    """Share of the command."""


def library_shares(profile: ProjectProfile) -> tuple[LibraryShare, ...]:
    """Time in libraries by the project's own function that it belongs to, the largest first."""
    found: dict[tuple[Frame, str], float] = defaultdict(float)
    for sample in profile.samples:
        library = _library(sample)
        own = next((spot for spot in reversed(sample.stack) if not is_vendored(spot.file)), None)
        if library and own is not None and not sample.importing:
            found[own, library] += sample.seconds / profile.sampled_s
    rows = (LibraryShare(*key, share) for key, share in found.items())
    return tuple(sorted(rows, key=lambda row: -row.share))


def _library(sample: Sample) -> str:
    """Name of the library at work; of a copy in the project its folder or file."""
    if sample.stack and is_vendored(sample.stack[-1].file):
        parts = PurePosixPath(sample.stack[-1].file).parts
        last = max(at for at, part in enumerate(parts[:-1]) if part in FOLDERS)
        return parts[last + 1].removesuffix(".py")
    return sample.library
