"""A language model on a project: it sees the hot path with its figures, and answers with functions of several files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from codeopt.core.excerpted import Excerpted
from codeopt.core.history import Candidate, Draft, History, RoundView
from codeopt.core.revision import Revision
from codeopt.workloads.project.answers import apply_answer
from codeopt.workloads.project.edits import edits_of
from codeopt.workloads.project.fixed_ground import FixedGround
from codeopt.workloads.project.profile import ProjectProfile
from codeopt.workloads.project.prompt.excerpts import ROOM, shown_source
from codeopt.workloads.project.prompt.round_views import round_views
from codeopt.workloads.project.text import pack
from codeopt.workloads.source.splice_error import SpliceError


@dataclass(frozen=True)
class ProjectProposer(Excerpted):
    """A proposer that sees the hot path, and whose answers are put into the project."""

    profile: ProjectProfile
    ground: FixedGround = FixedGround()

    def whole(self, draft: Draft, original: Revision) -> Draft:
        """The draft as the whole project."""
        if not draft.source.strip() or (draft.problem and "SEARCH" not in draft.source):
            return draft
        try:
            after = apply_answer(original, draft.source, self.ground)
        except SpliceError as error:
            return replace(draft, problem=f"it cannot be put into the project: {error}")
        changed = tuple(map(str, edits_of(original, after)))
        return replace(draft, revision=after, problem="", changes=draft.changes or changed)

    def excerpts(self, history: History) -> History:
        """The original's hot functions, and each draft as its diff and its profile beside an earlier one."""
        files = history.original.revision
        source = shown_source(files, self.profile, self.ground) or _whole(files, self.ground)
        views = round_views(history)
        original = replace(history.original, revision=Revision.of(source), profile=None)
        drafts = (self._draft(each, views) for each in history.candidates[1:])
        return replace(history, candidates=(original, *drafts), views=views)

    def _draft(self, candidate: Candidate, views: Mapping[int, RoundView]) -> Candidate:
        view = views.get(candidate.round)
        if view is None:  # an answer that could not be put into the project
            return candidate
        return replace(candidate, revision=Revision.of(view.change), profile=None)


def _whole(files: Revision, ground: FixedGround) -> str:
    """All that may be edited, where no function of it takes time; a line in its place where that is long."""
    text = pack({path: text for path, text in files.items() if not ground.why(path)})
    return text if len(text) <= ROOM else "# No function that may be edited takes a share of the time."
