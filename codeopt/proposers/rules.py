"""The built-in rewrite rules as a proposer: all that match at once, then what does not pay is taken out again."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache

from codeopt.core.history import Candidate, Critique, Draft, History
from codeopt.core.revision import Revision
from codeopt.rules import HotFiles, Rule

MIN_RULE_GAIN = 1.02
"""Least slow-down by which a rule pays: a rule without which the program takes less than this factor longer is
dropped."""


ORIGINAL = "original"
"""Name of the ablation that is the original."""

WHOLE = "with all rules"
"""Name of the ablation that is the draft with all of its rules."""


Search = Generator[Draft, Candidate, Candidate | None]
"""A search for the best rules: yields drafts, is sent what was measured, returns the candidate to prefer."""


class Rules:
    """Deterministic and without state: the next draft follows from the history alone, so a killed run resumes."""

    name = "rules"

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)

    def critique(self, history: History) -> Critique:
        """The rules that match the best program so far, where and why; sufficient when nothing untried is left."""
        following, best = _follow(self.rules, history)
        found = matches(self.rules, best or history.original)
        text = "\n".join(f"{m.rule.name}, {m.place}: {m.rule.reason}" for m in found)
        if following is None:
            return Critique(text or "No rule matches.", sufficient=True, exhausted=True)
        return Critique(f"{text}\nNext: {following.summary}".strip())

    def refine(self, history: History) -> Draft:
        """The next draft of the search."""
        following, _ = _follow(self.rules, history)
        tried = "every combination of rules was tried"
        return following or Draft(history.last.revision, "nothing left to try", problem=tried)

    def preferred(self, history: History) -> Candidate | None:
        """The smallest change among those that are as fast as the fastest; None when nothing helped."""
        return _follow(self.rules, history)[1]


@dataclass(frozen=True)
class Match:
    """A rule that would change a program, and where."""

    rule: Rule
    place: str
    """`line 7`; of a project `shop/store.py:7`."""


def matches(rules: Iterable[Rule], candidate: Candidate) -> list[Match]:
    """The rules that match a program, with the first line that each would change."""
    old, hot, found = candidate.revision, HotFiles.of(candidate.profile), []
    for rule in rules:
        if (new := rule.revise(old, hot)) is not None:
            # the first line that is replaced, in the first file that differs; else the one above which something is new
            path = next(iter(new.changed_files(old)), next(iter(old)))
            sides = (old[path].splitlines(), new[path].splitlines())
            codes = SequenceMatcher(None, *sides, autojunk=False).get_opcodes()
            line = 1 + min((tag == "insert", at) for tag, at, *_ in codes if tag != "equal")[1]
            found.append(Match(rule, f"{path}:{line}" if path else f"line {line}"))
    return found


@lru_cache(maxsize=128)
def stack(revision: Revision, hot: HotFiles, rules: tuple[Rule, ...]) -> tuple[Revision, tuple[Rule, ...]]:
    """The revision after every rule that matches, in order, and those rules.

    Cached, as the search is replayed from the start in every round.
    """
    used: list[Rule] = []
    # most passes of the rules over a program in one draft: a rule can make an earlier one match
    for _ in range(2):
        for rule in rules:
            new = _revised(rule, revision, hot)
            if new is not None:
                hot, revision = hot.moved(revision, new), new
                used += [rule] if rule not in used else []
    return revision, tuple(used)


@lru_cache(maxsize=4096)
def _revised(rule: Rule, revision: Revision, hot: HotFiles) -> Revision | None:
    """The revision after one rule, cached: drafts that differ in one late rule start with the same steps."""
    return rule.revise(revision, hot)


def _follow(rules: tuple[Rule, ...], history: History) -> tuple[Draft | None, Candidate | None]:
    """Replay the search over the history: the first draft that was not measured yet, and the best so far."""
    search = _search(history.original, rules)
    best: Candidate | None = None
    try:
        draft = next(search)
        while candidate := _measured(draft, history):
            best = candidate if _ratio(candidate) > max(1.0, _ratio(best)) else best
            draft = search.send(candidate)
    except StopIteration as end:
        return None, end.value
    return draft, best


def _measured(draft: Draft, history: History) -> Candidate | None:
    """The measurements of a draft; a correct one that was only screened is measured again when it is to be compared."""
    same = (each for each in history.candidates if each.revision == draft.revision)
    return next((each for each in same if each.screening_only == draft.screening_only or not each.correct), None)


def _search(original: Candidate, rules: tuple[Rule, ...]) -> Search:
    """Everything at once; when that is wrong, what is provably safe and what of the rest can be added; then less."""
    hot = HotFiles.of(original.profile)
    _, used = stack(original.revision, hot, rules)
    safe = tuple(rule for rule in used if rule.safety == "safe")
    best = yield from _attempt(original, hot, used)
    if best is None and safe != used:
        wider = yield from _widened(original, hot, used, safe)
        for attempt in dict.fromkeys([wider, safe]):
            best = best or (yield from _attempt(original, hot, attempt))
    elif best is None:
        best = yield from _attempt(original, hot, (yield from _widened(original, hot, used, ())))
    return best if _ratio(best) > 1.0 else None


def _attempt(original: Candidate, hot: HotFiles, rules: tuple[Rule, ...]) -> Search:
    """Try the rules together, take out what does not pay, compare the rest with the original. None: the draft is
    wrong."""
    if not rules:
        return None
    if len(rules) == 1:
        return _right((yield _last(original, hot, rules)))
    tried = yield _trial(original, hot, rules)
    if not tried.correct:
        return None
    paying = _paying(rules, tried)
    if not paying:
        return tried
    if paying == rules or not stack(original.revision, hot, paying)[1]:
        return _right((yield _last(original, hot, rules)))
    trimmed = yield _draft(original, hot, paying, [(WHOLE, tried.revision)])
    if trimmed.correct and dict(trimmed.ablation).get(WHOLE, 1.0) * MIN_RULE_GAIN >= 1.0:
        return trimmed
    whole = yield _draft(original, hot, rules)  # two that do the same work, perhaps: none is missed alone
    return _right(max(whole, trimmed, key=_ratio))


def _widened(
    original: Candidate, hot: HotFiles, order: Sequence[Rule], kept: tuple[Rule, ...]
) -> Generator[Draft, Candidate, tuple[Rule, ...]]:
    """The rules that are kept, and each of the others that makes the program faster and leaves it correct."""
    best = (yield _trial(original, hot, kept)) if kept else None
    if best is None or not best.correct:
        kept, best = (), None
    for rule in [rule for rule in order if rule not in kept]:
        wider = tuple(sorted((*kept, rule), key=order.index))
        revision, used = stack(original.revision, hot, wider)
        if rule not in used or (best is not None and revision == best.revision):
            continue
        candidate = yield _trial(original, hot, wider)
        if candidate.correct and _ratio(candidate) > max(1.0, _ratio(best)) * MIN_RULE_GAIN:
            kept, best = wider, candidate
    return kept


def _paying(rules: tuple[Rule, ...], tried: Candidate) -> tuple[Rule, ...]:
    """The rules without which the program takes longer, one at least; none when no choice of them can be worth it."""
    without = dict(tried.ablation)
    harm = min([1.0, *(without[rule.name] for rule in rules if rule.name in without)])
    # least expected speedup of a choice among the rules; the search ends when no choice reaches it
    if _ratio(tried) / harm < 1.04:
        return ()
    pay = {rule: without.get(rule.name, MIN_RULE_GAIN) for rule in rules}
    return tuple(rule for rule in rules if pay[rule] >= MIN_RULE_GAIN) or (max(rules, key=lambda rule: pay[rule]),)


def _trial(original: Candidate, hot: HotFiles, rules: tuple[Rule, ...]) -> Draft:
    """Return a draft to time against the original, and against itself without each of the rules."""
    variants = [(ORIGINAL, original.revision)]
    whole, _ = stack(original.revision, hot, rules)
    for rule in rules if len(rules) > 1 else ():
        revision, used = stack(original.revision, hot, tuple(each for each in rules if each is not rule))
        if used and revision != whole:
            variants.append((rule.name, revision))
    return replace(_draft(original, hot, rules, variants), screening_only=True)


def _draft(
    original: Candidate, hot: HotFiles, rules: tuple[Rule, ...], variants: Sequence[tuple[str, Revision]] = ()
) -> Draft:
    revision, used = stack(original.revision, hot, rules)
    names = " + ".join(rule.name for rule in used)
    summary = f"{names}: {used[0].reason}" if len(used) == 1 else names
    return Draft(revision, summary, tuple(f"{rule.name}: {rule.reason}" for rule in used), tuple(variants))


def _last(original: Candidate, hot: HotFiles, rules: tuple[Rule, ...]) -> Draft:
    """Return a draft that ends the search if it is right. The edits of a project are timed apart before they are
    confirmed, so that none of its drafts is the last."""
    return replace(_draft(original, hot, rules), last=original.revision.is_one_file)


def _right(candidate: Candidate) -> Candidate | None:
    return candidate if candidate.correct else None


def _ratio(candidate: Candidate | None) -> float:
    """Speedup over the original; 0 without a comparison, and for a wrong draft."""
    if candidate is None or not candidate.correct:
        return 0.0
    return candidate.comparison.ratio if candidate.comparison else dict(candidate.ablation).get(ORIGINAL, 0.0)
