"""Decorators on functions of files that run as programs."""

from __future__ import annotations

from typing import Any

from codeopt_sandbox.guest.tests.recorded_module import decorated


def test_each_file_has_its_own_decorator_though_one_runs_the_other() -> None:
    def noted(file: str) -> Any:
        return lambda qualname: lambda raw: met.append((file, qualname)) or raw

    met: list[tuple[str, str]] = []
    inner = decorated(b"def g(): pass\n", "inner.py", ["g"], noted("inner.py"), script=True)
    text = b"def f(): pass\nrun()\ndef g(): pass\n"
    outer = decorated(text, "outer.py", ["f", "g"], noted("outer.py"), script=True)
    exec(outer, {"run": lambda: exec(inner, {})})
    decorated(b"def g(): pass\n", "inner.py", ["g"], noted("inner.py"), script=True)
    exec(outer, {"run": lambda: None})
    once = [("outer.py", "f"), ("outer.py", "g")]
    assert met == [once[0], ("inner.py", "g"), once[1], *once]
