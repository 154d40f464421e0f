"""`codeopt --help` is quick because it loads nothing heavy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from codeopt.core.version import __version__
from tests.codeopt.command import codeopt, environment

HEAVY = {
    *("docker", "httpx2", "hypothesis", "numpy"),
    *("openai", "pydantic", "requests", "rich", "scalene"),
}
MAIN = """
import sys
from codeopt.cli.main import main
try:
    main(sys.argv[1:])
finally:
    print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


@pytest.mark.parametrize("arguments", [["--help"], ["improve", "--help"], ["--version"], ["improve", "gone.py"]])
def test_nothing_heavy_is_loaded_before_there_is_something_to_do(arguments: list[str], tmp_path: Path) -> None:
    command = [sys.executable, "-c", MAIN, *arguments]
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
    assert set(done.stderr.split()) & HEAVY == set()


def test_help_names_every_command(tmp_path: Path) -> None:
    done = codeopt("--help", cwd=tmp_path, fresh=True)
    assert done.status == 0
    assert done.err == ""
    assert " improve " in done.out


def test_version(tmp_path: Path) -> None:
    assert codeopt("--version", cwd=tmp_path, fresh=True).out == f"codeopt {__version__}\n"
