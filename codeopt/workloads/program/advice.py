"""Causes of an original's failure, with advice: the objects that it needed and did not find."""

from __future__ import annotations

import re
from pathlib import Path

from codeopt.core.sanitize import inline
from codeopt.workloads.sandbox_view.missing import missing_part
from codeopt.workloads.sandbox_view.view import locate
from codeopt_sandbox.outcome import Case, CaseVerdict, Outcome

_REACHED = (
    (r"no display name|cannot open display|TclError|could not connect to display|cannot connect to X server|"
     r"No available video device", "it needs a display{}, which the sandbox has not"),
    (r"gaierror|ConnectionRefusedError|ConnectionError|Network is unreachable|URLError|Name or service not known|"
     r"Temporary failure in name resolution|ConnectTimeout|ProxyError|[Cc]ould not connect to|Can't connect to|"
     r"connection to server", "it needs the network or a service{}, which the sandbox has not"),
    (r"PermissionError|Read-only file system|Errno 30",
     "it writes outside its working folder, or to what a run may not change{}"),
)  # fmt: skip
_MISSING = re.compile(r"ModuleNotFoundError|ImportError|FileNotFoundError|No such file or directory|NotADirectoryError")
_FRAME = re.compile(r'File "[^"\n]*/program\.py", line (\d+).*\n +(\S.*)')
_LONGEST = 80
"""Characters of a line that is shown."""
_ARGUMENTS = re.compile(r"IndexError: list index out of range|usage:|the following arguments are required")


_RANDOM = re.compile(r"^\s*(?:import|from)\s+(?:random|secrets|uuid)\b", re.MULTILINE)
ANY_OUTPUT = "--check FILE::accept names a function that accepts each right output"


def advice(case: Case, outcome: Outcome, program: Path, source: str = "") -> str:
    """Advice about a case that the original fails; may be empty."""
    if outcome.verdict is CaseVerdict.WA and _RANDOM.search(source):
        return f"it draws random numbers: {ANY_OUTPUT}"
    if outcome.verdict is CaseVerdict.TLE:
        return "--timeout S raises the limit"
    if outcome.verdict is CaseVerdict.MLE:
        return "--memory MiB raises the limit"
    if outcome.verdict is not CaseVerdict.RE:
        return ""
    said = outcome.run.stderr.decode("utf-8", "backslashreplace")
    for pattern, reached in _REACHED:
        if re.search(pattern, said):
            return reached.format(_where(said))
    if _MISSING.search(said):
        other = "a run finds the files that its arguments name and those of --with PATH, in its working folder"
        return missing_part(said, program, locate(program)) or other
    if _ARGUMENTS.search(said) and not case.args:
        return "give its arguments after --, as in `codeopt improve FILE -- ARGUMENTS`"
    if not case.has_arguments:
        return "a run has standard input alone: arguments and files come after --"
    return ""


def _where(said: str) -> str:
    """The program's own line from which it did, with that line's text, which mostly names what is meant."""
    frames = _FRAME.findall(said)
    return f" in line {frames[-1][0]}, `{inline(frames[-1][1], _LONGEST)}`" if frames else ""
