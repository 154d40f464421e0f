"""Cases in a folder, in one of several layouts.

Files are named in one of these ways:
- PIE: input.N.txt and output.N.txt
- CodeNet: NAME.in and NAME.out
- Kattis: NAME.in and NAME.ans
- AtCoder: folders with equal file names, in/NAME and out/NAME

A program with arguments has NAME.args, one argument a line, and NAME.files/, the content of its working folder. NAME.in
and NAME.out may be added.
"""

from __future__ import annotations

import re
from pathlib import Path

from codeopt_sandbox.outcome import Case
from codeopt_sandbox.plain_files import is_there, read_bytes

_INPUT = re.compile(r"input[._-]?(\w+)\.txt")
_OF_ARGUMENTS = {".args": False, ".files": True}
"""Suffixes of a case with arguments; True: of a folder."""
FOLDERS = (("in", "out"), ("input", "output"), ("inputs", "outputs"))
"""Names of folders that hold inputs, and outputs by the same names."""


def read_cases(folder: Path) -> list[Case]:
    """The cases in `folder`, in natural order; `expected` is None where an output is missing. Raises OSError, also for
    a link or a special file among them."""
    found = [case for path in folder.iterdir() if (case := _pair(path))]
    for inputs, outputs in () if found else FOLDERS:
        if is_there(folder / inputs, folder=True) and is_there(folder / outputs, folder=True):
            # pairs by stem, with any suffix: the output of in/3.in is out/3.out, out/3.txt or out/3
            answers = {path.stem: path for path in (folder / outputs).iterdir() if is_there(path)}
            for path in (folder / inputs).iterdir():
                if not path.name.startswith(".") and is_there(path):
                    answer = answers.get(path.stem)
                    found.append(Case(path.stem, read_bytes(path), _read(answer) if answer else None))
    parts = ((path, _OF_ARGUMENTS.get(path.suffix)) for path in folder.iterdir())
    named = {path.stem for path, is_folder in parts if is_folder is not None and is_there(path, folder=is_folder)}
    found = [case for case in found if case.name not in named]
    for name in named:  # a case with its own working folder
        args, top = _read(folder / f"{name}.args") or b"", folder / f"{name}.files"
        paths = sorted(path for path in top.rglob("*") if is_there(path)) if is_there(top, folder=True) else []
        files = tuple((path.relative_to(top).as_posix(), read_bytes(path)) for path in paths)
        answers_of = (_read(folder / f"{name}{end}") for end in (".out", ".ans"))
        output = next((each for each in answers_of if each is not None), None)
        words = tuple(args.decode("utf-8", "surrogateescape").splitlines())
        found.append(Case(name, _read(folder / f"{name}.in") or b"", output, args=words, files=files))
    return sorted(found, key=lambda case: [int(p) if p.isdigit() else p for p in re.split(r"(\d+)", case.name)])


def holds_cases(folder: Path) -> bool:
    """Whether the names in a folder are those of cases. Raises OSError."""
    names = [path.name for path in folder.iterdir()]
    inputs = any(_INPUT.fullmatch(name) or Path(name).suffix in (".in", *_OF_ARGUMENTS) for name in names)
    return inputs or any(set(pair) <= set(names) for pair in FOLDERS)


def _pair(path: Path) -> Case | None:
    if (match := _INPUT.fullmatch(path.name)) and is_there(path):
        output = path.with_name("output" + path.name[len("input") :])
        return Case(match[1], read_bytes(path), _read(output))
    if path.suffix == ".in" and is_there(path):
        answer = _read(path.with_suffix(".out"))
        return Case(path.stem, read_bytes(path), _read(path.with_suffix(".ans")) if answer is None else answer)
    return None


def _read(path: Path) -> bytes | None:
    return read_bytes(path) if is_there(path) else None
