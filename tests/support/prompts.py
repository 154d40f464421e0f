"""Prompts of the first rounds for a function and a project, recorded with a real sandbox."""

from __future__ import annotations

import contextlib
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from codeopt.core.console import Console
from codeopt.core.model import Message, Reply
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Target
from codeopt.core.session import Session
from codeopt.engine.improve import improve
from codeopt.models.scripted import Scripted
from codeopt.workloads.project.project_program import unpack
from tests.codeopt.command import reply
from tests.support.files import write_files

HOME = Path(__file__).parents[1] / "codeopt" / "prompts"
TARGETS = {"trees": "Tree.merge"}  # a method of a class with state
PROJECTS = ("orders",)  # a small class
ROUNDS = 3
HOT_LINES = re.compile(r"(?m)(?:^ ?N% \S+\.py: ?N .*\n)+")
"""Rows of hot lines of a project: which are worth a row, and in what order, depends on measured times."""
RANKED = tuple(
    re.compile(rf"(?m)(?:^ ?{row}.*\n)+")
    for row in (r"N% N% N \S+::", r"N -> N T N -> N T (?:N -> N )?\S+::", r"N% \S+::[^\n]*: ", r"\S+\.py::\S+\(")
)
"""Rows of functions of a project that are ranked by such times: shares, draft beside original, why, arguments."""


class Enough(Exception):  # a thread asks the model, and only an Exception leaves it
    """All prompts are there; nothing need be confirmed."""


@dataclass(frozen=True)
class Prompts:
    """The requests of the first rounds, in order: of each a critique and a draft."""

    asked: tuple[tuple[Message, ...], ...]

    @property
    def drafts(self) -> tuple[tuple[Message, ...], ...]:
        """The requests for drafts."""
        return self.asked[1::2]


def record_prompts(name: str) -> Prompts:
    """Improve one of the functions or projects with drafts from files; stop at the last request."""
    with tempfile.TemporaryDirectory(prefix="codeopt-prompts-") as folder:
        home = Path(folder)
        if name in PROJECTS:
            drafts = [(HOME / "projects" / f"{name}_{number}.md").read_text() for number in range(1, ROUNDS)]
            target, given = Target(_write_project(name, home / name)), ImproveOptions(run="python bench.py")
        else:
            for path in (HOME / "targets").glob("*.py"):
                shutil.copy(path, home)
            texts = [(HOME / "drafts" / f"{name}_{number}.py").read_text() for number in range(1, ROUNDS)]
            drafts = [reply(text, f"draft {number}") for number, text in enumerate(texts, 1)]
            target, given = Target(home / f"{name}.py", TARGETS[name]), ImproveOptions(calls=home / f"{name}_calls.py")
        return _record(target, given, drafts, home)


def _record(target: Target, given: ImproveOptions, drafts: Sequence[str], home: Path) -> Prompts:
    pairs = [(_critique(number), draft) for number, draft in enumerate(drafts, 1)]
    model = Scripted([step for pair in [*pairs, (_critique(ROUNDS), "")] for step in pair])
    script = home / "script"
    script.touch()  # looked at before anything is run, though the session has a model of its own
    options = replace(
        given, sandbox="bubblewrap", model=f"scripted:{script}", run_dir=home / "runs",
        max_rounds=ROUNDS, max_pairs=8, input_seed=1,
    )  # fmt: skip
    session = Session(console=Console(quiet=True), open_model=lambda options, warn: _Ending(model))
    with contextlib.suppress(Enough):
        improve(target, options, session)
    return Prompts(tuple(model.asked))


def _write_project(name: str, root: Path) -> Path:
    """Unpack a project of one text file."""
    write_files(root, unpack((HOME / "projects" / f"{name}.txt").read_text()))
    return root


def _critique(number: int) -> str:
    return f"The innermost loop is the cost. CRITIQUE {number}\nVERDICT: IMPROVE"


@dataclass(frozen=True)
class _Ending:
    """A scripted model that ends the run with its last answer."""

    inner: Scripted

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def context_tokens(self) -> int:
        return self.inner.context_tokens

    def complete(self, messages: Sequence[Message], *, on_text: Callable[[str], None] | None = None) -> Reply:
        """The inner model's, or the end."""
        found = self.inner.complete(messages, on_text=on_text)
        if not found.text:
            raise Enough
        return found


def as_text(prompts: Prompts) -> str:
    """The requests for drafts, for a reader: what all of them begin with once, and figures that vary as N."""
    parts = [f"=== system ===\n{prompts.drafts[0][0].content}"]
    for number, messages in enumerate(prompts.drafts, 1):
        parts.append(f"=== request for the draft of round {number} ===\n{without_figures(messages[-1].content)}")
    return "\n\n".join(parts) + "\n"


def without_figures(text: str) -> str:
    """What was measured of a run, with N for each number; programs and fixed sentences stay."""
    return re.sub(r"(?ms)^### Measured$.*?(?=^### Critique$|^## Round |^Write the next|\Z)", _blank, text)


def _blank(match: re.Match[str]) -> str:
    return _numbers(re.sub(r"\b0x[0-9a-f]+", "N", match[0]))


def _numbers(text: str) -> str:
    return re.sub(r" *\b\d[\d,.]*(?:e[-+]?\d+)?(?=\b|%|x)", " N", text)


def shape(text: str) -> str:
    """Of such a text what does not depend on the machine: no rows of tables, no decisions, no choice of calls."""
    text = re.sub(r"(?m)^(Compared|Judge's reason|Against the best).*\n", "", text)
    tables = (
        "Hot lines|Hot functions|Called outside[^\n]*|Some calls|A call that shows it[^\n]*|"
        "Where its time goes[^\n]*|Its hot lines[^\n]*|Profile of this draft[^\n]*"
    )
    text = re.sub(rf"(?ms)^({tables}):?\n(`{{3,}})\n.*?\n\2$", r"\1", text)
    text = re.sub(r"(?m)^(Hot \w+|Called outside.*|Its hot lines.*|Profile of this draft.*)\n", "", text)
    text = re.sub(r"(?ms)^Differs from the original beyond[^\n]*\n(`{3,})\n.*?\n\1\n+", "", text)
    text = re.sub(r"(?m)^(Memory|Note|Time split): .*\n", "", text)
    text = re.sub(r"wall time|CPU time|\b[mu]?s\b(?= |\.|,|$)", "T", text)
    text = re.sub(r"Program [0-9a-f]{12}|Python [\d.]+\w*|\bN\b", "N", re.sub(r" +", " ", text))
    text = re.sub(r"(?m)^Rewrites that the built-in rules find.*\n(?:- .*\n)+\n", "", text)  # they go by hot lines
    text = HOT_LINES.sub("(hot lines)\n", text)
    for rows in RANKED:
        text = rows.sub(_in_order, text)
    return text


def _in_order(rows: re.Match[str]) -> str:
    """Rows that are ranked by measured times, by their names; those of modules are there when they took a moment."""
    return "".join(sorted(row for row in rows[0].splitlines(keepends=True) if "::<module>" not in row))


def require_golden(name: str, prompts: Prompts) -> str:
    """The last request for a draft; asserts that the prompts have the form of the golden file, each request beginning
    as the one before it."""
    assert len(prompts.asked) == 6
    golden = (HOME / "golden" / f"{name}.md").read_text()
    assert shape(as_text(prompts)) == shape(golden), "see the top of test_prompts.py"
    for earlier, later in pairwise(asked[-1].content for asked in prompts.drafts):
        assert later.startswith(earlier[: earlier.rindex("# Step: ")]), "a server that keeps prefixes reads it again"
    return prompts.drafts[-1][-1].content


if __name__ == "__main__":  # writes the golden files of the named ones, or of all
    for named in sys.argv[1:] or (*TARGETS, *PROJECTS):
        (HOME / "golden" / f"{named}.md").write_text(as_text(record_prompts(named)))
