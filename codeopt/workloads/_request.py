"""Requests to a kind of workload, and the values that it answers with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from secrets import randbelow
from typing import Any

from codeopt.core.budget import NOTHING_USED, Usage
from codeopt.core.history import Candidate, TestsRun
from codeopt.core.interpreter import Interpreter
from codeopt.core.options import ImproveOptions
from codeopt.core.program import TargetFiles
from codeopt.core.revision import Revision
from codeopt.core.session import Mounts, Session
from codeopt.core.target import Target
from codeopt.workloads.sandbox_view.linked import Linked, project_top
from codeopt_sandbox import Sandbox
from codeopt_sandbox.base_folder import BaseFolder
from codeopt_sandbox.compare import StoppingRule
from codeopt_sandbox.outcome import Case, Caveat, Outcome
from codeopt_sandbox.profile import Mode
from codeopt_sandbox.verdict import Checker

MOST_SEEDS = 1 << 31


class TimedRegion(Enum):
    """The part of a run between the two readings of the clock. Guards go by it."""

    RUN = "run"  # whole runs of a program, each a process of its own
    CALLS = "calls"  # some calls within a process that does other things before and after
    NOTHING = "nothing"  # a text: it is scored

    @property
    def timed(self) -> bool:
        """Code is run and timed."""
        return self is not TimedRegion.NOTHING


class Stage(Enum):
    """Reason for checking a draft."""

    ROUND = "round"
    REFERENCE = "reference"  # a program that a person wrote, believed or not at once
    CONFIRMATION = "confirmation"


@dataclass(frozen=True)
class Suite:
    """All cases of a target, each with its expected output, and how outputs are compared."""

    cases: tuple[Case, ...]
    check: Checker
    fuzzed: Sequence[Case] = ()
    """Inputs made of the cases that may be shown, as far as they were needed; the same for every draft."""

    @property
    def known(self) -> tuple[Case, ...]:
        """Everything that may turn up in a candidate's outcomes during the rounds."""
        return (*self.cases, *self.fuzzed)

    @property
    def held_out(self) -> int:
        """Number of cases that no proposer ever sees."""
        return sum(case.held_out for case in self.cases)


@dataclass(frozen=True)
class Checked:
    """Findings about a draft that is right on all cases."""

    outcomes: tuple[Outcome, ...] = ()
    rejection: str = ""
    """Reason for a rejection in one line. Empty if it can be accepted."""
    rejection_detail: str = ""
    """Evidence of the rejection, as `Candidate.rejection_detail` has it."""
    caveats: tuple[Caveat, ...] = ()
    """Differences on unusual inputs."""
    notes: tuple[str, ...] = ()
    """Checks that were not made, and why."""
    critique: str = ""
    """The critique of a language model that scores drafts; empty without one."""
    scores: tuple[tuple[str, float], ...] = ()
    """Scores by name, as shares of the full score, 0 to 1."""
    usage: Usage = NOTHING_USED
    """Tokens and cost of that critique."""
    tests: TestsRun | None = None
    """The project's own tests that ran. None if none was asked for."""


@dataclass(frozen=True)
class WorkloadRequest:
    """A target to open, with everything that is needed to judge it."""

    target: Target
    program: TargetFiles
    options: ImproveOptions
    session: Session
    rule: StoppingRule = StoppingRule()
    """Rule for when a comparison stops, and by which clock."""
    own_code_only: bool = True
    """True if only the user's own code and edits of it by the built-in rules will run."""
    other: Target | None = None
    """The other side of a comparison."""
    beside: tuple[Target, ...] = ()
    """Functions of the other side's project that are compared on their own."""
    early_check: Callable[[Any, Revision], None] | None = None
    """Called with a workload of what is known of the original first, and with the other side; what it raises ends the
    measuring. A kind that has no quick look never calls it."""
    other_program: TargetFiles | None = None
    """The program that the other version's file holds; set where `other` is."""
    held_out: Mapping[str, bool] = field(default_factory=dict)
    """True for each case, by its name, that was held out in an earlier session. It stays held out."""
    baseline: Candidate | None = None
    """The original, measured in an earlier session. It is not profiled again."""
    profile_modes: tuple[Mode, ...] = ()
    """Profiles to take of the original; empty: none."""
    for_memory: bool = False
    """True if less memory is an aim. The profile of a function then also shows the lines that hold memory."""
    needs_time: bool = True
    """A target that is too quick to time is of no use."""
    model_calls: bool = False
    """A language model may be asked for calls where nothing else gives enough."""
    calls_text: str = ""
    """A calls file that a language model wrote earlier."""
    recording: Mapping[str, Any] | None = None
    """Recording of calls on the way to the target, as a JSON object. None without one."""
    interpreter: Interpreter | None = None
    """The interpreter that runs the target; None where an image has its own."""
    roots: tuple[str, ...] | None = None
    """Further folders that a copy of a project imports from, relative to it; None: those of the environment."""
    drawn_seed: int = field(default_factory=lambda: randbelow(MOST_SEEDS))
    """The seed of generated inputs, unless the options name one."""

    def imported_in_place(self, of: Path, other_side: Path | None = None) -> Linked:
        """Return the folders that the interpreter imports in place, such as those of `pip install -e`.

        Args:
            of: A file of the project.
            other_side: The file of the other version. The installed checkout may be this one.

        Raises:
            OSError: A folder cannot be read.
        """
        if self.roots is not None:
            return Linked(tuple(project_top(of) / root for root in self.roots))
        return Linked.of(
            self.interpreter, project_top(other_side) if other_side is not None and other_side != of else None
        )

    @property
    def input_seed(self) -> int:
        """Seed of generated inputs: another in each run, so that no program meets them again; saved in the run's
        record."""
        return self.drawn_seed if self.options.input_seed is None else self.options.input_seed

    def open_sandbox(
        self, mounts: Mounts = (), room_mib: int = 0, base: BaseFolder | None = None
    ) -> AbstractContextManager[Sandbox]:
        """A sandbox that shows these folders, with room for so much that a run is given, whose runs begin with the
        files of a base. Raises NoSandbox."""
        notify = self.session.console.warn
        return self.session.open_sandbox(
            self.options, own_code_only=self.own_code_only, notify=notify, mounts=mounts, room_mib=room_mib, base=base
        )
