"""Folders with which a repository would make git run a program on the machine of whoever looks at it."""

from __future__ import annotations

from pathlib import Path


def nested_repository(folder: Path, program: Path | str) -> Path:
    """Plain files, which git tracks and checks out like any other, and which plain git takes for a repository."""
    for name in ("objects/info", "refs/heads"):
        (folder / name).mkdir(parents=True)
        (folder / name / ".keep").touch()
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "config").write_text(
        f'[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "{program}"\n'
    )
    return folder
