"""A language model on a project: it sees the hot path with its figures, and answers with functions of several files."""

from __future__ import annotations

from dataclasses import dataclass, replace

from codeopt.core.excerpted import Excerpted
from codeopt.core.history import Candidate, Draft, History
from codeopt.core.revision import Revision, pack
from codeopt.workloads.project.answers import apply_answer, now_unused
from codeopt.workloads.project.profile import ProjectProfile
from codeopt.workloads.project.prompt.excerpts import ROOM, SourcePage
from codeopt.workloads.project.prompt.round_views import round_views
from codeopt.workloads.project.protected_files import ProtectedFiles
from codeopt.workloads.source.edits import edits_of
from codeopt.workloads.source.functions import SpliceError


@dataclass(frozen=True)
class ProjectProposer(Excerpted):
    """A proposer that sees the hot path, and whose answers are put into the project."""

    profile: ProjectProfile
    ground: ProtectedFiles = ProtectedFiles()

    def whole(self, draft: Draft, original: Revision) -> Draft:
        if not draft.source.strip() or (draft.problem and "SEARCH" not in draft.source):
            return draft
        try:
            after = apply_answer(original, draft.source, self.ground)
        except SpliceError as error:
            return replace(draft, problem=f"it cannot be put into the project: {error}")
        changed = tuple(map(str, edits_of(original, after)))
        notes = tuple(f"now unused: `{name}`" for name in now_unused(original, after))
        return replace(draft, revision=after, problem="", changes=draft.changes or changed, notes=notes)

    def excerpts(self, history: History) -> History:
        """Return the original's hot functions, and each candidate as a diff with its profile and an earlier one.

        What a candidate's profile or a critique names and no round before shows is next to that round.
        """
        files = history.original.revision
        page = SourcePage(files, self.ground, self.profile)
        source = page.original() or _whole(files, self.ground)
        views = round_views(history, page)
        original = replace(history.original, revision=Revision.of(source), profile=None)
        drafts = (_draft(each, views[each.round].change) for each in history.candidates[1:])
        return replace(history, candidates=(original, *drafts), views=views)


def _draft(candidate: Candidate, change: str) -> Candidate:
    return replace(candidate, revision=Revision.of(change), profile=None) if change else candidate


def _whole(files: Revision, ground: ProtectedFiles) -> str:
    """Return everything that may be edited, if no function is slow. A long text is replaced by one line."""
    text = pack({path: text for path, text in files.items() if not ground.why(path)})
    return text if len(text) <= ROOM else "# No function that may be edited takes a share of the time."
