"""A line to paste into a shell that runs a program on one case again."""

from __future__ import annotations

import base64
import os
import shlex
import shutil
import zlib
from pathlib import Path

from codeopt.workloads import WorkloadRequest
from codeopt_sandbox.outcome import Case

PRINTED = 1000
"""Bytes of an input that are written out; longer ones are packed."""
LONGEST = 20_000
"""Maximum length of a line that anybody would paste, characters."""


def again(request: WorkloadRequest, case: Case) -> str:
    """The line; of a comparison it runs both programs. Empty where the input is too long for one."""
    python = _python(request)
    here = case.files is None
    paths = [request.target.path, *([request.other.path] if request.other else [])]
    programs = [_program(path, here=here) for path in paths]
    feed = _printed(case.stdin)
    files = "".join(f" && {_printed(data)} > {shlex.quote(path)}" for path, data in case.files or ())
    each = " ".join(["|", python, '"$p"' if len(programs) > 1 else programs[0], *map(shlex.quote, case.args)])
    line = f"{feed} {each}"
    if len(programs) > 1:
        line = f"for p in {' '.join(programs)}; do {line}; done"
    if not here:
        line = f'(cd "$(mktemp -d)"{_folders(case)}{files} && {line})'
    return line if len(line) <= LONGEST else ""


def _python(request: WorkloadRequest) -> str:
    """As short as it may be called."""
    found = request.interpreter.path if request.interpreter else None
    usual = shutil.which("python")
    same = found is None or (usual is not None and os.path.realpath(usual) == os.path.realpath(found))
    return "python" if same or found is None else shlex.quote(str(found))


def _program(path: Path, *, here: bool) -> str:
    return shlex.quote(str(path if here else path.resolve()))


def _folders(case: Case) -> str:
    folders = sorted({str(Path(path).parent) for path, _ in case.files or ()} - {"."})
    return f" && mkdir -p {' '.join(map(shlex.quote, folders))}" if folders else ""


def _printed(data: bytes) -> str:
    """A command that prints these bytes."""
    if len(data) <= PRINTED:
        return f"printf '{''.join(map(_escaped, data))}'"
    packed = base64.b85encode(zlib.compress(data, 9)).decode()
    code = f'import sys,zlib,base64;sys.stdout.buffer.write(zlib.decompress(base64.b85decode(r"""{packed}""")))'
    return f"python3 -c {shlex.quote(code)}"


def _escaped(byte: int) -> str:
    """As printf reads it between single quotes."""
    plain = {10: "\\n", 9: "\\t", 37: "%%", 92: "\\\\"}
    return plain.get(byte) or (chr(byte) if 32 <= byte < 127 and byte != 39 else f"\\{byte:03o}")
