"""What a name in an annotation stands for is read from the project's files, whatever they hold."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from codeopt.workloads.source.names import Scope, scopes_below


def scope_of(tmp_path: Path, **modules: str) -> Scope:
    for name, text in modules.items():
        (tmp_path / f"{name}.py").write_text(text)
    found = scopes_below([tmp_path])("one")
    assert found is not None
    return found


def names(found: list[ast.ClassDef]) -> list[str]:
    return [node.name for node in found]


def the_class(scope: Scope, name: str) -> ast.ClassDef:
    found = scope.names[name]
    assert isinstance(found, ast.ClassDef)
    return found


def test_bases_are_followed_through_modules(tmp_path: Path) -> None:
    scope = scope_of(
        tmp_path,
        one="import three\nfrom two import B as Base\n\nclass A(Base, three.C):\n    pass\n",
        two="from three import C\n\nclass B(C):\n    pass\n",
        three="class C:\n    pass\n",
    )
    assert names([node for _, node in scope.bases(the_class(scope, "A"))]) == ["A", "B", "C"]


@pytest.mark.parametrize(
    ("text", "heirs"),
    [
        ("class A(B): pass\nclass B(A): pass\n", ["B"]),
        ("class A(A): pass\n", []),
        ("class A: pass\nclass B(A): pass\nclass C(B): pass\nclass D(C, A): pass\n", ["B", "D", "C"]),
        ("class A(C): pass\nclass B(A): pass\nclass C(B): pass\n", ["B", "C"]),
    ],
)
def test_circles_end(tmp_path: Path, text: str, heirs: list[str]) -> None:
    scope = scope_of(tmp_path, one=text)
    node = the_class(scope, "A")
    assert names(scope.heirs(node)) == heirs
    assert names([each for _, each in scope.bases(node)])[0] == "A"


def test_imports_in_circles_lead_nowhere(tmp_path: Path) -> None:
    scope = scope_of(tmp_path, one="from two import A\n", two="from one import A\n")
    assert scope.look_up("A") is None
