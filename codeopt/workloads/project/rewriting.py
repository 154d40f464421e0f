"""The built-in rules on a project: each on the hot functions of all files, which others import."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codeopt.core.revision import Revision
from codeopt.rules import HotFiles, Rule
from codeopt.workloads.function.view import FunctionRule
from codeopt.workloads.project.profile import ProjectProfile
from codeopt.workloads.project.protected_files import ProtectedFiles

WORTH = 0.03
"""A function with a smaller own share of the command is left as it is."""
MOST = 12


@dataclass(frozen=True)
class ProjectRule(Rule):
    """A rule kept to some functions."""

    places: tuple[tuple[str, str], ...] = ()
    """File and qualified name."""

    def revise(self, revision: Revision, hot: HotFiles) -> Revision | None:
        """The project with those functions rewritten; None where the rule matches in none of them."""
        found = revision
        for path, qualname in self.places:
            if path in found and (new := self._within(qualname).rewrite(found[path], hot.at(path))) is not None:
                found = found.with_file(path, new)
        return found if found != revision else None

    def _within(self, qualname: str) -> FunctionRule:
        fields = {name: value for name, value in vars(self).items() if name != "places"}
        return FunctionRule(**fields, qualname=qualname)


def project_rules(rules: Sequence[Rule], profile: ProjectProfile, ground: ProtectedFiles) -> tuple[Rule, ...]:
    """The rules that are not for whole programs, each restricted to the functions that take the time and may be
    edited."""
    may_change = [f for f in profile.functions if f.qualname != "<module>" and not ground.why(f.file)]
    hot = [f for f in may_change if f.own_share >= WORTH][:MOST]
    places = tuple((f.file, f.qualname) for f in hot)
    kept = [rule for rule in rules if not rule.scripts_only]
    return tuple(ProjectRule(**vars(rule), places=places) for rule in kept) if places else ()
