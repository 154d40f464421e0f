"""Frames of pandas, as rules read loops over their rows."""

from __future__ import annotations

import ast

from codeopt.analysis import AnalyzedProgram
from codeopt.rules._same_in_loop import dotted


def stores_into(program: AnalyzedProgram, loop: ast.For, frame: str) -> bool:
    """Whether the body of a loop changes a frame, or gives it away."""
    for part in (part for statement in loop.body for part in program.walk(statement)):
        match part:
            case ast.Subscript(owner, ctx=ast.Store() | ast.Del()) | ast.Attribute(owner, ctx=ast.Store()):
                if f"{dotted(owner)}.".startswith(f"{frame}."):
                    return True
            case ast.Call(args=arguments) if any(dotted(each) == frame for each in arguments):
                return True
            case ast.Name(name, ast.Store() | ast.Del()) if name == frame.partition(".")[0]:
                return True
    return False


def variable_of(row: str, column: str) -> str:
    """A variable's name for the values of a column."""
    word = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in column).strip("_").lower()
    return f"{row}_{word or 'value'}"
