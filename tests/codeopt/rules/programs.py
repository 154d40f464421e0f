"""Run small programs in this process, and ask for rewrites: what the tests of all rules share."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stdout
from unittest.mock import patch

from codeopt.rules import Hot, load_rule


def output(source: str, stdin: str = "") -> str:
    """What a program prints, and the type of the exception that ends it."""
    out = io.StringIO()
    end = ""
    reader = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    with redirect_stdout(out), patch.object(sys, "stdin", reader):
        try:
            exec(compile(source, "program", "exec"), {"__name__": "__main__"})
        except SystemExit as stop:
            end = f"exit {stop.code}"
        except (ArithmeticError, LookupError, NameError, TypeError, ValueError, AttributeError, EOFError) as error:
            end = type(error).__name__.replace("UnboundLocalError", "NameError")
    return out.getvalue() + end


def rewritten(name: str, source: str, *hot: int) -> str | None:
    """What the rule makes of a program."""
    return load_rule(name).rewrite(source, Hot(hot))


def same(name: str, source: str, *inputs: str) -> str:
    """The rewritten program, after a check that it prints the same on every input."""
    new = rewritten(name, source)
    assert new is not None, f"{name} does not match"
    for stdin in inputs or ("",):
        assert output(new, stdin) == output(source, stdin), new
    return new
