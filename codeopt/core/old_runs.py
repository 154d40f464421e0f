"""Runs of projects that earlier versions saved: all files in one text, each below a line that names it."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from codeopt.core.revision import Revision

_HEAD = re.compile(r"^# === file: (.+) ===\n", re.MULTILINE)


def files_in(text: str) -> Revision:
    """The files of such a text; where it is none, the text as that of a target that is one file."""
    if not text.startswith("# === file: "):
        return Revision.of(text)
    heads = list(_HEAD.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)]
    return Revision({head[1]: text[head.end() : end] for head, end in zip(heads, ends, strict=False)})


def candidate_in(row: dict[str, Any]) -> dict[str, Any]:
    """A saved candidate with its files, and the lines of its profile counted in each of them."""
    files = files_in(row["source"])
    above, number = {}, 0
    for path, text in files.items():
        number += bool(path)
        above[path] = number
        number += text.count("\n")
    for line in (row.get("profile") or {}).get("lines", ()):
        line["line"] -= above.get(line.get("place", "").rpartition(":")[0], 0)
    for function in (row.get("profile") or {}).get("functions", ()):
        function["line"] -= above.get(function["name"].rpartition("::")[0], 0)
    return {**{name: value for name, value in row.items() if name != "source"}, "files": dict(files)}


def old_digest(revision: Revision) -> str:
    """The digest by which such a run knows its project."""
    found = hashlib.sha256()
    for path, text in revision.items():
        found.update(f"# === file: {path} ===\n{text}".encode("utf-8", "surrogatepass"))
    return found.hexdigest()
