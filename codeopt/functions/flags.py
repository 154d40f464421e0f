"""Flags about how a function's behaviour is known."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Chosen:
    """What the flags say."""

    calls: Path | None = None
    written: str = ""
    """Text of a calls file that a language model wrote; only where the user gave none."""
    tests: tuple[Path, ...] = ()
    use_tests: bool = True
    tolerance: float = 0.0
    """Of floats in results, absolute or relative; 0 asks for the very same."""


def add_function_arguments(parser: argparse.ArgumentParser) -> None:
    """For targets like FILE::FUNCTION."""
    group = parser.add_argument_group("functions (FILE::FUNCTION, FILE::Class.method)")
    group.add_argument(
        "--calls",
        type=Path,
        metavar="FILE",
        help="Python file with CALLS, a list of (args, kwargs), and BIG for timing",
    )
    add_test_arguments(group)


def add_test_arguments(group: argparse._ArgumentGroup) -> None:
    """Which existing tests are evidence."""
    group.add_argument(
        "--tests",
        type=Path,
        action="append",
        metavar="PATH",
        help="pytest files or folders (default: found by name and import)",
    )
    group.add_argument("--no-tests", action="store_true", help="do without existing tests")


def chosen(arguments: argparse.Namespace) -> Chosen:
    """The flags' values; --check float:TOLERANCE says how far floats may differ."""
    kind, _, tolerance = str(getattr(arguments, "check", "")).partition(":")
    return Chosen(
        calls=getattr(arguments, "calls", None),
        tests=tuple(getattr(arguments, "tests", None) or ()),
        use_tests=not getattr(arguments, "no_tests", False),
        tolerance=float(tolerance) if kind == "float" else 0.0,
    )
