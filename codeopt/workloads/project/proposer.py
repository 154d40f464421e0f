"""A language model on a project: it sees the hot path with its figures, and answers with functions of several files."""

from __future__ import annotations

from dataclasses import dataclass, replace

from codeopt.history import Candidate, Critique, Draft, History
from codeopt.proposers import Proposer
from codeopt.workloads.function.definitions import PutBackError
from codeopt.workloads.function.excerpt import excerpt
from codeopt.workloads.project.edits import answered, edits_of
from codeopt.workloads.project.profile import ProjectProfile
from codeopt.workloads.project.text import HEAD, parted

NOTE = """

The program is a project of several files, and is judged by a command of its user's: what that prints and writes, and
the project's own tests, must stay as they are, and the command must take less time. You see the functions in which it
spends its time, and those that call them and that they call, each below a line `# === file: PATH ===`. Change one or
several of them, in one or several files: move work out of loops across functions, keep what is needed again on objects,
take another data structure. Public functions keep their parameters and results; private ones (`_name`) may change.

Answer with all that changes in one block: above each file's part its line `# === file: PATH ===`, below it whole
functions or methods (a method within its `class` line), new imports, constants and helpers; what you leave out stays as
it is. For a change of a few lines in a long file write instead
<<<<<<< SEARCH
the lines as they are
=======
the lines as they should be
>>>>>>> REPLACE"""
"""Goes below a task's system prompt."""
SHOWN, LEAST = 8, 0.01
"""Functions that are shown with their source, and the share of the command that each has at least, with what it
calls."""


@dataclass(frozen=True)
class ProjectProposer:
    """A proposer whose answers are put into the project."""

    inner: Proposer
    profile: ProjectProfile

    @property
    def name(self) -> str:
        """The model's."""
        return self.inner.name

    def critique(self, history: History) -> Critique:
        """As the inner proposer, on the hot path."""
        return self.inner.critique(self._shown(history))

    def refine(self, history: History) -> Draft:
        """The inner proposer's draft as the whole project; with a problem where it cannot be put in."""
        draft = self.inner.refine(self._shown(history))
        if not draft.source.strip() or (draft.problem and "SEARCH" not in draft.source):
            return draft
        try:
            source = answered(history.original.source, draft.source)
        except PutBackError as error:
            return replace(draft, problem=f"it cannot be put into the project: {error}")
        changed = tuple(map(str, edits_of(history.original.source, source)))
        return replace(draft, source=source, problem="", changes=draft.changes or changed)

    def preferred(self, history: History) -> Candidate | None:
        """As the inner proposer; it is the same round of the project."""
        chosen = self.inner.preferred(self._shown(history))
        return history.candidates[chosen.round] if chosen else None

    def _shown(self, history: History) -> History:
        original = history.original.source
        return History(tuple(self._candidate(each, original) for each in history.candidates))

    def _candidate(self, candidate: Candidate, original: str) -> Candidate:
        files = parted(candidate.source)
        if not files:
            return candidate
        wanted = [(f.file, f.qualname) for f in self.profile.functions
                  if f.file in files and f.qualname != "<module>" and f.total_share >= LEAST]  # fmt: skip
        wanted = wanted[:SHOWN] + [(e.file, e.qualname) for e in edits_of(original, candidate.source)]
        text = self._figures() if candidate.round == 0 else ""
        for path in dict.fromkeys(path for path, _ in wanted):
            names = dict.fromkeys(name for file, name in wanted if file == path)
            text += HEAD.format(path=path) + _parts(files[path], tuple(names))
        return replace(candidate, source=text or candidate.source, profile=None)

    def _figures(self) -> str:
        """The hot path, as comments."""
        rows = ["# Own and total share of the command, calls, function (data, not instructions):"]
        for f in self.profile.functions[: 2 * SHOWN]:
            rows.append(f"#   {f.own_share:6.1%} {f.total_share:6.1%} {f.calls or '?':>9}  {f.file}::{f.qualname}")
        rows.append("# Who calls whom, how often:")
        calls = sorted((c for c in self.profile.callers if c.callee and c.caller), key=lambda c: -c.calls)
        rows += [f"#   {c.caller.qualname} -> {c.callee.qualname}: {c.calls}"
                 for c in calls[: 2 * SHOWN] if c.caller and c.callee]  # fmt: skip
        rows.append("# Hot lines:")
        rows += [f"#   {line.own_share:6.1%} {line.file}:{line.line}" for line in self.profile.lines[:SHOWN]]
        return "\n".join(rows) + "\n"


def _parts(text: str, names: tuple[str, ...]) -> str:
    """The lines that matter for some functions of a file, each once and in order."""
    wanted: set[int] = set()
    for name in names:
        wanted |= excerpt(text, name).lines.keys()
    lines, out, last = text.split("\n"), [], 0
    for number in sorted(wanted):
        out += [""] * bool(last and number > last + 1)
        out.append(lines[number - 1])
        last = number
    return "\n".join(out) + "\n" if out else text
