"""Compiled modules, which git does not know: a run has them beside the sources of their package."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codeopt.review.base_checkout import open_base_checkout
from codeopt.review.change import change_since
from codeopt.review.repository import open_repository
from codeopt.workloads.sandbox_view.view import built_files
from tests.codeopt.review.pull_request import propose
from tests.support.files import write_files

PLAN = "build/cp311/meson-info/intro-install_plan.json"
OWN = "build/cp311/_core.so"


def meson(root: Path, sources: dict[str, str], targets: dict[str, str]) -> None:
    """A plan as meson writes it: source, and place among the packages."""
    groups = {
        name: {str(root / source): {"destination": place, "tag": "runtime"} for source, place in files.items()}
        for name, files in (("targets", targets), ("python", sources))
    }
    write_files(root, {PLAN: json.dumps(groups)})


@pytest.mark.parametrize(
    ("sources", "targets", "expected"),
    [
        ({"fast/a.py": "{py_purelib}/fast/a.py"}, {OWN: "{py_platlib}/fast/_core.so"}, {"fast/_core.so": OWN}),
        ({"src/fast/a.py": "{py_platlib}/fast/a.py"}, {OWN: "{py_platlib}/fast/_core.so"}, {"src/fast/_core.so": OWN}),
        ({}, {OWN: "{py_platlib}/fast/_core.so"}, {"fast/_core.so": OWN}),
        ({}, {OWN: "{py_platlib}/other/_core.so"}, {}),
        ({}, {OWN: "{bindir}/fast/_core.so"}, {}),
        ({}, {OWN: "{py_platlib}/../fast/_core.so"}, {}),
        ({}, {"build/cp311/gone.so": "{py_platlib}/fast/gone.so"}, {}),
        ({}, {"build/cp311/../../../outside.so": "{py_platlib}/fast/outside.so"}, {}),
    ],
)
def test_a_module_of_meson_stands_beside_its_sources(
    sources: dict[str, str], targets: dict[str, str], expected: dict[str, str], tmp_path: Path
) -> None:
    root = write_files(tmp_path / "p", {"fast/a.py": "", "src/fast/a.py": "", OWN: ""})
    write_files(tmp_path, {"outside.so": ""})
    meson(root, sources, targets)
    found = built_files(root, [Path("fast/a.py"), Path("src/fast/a.py")])
    assert {place.as_posix(): path.as_posix() for place, path in found.items()} == expected


@pytest.mark.parametrize("text", ["", "[]", "{", '{"targets": []}', '{"targets": {"/a.so": 1}}', "\0"])
def test_a_plan_of_another_form_is_left_alone(text: str, tmp_path: Path) -> None:
    write_files(tmp_path, {"fast/a.py": "", "fast/b.so": "", PLAN: text})
    assert built_files(tmp_path, [Path("fast/a.py")]) == {Path("fast/b.so"): Path("fast/b.so")}


@pytest.mark.parametrize("link", ["fast/b.so", "build", "build/cp311", OWN])
def test_nothing_that_a_link_leads_to_is_shown(link: str, tmp_path: Path) -> None:
    """A change may bring a link to what only the reader of its review has."""
    root = write_files(tmp_path / "p", {"fast/a.py": "", "fast/b.so": "", OWN: ""})
    meson(root, {}, {OWN: "{py_platlib}/fast/_core.so"})
    known = built_files(root, [Path("fast/a.py")])
    assert len(known) == 2
    (root / link).rename(tmp_path / "away")
    (root / link).symlink_to(tmp_path / "away")
    assert len(built_files(root, [Path("fast/a.py")])) == 1


def test_a_module_that_the_change_itself_brings_is_in_no_checkout_before_it(tmp_path: Path) -> None:
    root = propose(tmp_path / "p", {"fast/__init__.py": ""}, {"fast/lines.py": "x = 1\n", "fast/_core.so": "new"})
    write_files(root, {"fast/_other.so": "built"})
    repository = open_repository(root)
    change = change_since(repository, repository.commit("main"))
    with open_base_checkout(repository, change) as folder:
        assert sorted(path.name for path in (folder / "fast").iterdir()) == ["__init__.py", "_other.so"]
