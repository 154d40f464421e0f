"""Other ways in which people call a program: twice in one folder, and with options that no known case gives."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from codeopt.workloads.program.fuzzing._slots import SHOWN, MutatedCase
from codeopt_sandbox.outcome import Case

_OPTION = re.compile(r"--[A-Za-z][\w-]*")
VALUES = ((), ("1",))
"""Words after an option, which may need one."""


def other_usage(source: str, cases: Sequence[Case], also_known: Sequence[Case] = ()) -> Iterator[MutatedCase]:
    """Cases of a program, by its text and by what it wrote on known ones.

    also_known: cases that are not changed, as a model may not see them.
    """
    yield from _in_one_folder(cases)
    if cases:
        yield from _with_options(source, cases[0], [*cases, *also_known])


def _in_one_folder(cases: Sequence[Case]) -> Iterator[MutatedCase]:
    """A case whose folder has the files that a run on it left."""
    for case in cases:
        left = {each.path: each.content for each in case.written or () if not each.special}
        there = {path: data for path, data in {**dict(case.files or ()), **left}.items() if data is not None}
        if left and there:
            title = f"{case.title or case.name}, in the folder that a run on it left"
            yield _mutated("again", replace(case, files=tuple(there.items()), title=title))
            return


def _with_options(source: str, base: Case, known: Sequence[Case]) -> Iterator[MutatedCase]:
    given = {word.partition("=")[0] for case in known for word in case.args}
    texts = [each.value for each in ast.walk(ast.parse(source)) if isinstance(each, ast.Constant)]
    for option in dict.fromkeys(text for text in texts if isinstance(text, str) and _OPTION.fullmatch(text)):
        for value in VALUES if option not in given else ():
            args = (*base.args, option, *value)
            case = replace(base, args=args, title=f"the arguments {' '.join(args)[:SHOWN]}")
            yield _mutated(".".join(("option", option, *value)), case, f"no known case gives {option}")


def _mutated(name: str, case: Case, because: str = "") -> MutatedCase:
    return MutatedCase(name, replace(case, expected=None, written=None), because)
