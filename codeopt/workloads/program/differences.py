"""Differences of a draft from the original on a changed input, in words and as a line to paste."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from codeopt.core.errors import UsageError
from codeopt.core.ownership import STORE, require_own_way
from codeopt.core.run_store import keep_out_of_git
from codeopt.workloads import WorkloadRequest
from codeopt.workloads._judging import refuses_own
from codeopt.workloads.program.mutated_cases import SHOWN, MutatedCase, quoted
from codeopt_sandbox.guest.request import USUAL, Environment
from codeopt_sandbox.outcome import Case, CaseVerdict, Caveat, CaveatKind, Outcome, Run, distinct
from codeopt_sandbox.verdict import CaseChecker, Checker, check_tokens, judge, last_bits

_SOURCE_LINES = re.compile(
    rb"^Traceback \(most recent call last\):\n|^ [ +|]*File \".*\n(?:[ \t].*\n)*|(?<=Warning: )(.*\n)[ \t].*\n", re.M
)
"""Head and frames of a traceback, and the line of source text below a warning."""
_LINE_NUMBER = re.compile(rb":\d+:")
_NUMBER = re.compile(rb"\d+")


@dataclass(frozen=True)
class OutputDifference:
    """One changed input on which a draft does something else."""

    case: Case
    outcome: Outcome
    because: str = ""
    """Reason why the input is unusual. Empty for a similar one."""
    error: Run | None = None
    """The original's run, if it ended with an error."""
    caveat: Caveat | None = None
    """Caveat that is reported for any input."""
    environment: Environment = USUAL
    """In which the draft was run."""

    @property
    def size(self) -> int:
        """Bytes of the input."""
        return len(self.case.stdin) + sum(len(data) for _, data in self.case.files or ())

    @property
    def wrong(self) -> bool:
        """Something else than white space and last bits."""
        return self.caveat is None

    def told(self, again: str) -> Caveat:
        if self.caveat is not None:
            return replace(self.caveat, reproduce=again)
        got = self.outcome.words
        if self.error or self.outcome.verdict is CaseVerdict.WA:
            got = f"prints {quoted(self.outcome.run.stdout.strip())}"
        if self.error is not None:
            last = self.error.stderr.rstrip().rpartition(b"\n")[2]
            why = f": {last.decode('utf-8', 'backslashreplace')[:SHOWN]}" if last else ""
            expected = f"ends with exit status {self.error.exit}{why}"
        else:
            expected = f"prints {quoted((self.case.expected or b'').strip())}"
            got = self.outcome.detail if got == expected else got
        cause = self.because or "an input like the known ones"
        return Caveat(CaveatKind.INPUT, shown(self.case), expected, got, cause, again, self.case.held_out)


def difference_of(changed: MutatedCase, run: Run, check: Checker, environment: Environment) -> OutputDifference | None:
    """How a draft's run differs from what the original makes of a changed input."""
    case, outcome = changed.case, judge(changed.case, run, check)
    if outcome.verdict is not CaseVerdict.AC:
        because = changed.because or refuses_own(check, case)
        return OutputDifference(case, outcome, because, environment=environment)
    found = text_caveat(case, case.expected, run, check)
    return OutputDifference(case, outcome, caveat=found) if found else None


def caveats_of(found: Iterable[OutputDifference], again: Callable[[Case], str]) -> tuple[Caveat, ...]:
    """One caveat about inputs that no known one is like, one about those on which the original fails, and those about
    any input, each with the smallest."""
    groups: dict[str, list[OutputDifference]] = {}
    for each in sorted(found, key=lambda each: (each.error is not None, each.size)):
        # what fails is mostly no input, and short: it would be the example instead of one that the original takes
        group = "unusual" if each.because and not each.error else each.because
        groups.setdefault(str(each.caveat.kind) if each.caveat else group, []).append(each)
    told = []
    for group, alike in groups.items():
        reasons = (f"inputs that break: {each.because}" for each in alike if group == "unusual")
        caveat = alike[0].told(again(alike[0].case))
        told.append(replace(caveat, count=len(alike) if alike[0].wrong else 1, domain=tuple(dict.fromkeys(reasons))))
    return distinct(told)


def error_name(run: Run) -> str:
    """Return `ValueError`, or the last line if no exception was raised."""
    return run.stderr.rstrip().rpartition(b"\n")[2].partition(b":")[0].decode("utf-8", "backslashreplace")


def text_caveat(case: Case, original: bytes | None, run: Run, check: Checker) -> Caveat | None:
    """Caveat about a right output that differs in white space or the last bits of floats; None when nothing does.
    original: the original's own output."""
    if original is None or original == run.stdout:
        return None
    if isinstance(check, CaseChecker) and check(original, run.stdout):
        return None  # another right answer
    if apart := last_bits(original, run.stdout) if check_tokens(original, run.stdout) else 0.0:
        got = f"floats differ by {apart:.1e} at most"
        return Caveat(CaveatKind.FLOATS, shown(case), "", got, "only in their last bits", held_out=case.held_out)
    if not check_tokens(original, run.stdout) and _lines(original) != _lines(run.stdout):
        expected, got = (quoted(_first_other_line(a, b)) for a, b in ((original, run.stdout), (run.stdout, original)))
        return Caveat(
            CaveatKind.LAYOUT, shown(case), expected, got, "other white space; --check exact refuses it",
            held_out=case.held_out,
        )  # fmt: skip
    return None


def error_text_caveat(case: Case, original: Run, run: Run, again: Callable[[], Run]) -> Caveat | None:
    """Caveat about another text on standard error. None without one, or if the original's own text changes.

    Args:
        case: The case.
        original: Run of the original.
        run: Run of the draft.
        again: Runs the original on the case once more. Called only if the texts differ.
    """
    ours, theirs = _error_lines(original.stderr), _error_lines(run.stderr)
    if ours == theirs:
        return None
    steady = _error_lines(again().stderr)
    if steady != ours:
        ours, theirs, steady = (_NUMBER.sub(b"0", each) for each in (ours, theirs, steady))
    if ours == theirs or steady != ours:
        return None
    expected, got = (f"writes {quoted(_first_other_line(a, b))}" for a, b in ((ours, theirs), (theirs, ours)))
    return Caveat(CaveatKind.TEXT, shown(case), expected, got, "standard error", held_out=case.held_out)


def _error_lines(text: bytes) -> bytes:
    """Text without tracebacks, lines of source and their numbers, which every edit changes."""
    return _LINE_NUMBER.sub(b":", _SOURCE_LINES.sub(rb"\1", text))


def _lines(output: bytes) -> list[bytes]:
    """Without white space at the ends of lines and after the last."""
    return [line.rstrip() for line in output.rstrip().split(b"\n")]


def _first_other_line(output: bytes, other: bytes) -> bytes:
    ours, theirs = _lines(output), _lines(other)
    return next((line for at, line in enumerate(ours) if at >= len(theirs) or line != theirs[at]), b"")


def explained(found: OutputDifference) -> Outcome:
    """A wrong outcome with its input in its detail, unless it is held out."""
    outcome, case = found.outcome, found.case
    if case.held_out:
        return outcome
    detail = outcome.detail or (
        "ends well, where the original ends with an error"
        if outcome.verdict is CaseVerdict.AC
        else f"ends by {outcome.verdict.words}"
    )
    verdict = CaseVerdict.WA if outcome.verdict is CaseVerdict.AC else outcome.verdict
    where = f"with {case.title}" if case.title else f"on the changed input {shown(case)}"
    return replace(outcome, verdict=verdict, detail=f"{where}: {detail}")


def shown(case: Case) -> str:
    """An input in a few words, cut to a line."""
    return case.title or quoted(case.stdin)


# A line to paste into a shell that runs a program on one case again.


def again(request: WorkloadRequest, case: Case) -> str:
    """The line; of a comparison it runs both programs. Empty if a long input cannot be written to a file."""
    found, usual = request.interpreter.path if request.interpreter else None, shutil.which("python")
    is_usual = found is None or (usual is not None and os.path.realpath(usual) == os.path.realpath(found))
    python = "python" if is_usual else shlex.quote(str(found))
    here = not case.has_arguments
    paths = [request.target.path, *([request.other.target.path] if request.other else [])]
    programs = [shlex.quote(str(path if here else path.resolve())) for path in paths]
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
    folders = sorted({str(Path(path).parent) for path, _ in case.files or ()} - {"."})
    made = f" && mkdir -p {' '.join(map(shlex.quote, folders))}" if folders else ""
    return line if here else f'(cd "$(mktemp -d)"{made}{files} && {line})'


def _printed(data: bytes, home: Path) -> str:
    """A command that prints these bytes. Raises OSError, UsageError."""
    # Bytes of an input that are in the line itself. A longer one is written to a file, which the line names.
    if len(data) <= 40:
        # In printf's notation, for use between single quotes.
        plain = {10: "\\n", 9: "\\t", 37: "%%", 92: "\\\\"}
        signs = (chr(byte) if 32 <= byte < 127 and byte != 39 else f"\\{byte:03o}" for byte in data)
        return f"printf '{''.join(plain.get(byte, sign) for byte, sign in zip(data, signs, strict=True))}'"
    path = home / "inputs" / f"{sha256(data).hexdigest()[:8]}.txt"
    require_own_way(path, str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    keep_out_of_git(home)
    path.write_bytes(data)
    return f"cat {shlex.quote(str(path))}"
