"""Packages that an environment imports in place, and members of workspaces: found by reading, and shown to a run, of
the version that is judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.core.errors import UsageError
from codeopt.core.ownership import linked_folders
from codeopt.workloads.sandbox_view import linked
from codeopt.workloads.sandbox_view.linked import Linked, imported_beside, workspace_roots
from codeopt.workloads.sandbox_view.view import locate
from tests.support.files import write_files

SETUPTOOLS = """\
from __future__ import annotations
MAPPING: dict[str, str] = {{'core_lib': '{0}/core_lib'}}
NAMESPACES: dict[str, list[str]] = {{}}
PATH_PLACEHOLDER = '__editable__.core_lib-0.1.finder' + ".__path_hook__"
"""
EDITABLES = """\
from editables.redirector import RedirectingFinder as F
F.install()
F.map_module('core_lib', '{0}/core_lib/__init__.py')
"""
SCIKIT_BUILD = """\
import importlib.util, sys
class Redirecting:
    def __init__(self):
        self.known_source_files = {{'core_lib': '{0}/core_lib/__init__.py', 'core_lib.sub': '{0}/core_lib/sub.py'}}
        self.submodule_search_locations = {{'core_lib': ['{0}/core_lib']}}
    def find_spec(self, name, path=None, target=None):
        if name in self.known_source_files:
            within = self.submodule_search_locations.get(name)
            return importlib.util.spec_from_file_location(
                name, self.known_source_files[name], submodule_search_locations=within)
        if name in self.submodule_search_locations:
            raise ImportError("taken for a namespace")
sys.meta_path.insert(0, Redirecting())
"""
"""As scikit-build-core's stands before all other finders."""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("__editable__.core_lib-0.1.pth", "{0}\n"),
        ("core_lib.pth", "# poetry\n\nimport os\n{0}"),
        ("easy-install.pth", "../../../../packages/core\n"),
        ("core-lib.egg-link", "{0}\n../"),
        ("__editable___core_lib_0_1_finder.py", SETUPTOOLS),
        ("_editable_impl_core_lib.py", EDITABLES),
        ("_editable_skbc_core_lib.py", SCIKIT_BUILD),
    ],
)
def test_each_style_of_installing_in_place_is_read(tmp_path: Path, name: str, text: str) -> None:
    packages, sources = tmp_path / ".venv/lib/python3.12/site-packages", tmp_path / "packages/core"
    for folder in (packages, sources / "core_lib"):
        folder.mkdir(parents=True)
    (sources / "core_lib" / "__init__.py").touch()
    (packages / name).write_text(text.format(sources))
    (packages / "gone.pth").write_text(f"{tmp_path}/gone\n/\n")
    assert sources in linked_folders([str(packages.parent), str(packages)])
    assert set(linked_folders([str(packages)])) <= {sources, packages.parent}


UV = "[tool.uv.workspace]\nmembers = ['packages/*']\nexclude = ['packages/old']\n"
BY_PATH = {
    "uv sources": "[project]\nname = 'app'\n[tool.uv.sources]\ncore = {path = '../core'}\n",
    "poetry": "[tool.poetry.dependencies]\ncore = {path = '../core', develop = true}\n",
    "poetry group": "[tool.poetry.group.dev.dependencies]\ncore = {path = '../core'}\n",
    "hatch": "[project]\nname = 'app'\ndependencies = ['core @ {root:uri}/../core']\n",
    "pdm": "[project]\nname = 'app'\n[tool.pdm.dev-dependencies]\ndev = ['-e file:///${PROJECT_ROOT}/../core#egg=core']\n",
}


@pytest.mark.parametrize(
    ("top", "app"), [(UV, "[project]\nname = 'app'\n"), *((None, text) for text in BY_PATH.values())]
)
def test_what_project_files_name_is_found(tmp_path: Path, top: str | None, app: str) -> None:
    files = {"packages/core/pyproject.toml": "[project]\nname = 'core'\n", "packages/core/src/core_lib/__init__.py": ""}
    old = {
        "packages/old/pyproject.toml": "",
        "packages/app/pyproject.toml": app,
        "packages/app/src/app/__init__.py": "",
    }
    root = write_files(tmp_path, {**files, **old, **({"pyproject.toml": top} if top else {})})
    found = workspace_roots(root / "packages/app/src/app/__init__.py", root)
    assert root / "packages/core/src" in found
    assert root / "packages/old" not in found


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", "[tool.setuptools.package-dir]\n'' = 'lib'\n"),
        ("pyproject.toml", "[tool.setuptools]\npackage-dir = {'core' = 'lib/core'}\n"),
        ("pyproject.toml", "[tool.setuptools]\npackage-dir = {'core.sub' = 'lib/core/sub'}\n"),
        ("pyproject.toml", "[tool.setuptools.packages.find]\nwhere = ['lib']\n"),
        ("pyproject.toml", "[tool.pdm.build]\npackage-dir = 'lib'\n"),
        ("setup.cfg", "[options]\npackage_dir =\n    = lib\n"),
        ("setup.cfg", "[options.packages.find]\nwhere = lib\n"),
        ("setup.py", "from setuptools import setup\nsetup(name='core', package_dir={'': 'lib'})\n"),
    ],
)
def test_the_project_is_imported_from_where_its_build_settings_say(tmp_path: Path, name: str, text: str) -> None:
    """Also where its packages have no `__init__.py`."""
    root = write_files(tmp_path, {".git/HEAD": "", name: text, "lib/core/sub/mod.py": "", "lib/core/sub/x.py": ""})
    found = locate(root / "lib/core/sub/mod.py")
    assert (found.name, found.roots[0]) == ("core.sub.mod", root / "lib")


def test_build_settings_lead_nowhere_else(tmp_path: Path) -> None:
    text = "[tool.setuptools.package-dir]\n'' = '../other'\ncore = 'lib/another'\nmore = 3\n"
    files = {".git/HEAD": "", "pyproject.toml": text, "lib/another/mod.py": "", "setup.py": "setup(package_dir={x: 1})"}
    root = write_files(tmp_path / "it", files)
    (tmp_path / "other").mkdir()
    assert locate(root / "lib/another/mod.py").roots == (root / "lib/another", root)


@pytest.mark.parametrize(
    "text", ["", "not toml [", "[tool]\nuv = 3\n", "[tool.uv.workspace]\nmembers = ['/etc', '', 4]\n"]
)
def test_other_project_files_name_nothing(tmp_path: Path, text: str) -> None:
    root = write_files(tmp_path, {"pyproject.toml": text, "app.py": ""})
    assert workspace_roots(root / "app.py", root) == ()


def test_what_is_outside_of_the_repository_is_none_of_its_packages(tmp_path: Path) -> None:
    write_files(tmp_path, {"core/pyproject.toml": "", "app/pyproject.toml": BY_PATH["poetry"], "app/app.py": ""})
    assert workspace_roots(tmp_path / "app/app.py", tmp_path / "app") == ()


def test_a_checkout_has_its_own_version_of_what_the_other_links(tmp_path: Path) -> None:
    for side in ("old", "new"):
        write_files(tmp_path / side, {".git/HEAD": "", "core/src/core_lib/__init__.py": "", "app/app.py": ""})
    linked = Linked((tmp_path / "new/core/src",), tmp_path / "new")
    assert tmp_path / "old/core/src" in locate(tmp_path / "old/app/app.py", linked).roots
    assert locate(tmp_path / "old/app/app.py", linked).beside == ()


def test_a_module_beside_a_folder_of_its_name_is_shown_too(tmp_path: Path) -> None:
    """Which of them Python imports depends on what the folder holds."""
    write_files(tmp_path, {"core.py": "", "core/data.py": "", "core.cpython-311.so": ""})
    found = sorted(path.as_posix() for _, path in imported_beside([tmp_path], [b"import core"]))
    assert found == ["core.cpython-311.so", "core.py", "core/data.py"]


def test_a_package_of_too_many_files_is_refused_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path, {f"core/m{number}.py": "" for number in range(4)} | {f"core/{n}.bin": "" for n in range(9)})
    monkeypatch.setattr(linked, "MOST_FILES", 3)
    with pytest.raises(UsageError, match="core, an editable install, has 4 files: at most 3"):
        list(imported_beside([tmp_path], [b"import core"]))
    monkeypatch.setattr(linked, "MOST_FILES", 4)
    assert len(list(imported_beside([tmp_path], [b"import core"]))) == 4, "what is not shown does not count"
