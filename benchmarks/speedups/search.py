"""Which search brings most for its tokens, with drafts whose chances are known.

    python -m benchmarks.speedups.search [--repeats 50] [--seed 0] [--budgets 0.5 1 2 4] [--learns 0 0.5]

Twenty problems, each with its own chances that a draft is wrong, right and slower, no faster, or a step faster, that a
wrong one is mended in the next round, and that the first idea is a dead end, from which no step leads far. The loop and
the searches are the real ones; the judge knows the truth and adds the noise of a measurement. A round costs tokens by
the programs that it shows, as prompts do. Every search may spend on a problem what four rounds of the paper's chain
take there; shares and speedups are means over repeats, their intervals a bootstrap over the problems.

The chances are assumptions, drawn once; what they decide is the default among searches, not how well a model does.
"""

from __future__ import annotations

import argparse
import math
import random
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, cast

from codeopt.batch.results.statistics import Estimate, estimate, estimate_geometric
from codeopt.core.history import Candidate, Critique, Draft, History
from codeopt.core.model import Budget, Ledger, Usage
from codeopt.core.revision import Revision
from codeopt.engine.judge import Judge, Keep
from codeopt.engine.loop import RefineLoop, SearchPlan
from codeopt.engine.searches import open_search
from codeopt.tasks import open_task
from codeopt_sandbox.compare import Comparison, Decision
from codeopt_sandbox.outcome import CaseVerdict, Outcome, Run

PROBLEMS = 20
ROUNDS = 4
OPT = 1.10
"""As PIE counts: right, and at least so many times as fast."""
NOISE = 0.02
"""Standard deviation of a measured log ratio; its interval is twice that to each side."""
SYSTEM_TOKENS, PROGRAM_TOKENS, CRITIQUE_TOKENS = 1500, 900, 200
"""Of a prompt: what stands in each, what each shown round adds; and of an answer."""
TASK = open_task("runtime")


@dataclass(frozen=True)
class Chances:
    """A problem."""

    wrong: float
    mend: float
    """That a wrong draft is right in the next round, with its idea's speed."""
    slower: float
    step: float
    """That a right draft is a step faster than its parent."""
    gain: float
    """Of a step, as a logarithm."""
    steps: int
    """Beyond which nothing is gained."""
    dead_end: float
    """That the idea of a first draft leads no further than one step."""
    leave: float
    """That a draft in a dead end is of another idea."""
    learns: float
    """Each measured round that is shown multiplies the odds of being right, and of a step, by one more than this."""
    returns: float
    """That a draft goes on from the best that is shown, and not from the newest: prompts show all figures."""


@dataclass(frozen=True)
class Truth:
    """What is known of a draft, and written in it."""

    right: bool
    level: float
    """Steps; its speedup is exp(gain * level)."""
    dead: bool
    number: int

    @property
    def source(self) -> str:
        """A program that no other is the same as."""
        return f"truth = ({int(self.right)}, {self.level!r}, {int(self.dead)}, {self.number})\n"

    @staticmethod
    def of(source: str) -> Truth:
        """As `source` wrote it."""
        right, level, dead, number = re.findall(r"[-\d.e]+", source.partition("=")[2])
        return Truth(bool(int(right)), float(level), bool(int(dead)), int(number))


def problems(seed: int, learns: float = 0.0) -> list[Chances]:
    """Twenty, from easy ones to those where nearly all goes wrong."""
    draw = random.Random(seed)
    return [
        Chances(
            wrong=draw.uniform(0.15, 0.6), mend=draw.uniform(0.3, 0.7), slower=draw.uniform(0.05, 0.25),
            step=draw.uniform(0.15, 0.6), gain=draw.choice((0.15, 0.4, 0.7, 1.2)), steps=draw.randint(1, 5),
            dead_end=draw.uniform(0.1, 0.7), leave=draw.uniform(0.05, 0.3), returns=draw.uniform(0.3, 0.9),
            learns=learns,
        )
        for _ in range(PROBLEMS)
    ]  # fmt: skip


class Stochastic:
    """Writes drafts by the chances of a problem."""

    name = "stochastic"

    def __init__(self, chances: Chances, seed: str) -> None:
        self._chances, self._draw, self._number = chances, random.Random(seed), 0

    def critique(self, history: History) -> Critique:
        """It always sees something to improve; reading costs by what is shown."""
        return Critique("go on", usage=_usage(history, CRITIQUE_TOKENS))

    def refine(self, history: History) -> Draft:
        """A draft from the newest that is shown, or from the last two."""
        self._number += 1
        return Draft(Revision.of(self._next(history).source), "a draft", usage=_usage(history, PROGRAM_TOKENS))

    def preferred(self, history: History) -> Candidate | None:
        """The figures decide."""
        return None

    def _next(self, history: History) -> Truth:
        chances, draw = self._chances, self._draw
        parent = Truth.of(history.last.source)
        if not parent.right:
            return replace(parent, right=draw.random() < chances.mend, number=self._number)
        if draw.random() < chances.returns:
            shown = (Truth.of(candidate.source) for candidate in history.candidates)
            parent = max((each for each in shown if each.right), key=lambda each: each.level)
        level, dead = parent.level, parent.dead
        if history.last.round == 0 or (dead and draw.random() < chances.leave):
            level, dead = min(level, 0.0), draw.random() < chances.dead_end
        if history.remark:  # two are shown
            other = Truth.of(history.candidates[-2].source)
            level, dead = max(level, other.level), dead and other.dead
        top = 1 if dead else chances.steps
        odds = (1 + chances.learns) ** (len(history.candidates) - 1)
        kind = draw.random()
        step = _times_odds(chances.step, odds)
        if kind < step:
            level = min(top, level + 1)
        elif kind < step + chances.slower * (1 - step):
            level -= 0.5
        return Truth(draw.random() < _times_odds(1 - chances.wrong, odds), level, dead, self._number)


def _times_odds(chance: float, odds: float) -> float:
    return chance * odds / (chance * odds + 1 - chance)


def _usage(history: History, out: int) -> Usage:
    read = SYSTEM_TOKENS + PROGRAM_TOKENS * len(history.candidates)
    return Usage(1, read, out, float(read + out))  # a token costs 1 USD, so a budget of money is one of tokens


class Knowing:
    """A judge that knows the truth, and measures it with noise."""

    timed = True

    def __init__(self, chances: Chances, seed: str) -> None:
        self._gain, self._draw = chances.gain, random.Random(seed)

    def measure(self, draft: Draft, history: History, keep: Keep = lambda verdict: None) -> Candidate:
        """As the real one does."""
        candidate = self.screen(draft, history)
        return self.finish(candidate, draft, history, keep) if candidate.correct else candidate

    def fewest_pairs(self, share: float) -> int:
        """As the real one."""
        return 9

    def screen(self, draft: Draft, history: History, keep: Keep = lambda verdict: None) -> Candidate:
        """Right or wrong."""
        verdict = CaseVerdict.AC if Truth.of(draft.source).right else CaseVerdict.WA
        outcome = Outcome("case", verdict, Run(0, None, b"", b"", 0.1, 0.1, 0), "")
        return Candidate(len(history.candidates), draft.revision, draft.summary, (outcome,))

    def finish(
        self, candidate: Candidate, draft: Draft, history: History, keep: Keep = lambda verdict: None
    ) -> Candidate:
        """Compared with the original."""
        log = self._log(candidate)
        low, high = log - 2 * NOISE, log + 2 * NOISE
        decision = Decision.FASTER if low > 0 else Decision.SLOWER if high < 0 else Decision.SAME
        ends = (math.exp(log), math.exp(low), math.exp(high))
        return replace(candidate, comparison=Comparison(decision, *ends, 20, "cpu", 0.9, 0.05, "known", ()))

    def is_unfinished(self, candidate: Candidate) -> bool:
        """Return False: nothing ends a judgement here."""
        return False

    def floor(self, candidate: Candidate) -> float | None:
        """Nothing is known of one."""
        return None

    def _log(self, candidate: Candidate) -> float:
        return self._gain * Truth.of(candidate.source).level + self._draw.gauss(0, NOISE)


def best(chances: Chances, plan: SearchPlan, budget: Budget, seed: str) -> tuple[float, int]:
    """The true speedup of what would be confirmed, 1 where nothing is; and the tokens. A round that passes the budget
    counts for nothing: larger ones would pass it by more."""
    original = Candidate(0, Revision.of(Truth(True, 0.0, False, 0).source), "the original")
    judge = cast(Judge, Knowing(chances, f"judge {seed}"))
    loop = RefineLoop(Stochastic(chances, seed), TASK, judge, budget, History((original,)), Ledger(), plan)
    loop.run()
    paid = _within(loop.history, budget.cost_usd)
    loop.history = paid
    chosen = next(loop.ranked(), None)
    gain = chances.gain * Truth.of(chosen.source).level if chosen else 0.0
    return math.exp(max(0.0, gain)), _tokens(paid.candidates)


def _within(history: History, tokens: float | None) -> History:
    """The rounds that were whole before the budget was passed."""
    turns = sorted({candidate.turn for candidate in history.candidates})
    cuts = [tuple(each for each in history.candidates if each.turn <= turn) for turn in turns]
    return History([cut for cut in cuts if tokens is None or _tokens(cut) <= tokens][-1])


def _tokens(candidates: Sequence[Candidate]) -> int:
    return sum(each.effort.tokens_in + each.effort.tokens_out for each in candidates)


def contestants() -> dict[str, SearchPlan]:
    """All that may become the default, and the chain without its patience."""

    def plan(name: str, **settings: Any) -> SearchPlan:
        return SearchPlan(open_search(name), floor=False, **settings)

    return {
        "chain": plan("chain"),
        "chain, patience 0": plan("chain", patience=0),
        "best-of 2": plan("best-of", chains=2),
        "best-of 4": plan("best-of", chains=4),
        "evolve": plan("evolve"),
    }


@dataclass(frozen=True)
class Tally:
    """Of one way, by problem: means over the repeats."""

    opt: list[float]
    logs: list[float]
    tokens: list[float]

    @property
    def speedup(self) -> Estimate:
        """Geometric mean."""
        return estimate_geometric([math.exp(log) for log in self.logs])


def tally(plan: SearchPlan, all_chances: Sequence[Chances], budgets: Sequence[Budget], repeats: int) -> Tally:
    """Every problem, so often."""
    found = Tally([], [], [])
    for number, (chances, budget) in enumerate(zip(all_chances, budgets, strict=True)):
        runs = [best(chances, plan, budget, f"{number} {repeat}") for repeat in range(repeats)]
        found.opt.append(fmean(speedup >= OPT for speedup, _ in runs))
        found.logs.append(fmean(math.log(speedup) for speedup, _ in runs))
        found.tokens.append(fmean(tokens for _, tokens in runs))
    return found


def simulate(seed: int, repeats: int, multiples: Sequence[float], learns: float) -> None:
    """The table."""
    print(f"\nodds times {1 + learns:g} for each measured round that is shown", end="")
    all_chances = problems(seed, learns)
    paper = SearchPlan(open_search("chain"), patience=0, floor=False)
    costs = tally(paper, all_chances, [Budget(rounds=ROUNDS)] * PROBLEMS, repeats).tokens
    for times in multiples:
        budgets = [Budget(cost_usd=cost * times) for cost in costs]
        print(f"\nbudget: {times:g} times {ROUNDS} rounds of the chain, {fmean(costs) * times:,.0f} tokens a problem")
        print(
            f"{'':22}{'tokens':>8}  {'%OPT':>6} 95% interval   over the chain    {'speedup':>7} 95% interval  "
            "over the chain"
        )
        chain: Tally | None = None
        for label, plan in contestants().items():
            found = tally(plan, all_chances, budgets, repeats)
            chain = chain or found
            print(_row(label, found, chain), flush=True)


def _row(label: str, found: Tally, chain: Tally) -> str:
    opt, speedup = estimate(found.opt, fmean), found.speedup
    ratio = estimate_geometric([math.exp(a - b) for a, b in zip(found.logs, chain.logs, strict=True)])
    more = estimate([a - b for a, b in zip(found.opt, chain.opt, strict=True)], fmean)
    return (
        f"{label:<22}{fmean(found.tokens):>8,.0f}  {opt.value:>6.1%} {opt.low:.1%} - {opt.high:.1%}  "
        f"{more.value:>+6.1%} ({more.low:+.1%} to {more.high:+.1%})  "
        f"{speedup.value:>6.2f}x {speedup.low:.2f} - {speedup.high:.2f}  "
        f"{ratio.value:.3f} ({ratio.low:.3f} - {ratio.high:.3f})"
    )


def main() -> int:
    """The table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=50, help="of each problem (%(default)d)")
    told = "multiples of what four rounds of the chain take"
    parser.add_argument("--budgets", type=float, nargs="+", default=[0.5, 1, 2, 4], metavar="TIMES", help=told)
    parser.add_argument("--seed", type=int, default=0, help="of the problems (%(default)d)")
    told = "what a measured round in the prompt is worth (0 and 0.5)"
    parser.add_argument("--learns", type=float, nargs="+", default=[0.0, 0.5], metavar="SHARE", help=told)
    arguments = parser.parse_args()
    for learns in arguments.learns:
        simulate(arguments.seed, arguments.repeats, arguments.budgets, learns)
    return 0


if __name__ == "__main__":
    sys.exit(main())
