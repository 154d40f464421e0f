"""Tests that reach a function through what imports it: a fixture of a conftest, a client, a command."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.review.change import whole_files
from codeopt.review.changed_functions import find_targets
from codeopt.review.ranking import ranked
from codeopt.workloads.function.test_files import TestFiles
from codeopt.workloads.sandbox_view.view import locate
from codeopt.workloads.source.functions import read_function
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


MONEY = """\
class Money:
    def __init__(self, text):
        self.cents = int(text)

    def plus(self, other):
        return Money(self.cents + other.cents)


def parsed(text):
    return Money(text)


def version():
    return 1
"""
TILL = "import money\n\n\nclass Till:\n    def __init__(self):\n        self.paid = [money.parsed('1')]\n"
TILL += "\n\ndef opened():\n    return 8\n"
OTHER_INIT = "from {module} import {name}\n\n\nclass Other:\n    def __init__(self):\n        self.found = {name}\n"
INIT, PLUS, VERSION = "Money.__init__", "Money.plus", "version"


@pytest.mark.parametrize(
    ("qualname", "test", "found"),
    [
        (INIT, "from money import Money\n\ndef test_it():\n    assert Money('1').cents == 1\n", True),
        (INIT, "import money\n\ndef test_it():\n    assert money.parsed('1').cents == 1\n", True),
        (INIT, "from till import Till\n\ndef test_it():\n    assert Till().paid\n", True),
        (INIT, "import till\n\ndef test_it(price):\n    assert price\n", False),
        (INIT, OTHER_INIT.format(module="money", name="version"), False),
        (INIT, OTHER_INIT.format(module="till", name="opened"), False),
        (PLUS, "import money\n\ndef test_it(one, other):\n    assert one.plus(other)\n", True),
        (PLUS, "from till import Till\n\ndef test_it():\n    assert Till().paid\n", True),
        (PLUS, "import money\n\ndef test_it():\n    assert money.version() == 1\n", False),
        (VERSION, "import money\n\ndef test_it():\n    assert money.version() == 1\n", True),
        (VERSION, "import money\n\ndef test_it():\n    assert money.Money('1').cents\n", False),
    ],
)
@pytest.mark.parametrize("fixture", [False, True])
def test_tests_are_found_by_what_they_reach(
    qualname: str, test: str, found: bool, fixture: bool, tmp_path: Path
) -> None:
    """A conftest.py that names the class makes every test of its folder one that may call it."""
    files = {"money.py": MONEY, "till.py": TILL, "tests/test_it.py": test}
    if fixture:
        files["tests/conftest.py"] = "import money\n\n\ndef price():\n    return money.Money('3')\n"
    folder = propose(tmp_path / "r", files, {})
    module = locate(folder / "money.py")
    expected = found or (fixture and qualname != VERSION)
    paths = TestFiles(module, module.root).that_call(module, read_function(folder / "money.py", qualname))
    assert paths == (Path("tests/test_it.py"),) * expected
