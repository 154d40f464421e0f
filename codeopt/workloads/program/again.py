"""A line to paste into a shell that runs a program on one case again."""

from __future__ import annotations

import os
import shlex
import shutil
from hashlib import sha256
from pathlib import Path

from codeopt.core.errors import UsageError
from codeopt.core.ownership import STORE, require_own_way
from codeopt.core.run_store import keep_out_of_git
from codeopt.workloads import WorkloadRequest
from codeopt_sandbox.outcome import Case

PRINTED = 40
"""Bytes of an input that are in the line itself. A longer one is written to a file, which the line names."""


def again(request: WorkloadRequest, case: Case) -> str:
    """The line; of a comparison it runs both programs. Empty if a long input cannot be written to a file."""
    python = _python(request)
    here = not case.has_arguments
    paths = [request.target.path, *([request.other.path] if request.other else [])]
    programs = [_program(path, here=here) for path in paths]
    home = Path(STORE) if here else Path(STORE).resolve()
    try:
        feed = _printed(case.stdin, home)
        files = "".join(f" && {_printed(data, home)} > {shlex.quote(path)}" for path, data in case.files or ())
    except (OSError, UsageError):  # a read-only folder, or a link that came with the repository
        return ""
    each = " ".join(["|", python, '"$p"' if len(programs) > 1 else programs[0], *map(shlex.quote, case.args)])
    line = f"{feed} {each}"
    if len(programs) > 1:
        line = f"for p in {' '.join(programs)}; do {line}; done"
    return line if here else f'(cd "$(mktemp -d)"{_folders(case)}{files} && {line})'


def _python(request: WorkloadRequest) -> str:
    """Return the shortest name of the interpreter."""
    found = request.interpreter.path if request.interpreter else None
    usual = shutil.which("python")
    same = found is None or (usual is not None and os.path.realpath(usual) == os.path.realpath(found))
    return "python" if same or found is None else shlex.quote(str(found))


def _program(path: Path, *, here: bool) -> str:
    return shlex.quote(str(path if here else path.resolve()))


def _folders(case: Case) -> str:
    folders = sorted({str(Path(path).parent) for path, _ in case.files or ()} - {"."})
    return f" && mkdir -p {' '.join(map(shlex.quote, folders))}" if folders else ""


def _printed(data: bytes, home: Path) -> str:
    """A command that prints these bytes. Raises OSError, UsageError."""
    if len(data) <= PRINTED:
        return f"printf '{''.join(map(_escaped, data))}'"
    path = home / "inputs" / f"{sha256(data).hexdigest()[:8]}.txt"
    require_own_way(path, str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    keep_out_of_git(home)
    path.write_bytes(data)
    return f"cat {shlex.quote(str(path))}"


def _escaped(byte: int) -> str:
    """Return a byte in printf's notation, for use between single quotes."""
    plain = {10: "\\n", 9: "\\t", 37: "%%", 92: "\\\\"}
    return plain.get(byte) or (chr(byte) if 32 <= byte < 127 and byte != 39 else f"\\{byte:03o}")
