"""Cases in a folder: PIE's input.N.txt and output.N.txt, CodeNet's NAME.in and NAME.out, Kattis' NAME.in and NAME.ans,
or AtCoder's folders of equally named files, in/NAME and out/NAME.

A program with arguments has NAME.args, one a line, and NAME.files/, what its working folder holds; NAME.in and NAME.out
may stand beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from codeopt_sandbox.outcome import Case

_INPUT = re.compile(r"input[._-]?(\w+)\.txt")
FOLDERS = (("in", "out"), ("input", "output"), ("inputs", "outputs"))
"""Names of folders that hold inputs, and outputs by the same names."""


def read_cases(folder: Path) -> list[Case]:
    """The cases in `folder`, in natural order; `expected` is None where an output is missing. Raises OSError."""
    found = [case for path in folder.iterdir() if (case := _pair(path))]
    for inputs, outputs in () if found else FOLDERS:
        if (folder / inputs).is_dir() and (folder / outputs).is_dir():
            found += _same_names(folder / inputs, folder / outputs)
    if named := _names_with_arguments(folder):
        found = [case for case in found if case.name not in named]
        found += [_with_arguments(folder, name) for name in named]
    return sorted(found, key=lambda case: [int(p) if p.isdigit() else p for p in re.split(r"(\d+)", case.name)])


def _pair(path: Path) -> Case | None:
    if match := _INPUT.fullmatch(path.name):
        output = path.with_name("output" + path.name[len("input") :])
        return Case(match[1], path.read_bytes(), _read(output))
    if path.suffix == ".in" and path.is_file():
        answer = _read(path.with_suffix(".out"))
        return Case(path.stem, path.read_bytes(), _read(path.with_suffix(".ans")) if answer is None else answer)
    return None


def _names_with_arguments(folder: Path) -> set[str]:
    ends = ((".args", Path.is_file), (".files", Path.is_dir))
    return {path.stem for path in folder.iterdir() for end, is_kind in ends if path.suffix == end and is_kind(path)}


def _with_arguments(folder: Path, name: str) -> Case:
    """A case with its own working folder."""
    args = _read(folder / f"{name}.args") or b""
    top = folder / f"{name}.files"
    paths = sorted(path for path in top.rglob("*") if path.is_file() and not path.is_symlink())
    files = tuple((path.relative_to(top).as_posix(), path.read_bytes()) for path in paths)
    outputs = (_read(folder / f"{name}{end}") for end in (".out", ".ans"))
    return Case(
        name,
        _read(folder / f"{name}.in") or b"",
        next((output for output in outputs if output is not None), None),
        args=tuple(args.decode("utf-8", "surrogateescape").splitlines()),
        files=files,
    )


def _same_names(inputs: Path, outputs: Path) -> Iterator[Case]:
    """Pairs by stem, whatever the suffixes: the output of in/3.in is out/3.out, out/3.txt or out/3."""
    answers = {path.stem: path for path in outputs.iterdir() if path.is_file()}
    for path in inputs.iterdir():
        if path.is_file() and not path.name.startswith("."):
            answer = answers.get(path.stem)
            yield Case(path.stem, path.read_bytes(), _read(answer) if answer else None)


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
