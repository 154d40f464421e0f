"""The built-in rewrite rules as a proposer: all that match at once, then what does not pay is taken out again."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from codeopt.history import Candidate, Critique, Draft, History
from codeopt.rules import Hot, Rule, select_rules

WORTH_KEEPING = 1.02
"""A rule whose removal costs less than this factor is taken out again: the smallest change that is as fast wins."""

PASSES = 2
"""How often the rules go over a program in one draft: a rule can open the door to an earlier one."""

Search = Generator[Draft, Candidate, Candidate | None]
"""Yields drafts, is sent what was measured, returns the candidate to prefer."""


class Rules:
    """Deterministic and without state: the next draft follows from the history alone, so a killed run resumes."""

    name = "rules"

    def __init__(self, select: Sequence[str] = (), ignore: Sequence[str] = (), *, script: bool = True) -> None:
        """`script`: the target is a whole program, not a function of a module that others import."""
        self.rules = tuple(rule for rule in select_rules(select, ignore) if script or not rule.scripts_only)

    def critique(self, history: History) -> Critique:
        """Which rules match the best program so far, where and why; sufficient when nothing untried is left."""
        following, best = _follow(self.rules, history)
        found = matches(self.rules, best or history.original)
        text = "\n".join(f"{m.rule.name}, line {m.line}: {m.rule.reason}" for m in found)
        if following is None:
            return Critique(text or "No rule matches.", sufficient=True, exhausted=True)
        return Critique(f"{text}\nNext: {following.summary}".strip())

    def refine(self, history: History) -> Draft:
        """The next draft of the search."""
        following, _ = _follow(self.rules, history)
        if following is None:
            return Draft(history.last.source, "nothing left to try", problem="every combination of rules was tried")
        return following

    def preferred(self, history: History) -> Candidate | None:
        """The smallest change among those that are as fast as the fastest; None when nothing helped."""
        return _follow(self.rules, history)[1]


@dataclass(frozen=True)
class Match:
    """A rule that would change a program, and where."""

    rule: Rule
    line: int


def matches(rules: Iterable[Rule], candidate: Candidate) -> list[Match]:
    """The rules that match a program, with the first line that each would change."""
    hot = Hot.of(candidate.profile)
    found = ((rule, rule.rewrite(candidate.source, hot)) for rule in rules)
    return [Match(rule, _first_change(candidate.source, new)) for rule, new in found if new is not None]


def stack(source: str, hot: Hot, rules: Iterable[Rule]) -> tuple[str, tuple[Rule, ...]]:
    """The source after every rule that matches, in order, and those rules."""
    return _stacked(source, hot, tuple(rules))


@lru_cache(maxsize=128)
def _stacked(source: str, hot: Hot, rules: tuple[Rule, ...]) -> tuple[str, tuple[Rule, ...]]:
    """As stack; the search is replayed from the start in every round."""
    used: list[Rule] = []
    for _ in range(PASSES):
        for rule in rules:
            new = rule.rewrite(source, hot)
            if new is not None:
                hot, source = hot.moved(source, new), new
                used += [rule] if rule not in used else []
    return source, tuple(used)


def _follow(rules: Sequence[Rule], history: History) -> tuple[Draft | None, Candidate | None]:
    """Replay the search over the history: the first draft that was not measured yet, and the best when none is left."""
    measured = {candidate.source: candidate for candidate in reversed(history.candidates)}
    search = _search(history.original, rules)
    best: Candidate | None = None
    try:
        draft = next(search)
        while draft.source in measured:
            candidate = measured[draft.source]
            best = candidate if _ratio(candidate) > max(1.0, _ratio(best)) else best
            draft = search.send(candidate)
    except StopIteration as end:
        return None, end.value
    return draft, best


def _search(original: Candidate, rules: Sequence[Rule]) -> Search:
    """Everything at once; when that is wrong, only what is provably safe, then one by one; then less and less."""
    hot = Hot.of(original.profile)
    _, used = stack(original.source, hot, rules)
    kept: tuple[Rule, ...] = ()
    best: Candidate | None = None
    for attempt in dict.fromkeys([used, tuple(rule for rule in used if not rule.by_tests)]):
        if attempt and best is None:
            candidate = yield _draft(original, hot, attempt)
            if candidate.correct:
                kept, best = attempt, candidate
    if best is None or len(kept) < len(used):
        kept, best = yield from _one_by_one(original, hot, used, kept, best)
    if best is None:
        return None
    kept, best = yield from _leave_out(original, hot, kept, best)
    return best if _ratio(best) > 1.0 else None


def _one_by_one(
    original: Candidate, hot: Hot, order: Sequence[Rule], kept: tuple[Rule, ...], best: Candidate | None
) -> Generator[Draft, Candidate, tuple[tuple[Rule, ...], Candidate | None]]:
    """Add the rules that make it faster and leave it right."""
    for rule in [rule for rule in order if rule not in kept]:
        wider = tuple(sorted((*kept, rule), key=order.index))
        source, used = stack(original.source, hot, wider)
        if rule not in used or (best is not None and source == best.source):
            continue
        candidate = yield _draft(original, hot, wider)
        if candidate.correct and _ratio(candidate) > max(1.0, _ratio(best)) * WORTH_KEEPING:
            kept, best = wider, candidate
    return kept, best


def _leave_out(
    original: Candidate, hot: Hot, kept: tuple[Rule, ...], best: Candidate
) -> Generator[Draft, Candidate, tuple[tuple[Rule, ...], Candidate]]:
    """Take out every rule without which the program is as fast."""
    for rule in reversed(kept):
        fewer = tuple(other for other in kept if other is not rule)
        source, used = stack(original.source, hot, fewer)
        if not used or source == best.source:
            continue
        candidate = yield _draft(original, hot, fewer)
        if candidate.correct and _ratio(candidate) * WORTH_KEEPING > _ratio(best):
            kept, best = fewer, candidate
    return kept, best


def _draft(original: Candidate, hot: Hot, rules: Iterable[Rule]) -> Draft:
    source, used = stack(original.source, hot, rules)
    names = " + ".join(rule.name for rule in used)
    return Draft(source, f"{names}: {used[0].reason}" if len(used) == 1 else names)


def _ratio(candidate: Candidate | None) -> float:
    """How many times as fast as the original; 0 for none, and for one that was not compared."""
    return candidate.comparison.ratio if candidate and candidate.correct and candidate.comparison else 0.0


def _first_change(old: str, new: str) -> int:
    pairs = zip(old.splitlines(), new.splitlines(), strict=False)
    return next((number for number, (a, b) in enumerate(pairs, 1) if a != b), old.count("\n") + 1)
