"""The project's copy with compiled modules."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.workloads.sandbox_view.view import compile_imports
from tests.support.files import write_files

FILES = {
    "src/shop/__init__.py": "from .prices import total",
    "src/shop/prices.py": "import shop.tax as tax, json\ntotal = 1",
    "src/shop/tax.py": "rate = 2",
    "src/shop/unused.py": "",
    "src/shop/broken.py": "def",
    "src/shop/till.py": "from shop import broken\nraise SystemExit('never run')",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_files(tmp_path, FILES)
    return tmp_path


def test_what_a_module_imports_is_compiled_and_nothing_else(project: Path) -> None:
    compile_imports(project / "src/shop/till.py", (project / "src", project))
    found = {path.name.partition(".")[0] for path in project.rglob("*.pyc")}
    assert found == {"__init__", "prices", "tax", "till"}
