"""Tests that reach a function through what imports it: a fixture of a conftest, a client, a command."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.review.change import whole_files
from codeopt.review.changed_functions import find_targets
from codeopt.review.ranking import ranked
from codeopt_sandbox import Options, Sandbox, open_sandbox
from tests.codeopt.review.pull_request import propose
from tests.conftest import require_sandbox

pytestmark = pytest.mark.full

CORE = "def busy(n):\n    return sum(i * i % 7 for i in range(n))\n"
APP = "from core import busy\n\n\nclass Client:\n    def get(self, n):\n        return {'found': busy(n)}\n"
FIXTURE = "import pytest\nimport app\n\n\n@pytest.fixture\ndef client():\n    return app.Client()\n"
TEST = "def test_client(client):\n    assert client.get(200_000)['found'] > 0\n"
DIRECT = "from app import Client\n\n\ndef test_client():\n    assert Client().get(200_000)['found'] > 0\n"


@pytest.mark.parametrize(
    "files",
    [
        {"conftest.py": FIXTURE, "test_client.py": TEST},
        {"tests/conftest.py": FIXTURE, "tests/unit/test_client.py": TEST},
        {"test_client.py": DIRECT},
    ],
    ids=["a fixture", "a fixture of a folder above", "an import of an import"],
)
def test_a_test_that_names_no_module_reaches_it(files: dict[str, str], tmp_path: Path) -> None:
    require_sandbox()
    settings = {"pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n'}
    folder = propose(tmp_path / "r", {"core.py": CORE, "app.py": APP, **settings, **files}, {})
    targets, _ = find_targets(whole_files([folder / "core.py"])[1], None, [folder / "core.py"])

    def open_with(mounts: tuple[tuple[str, str], ...]) -> Sandbox:
        return open_sandbox("bubblewrap", options=Options(mounts=mounts))

    (found,) = ranked(targets, open_with).targets
    assert found.function == "busy"
    assert (found.share or 0) > 0.5
