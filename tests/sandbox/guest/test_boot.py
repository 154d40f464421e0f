"""A bundle is loaded whole, once, with builtins of its own, and leaves no name behind."""

from __future__ import annotations

import builtins
import marshal
import os
import subprocess
import sys
from types import CodeType

import pytest

from codeopt_sandbox.guest.boot import ROOT, Bundle, fitting, read_exactly
from codeopt_sandbox.guest_bundle import GuestProgram, boot_input, boot_program, bundle, loading

MODULES = {
    f"{ROOT}/__init__.py": "",
    f"{ROOT}/part/__init__.py": "from . import inner",
    f"{ROOT}/part/inner.py": "from ..other import answer\ndef ask():\n    return answer(), oct(8)",
    f"{ROOT}/other.py": "def answer():\n    return 42",
}


@pytest.mark.parametrize("packed", [False, True])
def test_relative_imports_and_no_name_left(packed: bool) -> None:
    found = Bundle(marshal.loads(Bundle(dict(MODULES)).pack("")) if packed else dict(MODULES))
    before, finders = set(sys.modules), list(sys.meta_path)
    ask = found.load("part.inner").ask
    assert ask() == (42, "0o10")
    assert set(sys.modules) == before
    assert sys.meta_path == finders
    with pytest.raises(ImportError):
        __import__(ROOT)


def test_builtins_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    ask = Bundle(dict(MODULES)).load("part.inner").ask
    monkeypatch.setattr(builtins, "oct", lambda value: 7)  # which no other thread of the test runner needs meanwhile
    assert ask() == (42, "0o10")


def test_what_fails_while_it_loads_leaves_nothing() -> None:
    broken = Bundle({**MODULES, f"{ROOT}/other.py": "1 / 0"})
    before = set(sys.modules)
    with pytest.raises(ZeroDivisionError):
        broken.load("part.inner")
    assert set(sys.modules) == before


def test_only_parts_are_packed() -> None:
    assert set(marshal.loads(Bundle(dict(MODULES)).pack("part/"))) == {
        f"{ROOT}/part/__init__.py",
        f"{ROOT}/part/inner.py",
    }


def test_every_module_of_the_guest_is_in_the_bundle() -> None:
    assert {f"{ROOT}/{name}" for name in ("boot.py", "zygote.py", "calls/__main__.py", "calls/repr/tree.py")} <= set(
        bundle()
    )
    assert not [place for place in bundle() if "__pycache__" in place]


def places(code: CodeType) -> set[str]:
    return {code.co_filename}.union(*[places(const) for const in code.co_consts if isinstance(const, CodeType)])


def test_code_objects_are_the_sources_compiled_and_name_no_path_of_this_machine() -> None:
    codes = fitting(boot_input()[4:])
    assert codes == {place: compile(text, place, "exec", dont_inherit=True) for place, text in bundle().items()}
    assert all(places(code) == {place} for place, code in codes.items())


def test_another_kind_of_interpreter_compiles_the_sources() -> None:
    assert fitting(marshal.dumps((MODULES, b"other", b"no code of ours"))) == MODULES


@pytest.mark.parametrize("data", [b"", b"\0\0", boot_input()[:1000]])
def test_a_supervisor_whose_code_does_not_arrive_says_so(data: bytes) -> None:
    done = subprocess.run([sys.executable, "-I", "-S", "-c", boot_program()], input=data, capture_output=True)
    assert (done.returncode, done.stderr) == (1, b"no guest code arrived\n")


def test_modules_load_where_nothing_of_ours_is() -> None:
    """As in a program that is recorded: any interpreter, without our packages."""
    text = loading("tests/", "calls/") + 'print(_bundle.load("tests.recorder").write_call((1, [2]), {"a": {3}}))\n'
    done = subprocess.run([sys.executable, "-I", "-S", "-"], input=text.encode(), capture_output=True)
    assert (done.stdout, done.stderr) == (b"f(1, [2], a=set([3]))\n", b"")


def test_a_program_with_its_arguments_is_bytes() -> None:
    assert marshal.loads(GuestProgram("calls.__main__", ({"a": ("b", 1)}, "\ud800")).packed()) == (
        "calls.__main__",
        {"a": ("b", 1)},
        "\ud800",
    )


def test_reading_ends_where_the_data_ends() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"abcde")
    os.close(writer)
    assert (read_exactly(reader, 3), read_exactly(reader, 3), read_exactly(reader, 3)) == (b"abc", b"de", b"")
    os.close(reader)
