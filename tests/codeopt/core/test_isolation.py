"""Where no sandbox isolates, a plain process runs the user's own code alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.cli.main import main
from codeopt.core.errors import NoSandbox
from codeopt.core.isolation import NOT_ISOLATED
from codeopt_sandbox import BackendUnavailable

MODULE = "def labels(names: list[str]) -> list[str]:\n    return sorted({*names})\n"


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("compare", "old/names.py", "new/names.py"), NoSandbox.exit_status),
        (("compare", "old", "new", "--run", "python names.py"), NoSandbox.exit_status),
        (("check", "old"), NoSandbox.exit_status),
        (("profile", "old/run.py"), 0),
    ],
)
def test_without_isolation(
    words: tuple[str, ...], status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    def open_backend(options: object) -> None:
        raise BackendUnavailable("there is none")

    for backend in ("docker", "bubblewrap"):
        monkeypatch.setattr(f"codeopt_sandbox.{backend}.open_backend", open_backend)
    for folder, items in (("old", "{*names}"), ("new", "set(names)")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "names.py").write_text(MODULE.replace("{*names}", items))
    (tmp_path / "old/run.py").write_text("print(sum(range(99)))\n")
    monkeypatch.chdir(tmp_path)
    assert main([*words, "-q"]) == status
    said = capsys.readouterr().err
    assert (NOT_ISOLATED in said, "nothing here can isolate a run" in said) == (not status, bool(status)), said
    assert len([line for line in said.splitlines() if "isolate" in line]) == 1
