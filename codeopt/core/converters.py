"""Converters of option values, the same for flags, variables, settings and keywords of the Python API."""

from __future__ import annotations

import ast
import math
import os
from pathlib import Path
from typing import Any

from codeopt.core.ownership import read_given
from codeopt.core.sanitize import inline
from codeopt_sandbox.comparing import Observable
from codeopt_sandbox.verdict import open_checker

MIN_EXAMPLES = 10
"""Fewest generated inputs that say anything."""
_NO_PART: dict[type[ast.AST], str] = {
    ast.Await: "`await`", ast.Yield: "`yield`", ast.YieldFrom: "`yield`", ast.NamedExpr: "`:=`",
}  # fmt: skip
"""Parts that no expression may have."""
_UNITS_S = {"s": 1.0, "m": 60.0, "h": 3600.0}


class BadValue(ValueError):
    """Error for an invalid value of the right type. Its message has the reason."""


def text(value: Any) -> str:
    """A text or a path, as text. Raises TypeError."""
    found: str = os.fspath(value)
    return found


def positive(value: Any) -> float:
    """A number above zero. Raises ValueError."""
    number = float(value)
    if not 0 < number < math.inf:
        raise BadValue(f"{value} is not a number above zero")
    return number


def duration(value: Any) -> float:
    """Seconds of 90, 90s, 15m or 1h. Raises ValueError."""
    if isinstance(value, str) and value[-1:] in _UNITS_S:
        return positive(value[:-1]) * _UNITS_S[value[-1]]
    return positive(value)


def count_or_zero(value: Any) -> int:
    """A whole number, 0 or more. Raises ValueError."""
    return 0 if str(value) == "0" else count(value)


def count(value: Any) -> int:
    """A whole number above zero. Raises ValueError."""
    number = int(value)
    if number < 1 or number != float(value):
        raise BadValue(f"{value} is not a whole number above zero")
    return number


def examples(value: Any) -> int:
    """A whole number, MIN_EXAMPLES or more. Raises ValueError."""
    number = count(value)
    if number < MIN_EXAMPLES:
        raise BadValue(f"{value} are too few to say anything; at least {MIN_EXAMPLES}")
    return number


def share(value: Any) -> float:
    """5% or 0.05. Raises ValueError."""
    percent = isinstance(value, str) and value.endswith("%")
    try:
        number = float(value[:-1]) / 100 if percent else float(value)
    except ValueError:
        number = math.nan
    if not 0 <= number < 100:
        raise BadValue(f"{value} is not a share such as 5% or 0.05")
    return number


def share_above_zero(value: Any) -> float:
    """5% or 0.05, and more than nothing. Raises ValueError."""
    if not (found := share(value)):
        raise BadValue(f"{value} is not above zero")
    return found


def checker_name(value: Any) -> str:
    """tokens, exact, float:TOLERANCE or FILE::accept. Raises ValueError."""
    if "::" in str(value):
        _require_function(str(value))
        return str(value)
    try:
        open_checker(str(value))
    except ValueError as error:
        raise BadValue(str(error)) from error
    return str(value)


def expression(value: Any) -> str:
    """Return a Python expression, which is only read. Empty for none. Raises ValueError."""
    found = str(value).strip()
    try:
        tree = ast.parse(found, mode="eval") if found else ast.Constant(None)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        said = error.msg if isinstance(error, SyntaxError) else str(error)
        raise BadValue(f"{inline(found)!r} is no Python expression: {said}") from error
    kind = next((_NO_PART[type(node)] for node in ast.walk(tree) if type(node) in _NO_PART), "")
    if kind:
        raise BadValue(f"{inline(found)!r} must only look at the arguments: it may not have {kind}")
    return found


def _require_function(name: str) -> None:
    """FILE::NAME must be a function at the top of a Python file, which is read and not run. Raises BadValue."""
    file, _, function = name.rpartition("::")
    try:
        tree = ast.parse(read_given(Path(file)))
    except OSError as error:
        raise BadValue(f"cannot read {file}: {error.strerror}") from error
    except (SyntaxError, ValueError) as error:
        raise BadValue(f"{file} is no Python file: {error}") from error
    if not any(isinstance(node, ast.FunctionDef) and node.name == function for node in tree.body):
        raise BadValue(f"{file} defines no function {function!r}")


def names(value: Any) -> tuple[str, ...]:
    """The parts of a text between commas, or of a sequence, without blanks around them."""
    parts = value.split(",") if isinstance(value, str) else value
    return tuple(part.strip() for part in parts if part.strip())


def observables(value: Any) -> tuple[Observable, ...]:
    """Parts of answers by their names. Raises ValueError."""
    return tuple(map(Observable, names(value)))


def texts(value: Any) -> tuple[str, ...]:
    """A sequence of texts or paths. Raises ValueError."""
    if isinstance(value, str):
        raise BadValue("must be a sequence of texts")
    return tuple(os.fspath(each) for each in value)


def paths(value: Any) -> tuple[Path, ...]:
    """One path or several."""
    one = isinstance(value, str | os.PathLike)
    return tuple(Path(os.fspath(each)) for each in ([value] if one else value))
