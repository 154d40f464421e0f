"""What a draft's calls answer, judged by what the original's do, and the smallest call that shows a wrong answer."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

from codeopt.core.call import Call, Constructed, texts_of
from codeopt.core.options import ImproveOptions
from codeopt.core.revision import OWN, Revision
from codeopt.workloads import WorkloadRequest
from codeopt.workloads._judging import InputPolicy
from codeopt.workloads._runs import axes
from codeopt.workloads.contract.function import Contract
from codeopt.workloads.function.briefing import given_by_shape, has_objects
from codeopt.workloads.function.corpus.cases import (
    LENIENT,
    CallCase,
    CaveatRules,
    SpecialChecker,
    WholeCase,
    beyond_caveats,
    call_caveats,
    calls_of,
    disturbed,
    usual_part,
    without_unsteady,
)
from codeopt.workloads.function.corpus.corpus import CallCorpus, Covered, lines_run
from codeopt.workloads.function.corpus.scenarios import LONGEST_SHOWN, OTHER_TYPE, ScenarioShrinker, by_single_calls
from codeopt.workloads.function.counterexample import Importable, Probe, Scenario, apart, as_python, paste
from codeopt.workloads.function.harness import FunctionHarness, TimedRuns
from codeopt.workloads.function.shrink import CallShrinker, failing
from codeopt.workloads.sandbox_view.view import locate
from codeopt.workloads.source.module_graph import read_module
from codeopt_sandbox.calls import Answer, CallBatch, CallRun, Kind, LeftSetting, ProcessChanges
from codeopt_sandbox.comparing import RAISED_EARLIER, AnswerChecker, AnswerComparison, AnsweredCase, Observable
from codeopt_sandbox.guest.calls.process_state import IMPORT
from codeopt_sandbox.guest.calls.repr.structure import SIGNS
from codeopt_sandbox.guest.request import EMBEDDED, SHIFTED, USUAL, batch_of
from codeopt_sandbox.outcome import Case, CaseVerdict, Cause, Caveat, CaveatKind, ChangedSetting, Mode, Outcome, Tier
from codeopt_sandbox.verdict import Checker, judge

OTHER_SEEDS = range(3, 8)
"""Hash seeds with which the original makes calls again on which a draft differs. The first of five items of a set is
the same under two seeds in a fifth of the calls, and under seven in one of 15,000."""


@dataclass(frozen=True)
class CallJudge:
    """Compares a draft's calls with the original's."""

    request: WorkloadRequest
    harness: FunctionHarness
    corpus: CallCorpus
    runner: TimedRuns
    original: Revision
    check: Checker
    contract: Contract

    def run_case(self, draft: Revision, case: Case) -> Outcome:
        """Make the calls of a case in a fresh interpreter."""
        outcome = self.run_with_answer(draft, case)
        answered = isinstance(case, AnsweredCase) and outcome.verdict is CaseVerdict.AC
        return _without_answer(outcome) if answered else outcome

    def run_with_answer(self, draft: Revision, case: Case) -> Outcome:
        """The same, with the answer of the calls also where it is the original's."""
        mode: Mode = "fork" if isinstance(case, WholeCase) else "exec"  # as they are timed
        run = self.runner.run(draft, case.stdin, mode=mode, environment=case.environment)
        outcome = judge(case, usual_part(case, run), self.check)
        if isinstance(case, CallCase) and case.several:
            if self.comparison.of_case(case, run):  # is it the order of a set, or a thread, in both?
                run, outcome = self._without_unsteady(case, run, outcome, [1])
        elif case.environment != USUAL and outcome.verdict is CaseVerdict.WA and isinstance(case, AnsweredCase):
            run, outcome = self._without_unsteady(case, run, outcome, [case.environment.hash_seed, *OTHER_SEEDS])
        if isinstance(case, CallCase) and case.beyond and all(case.beyond):
            return self._beyond(draft, case, outcome)
        if isinstance(case, CallCase) and outcome.verdict is not CaseVerdict.AC:
            earlier = self._raised_earlier(draft, case, outcome)
            plain = replace(case, environment=case.environment.plain)
            if earlier or plain == case:
                return earlier or outcome
            # a caveat where the decimal context, the recursion limit or -O makes the difference
            known = plain.expecting(self._original(plain))
            alone = self.run_case(draft, known) if known.is_answered else outcome
            because = f"only in another environment: {axes(case.environment, plain.environment)}"
            return self._beyond(draft, case, outcome, because) if alone.verdict is CaseVerdict.AC else alone
        outcome = self._with_process_state(draft, outcome)
        if not isinstance(case, AnsweredCase):
            return outcome
        outcome = self._viewed(draft, case, outcome, mode)
        if outcome.verdict is not CaseVerdict.AC:
            return outcome
        found = call_caveats(case, run, self.rules_of_caveats)
        if isinstance(case, CallCase) and any(each.cause == OTHER_TYPE for each in found):
            single = by_single_calls(case, run, self.runner, draft, self.contract)
            case = replace(case, beyond=tuple(single.get(at, why) for at, why in enumerate(case.beyond)))
            told = call_caveats(case, run, self.rules_of_caveats)
            found = tuple(replace(each, domain=(each.cause,) * (each.cause in single.values())) for each in told)
        return replace(outcome, caveats=found)

    def _without_unsteady(
        self, case: AnsweredCase, run: CallRun, outcome: Outcome, seeds: Sequence[int]
    ) -> tuple[CallRun, Outcome]:
        """A wrong run without the calls that the original answers otherwise under some hash seed."""
        for seed in seeds:
            again = self._original(replace(case, environment=case.environment.replace(hash_seed=seed)))
            if not disturbed(again):  # a call that only took too long this time is not another answer
                run = without_unsteady(case, run, again)
                outcome = judge(case, usual_part(case, run), self.check)
            if outcome.verdict is not CaseVerdict.WA:
                break
        return run, outcome

    def _raised_earlier(self, draft: Revision, case: CallCase, outcome: Outcome) -> Outcome | None:
        """Caveats about objects that the draft cannot make, as a constructor raises what the original raises when the
        same object is given in a known call. None if anything else differs."""
        wrong = [each for each in self.comparison.of_case(case, outcome.run) if each.subject is None]
        # number of known calls that are made with an object that a draft cannot make
        vouched = [call for call in self.corpus.vouched if call.can_change]
        known = sorted(vouched, key=lambda call: -len(call.text))[:5]
        asked: dict[int, list[Call]] = {}
        for each in wrong:
            if each.answers is None or each.answers[1].kind != Kind.NO_ARGUMENTS:
                return None
            probe = case.probes[each.at]
            calls = (probe,) if isinstance(probe, Call) else probe.calls
            made = [(at, alone) for call in calls for at, v in enumerate(call.values) for alone in _parts_alone(v)]
            asked[each.at] = [
                call.with_value(at, alone) for call in known for at, alone in made if at < len(call.values)
            ]
        every = tuple(dict.fromkeys(call for calls in asked.values() for call in calls))
        outcomes = self.harness.ask(every, seconds=0.1, lost=3, budget=1.0).outcomes if every else ()
        pairs = zip(every, outcomes, strict=True)
        raised = {call: each.exception.rpartition(".")[2] for call, each in pairs if each.kind == Kind.RAISES}
        later = [each.answers[1].exception in map(raised.get, asked[each.at]) for each in wrong if each.answers]
        return self._beyond(draft, case, outcome, RAISED_EARLIER) if later and all(later) else None

    def _original(self, case: Case) -> CallRun:
        return self.runner.run(self.original, case.stdin, mode="exec", environment=case.environment)

    def _with_process_state(self, draft: Revision, outcome: Outcome) -> Outcome:
        """A right run as a wrong one, where its import or its calls change settings of the process that the original's
        do not."""
        run = outcome.run
        left = run.answer.left if isinstance(run, CallRun) and run.answer else None
        ignored = Observable.STATE in self.request.options.ignore_difference
        if ignored or outcome.verdict is not CaseVerdict.AC or draft == self.original or left is None:
            return outcome
        new = new_process_state(self.runner, self.original, left)
        if not new:
            return outcome
        # `its import leaves settings of the whole process changed, ...: switch interval: 5.0 (0.005 before)`
        told = tuple(ChangedSetting(e.name, e.before, e.after, "import" if e.when == IMPORT else "calls") for e in new)
        of_one = [each for each in told if each.when == told[0].when]
        who = "import leaves" if told[0].when == "import" else "calls leave"
        words = "; ".join(f"{e.name}: {e.after or 'nothing'} ({e.before or 'nothing'} before)" for e in of_one[:3])
        more = f", and {len(new) - len(of_one[:3])} more" if len(new) > len(of_one[:3]) else ""
        detail = f"its {who} settings of the whole process changed, which the original's does not: {words}{more}"
        return replace(outcome, verdict=CaseVerdict.WA, detail=detail, settings=told)

    def _viewed(self, draft: Revision, case: AnsweredCase, outcome: Outcome, mode: Mode) -> Outcome:
        """A right outcome as a wrong one, where objects of the draft's answer their callers otherwise."""
        run, original = outcome.run, self.original
        if outcome.verdict is not CaseVerdict.AC or draft == original or not isinstance(run, CallRun):
            return outcome
        batch = _asked(case, run, compared=_operators(original) != _operators(draft))
        if batch is None:
            return outcome
        environment, stdin = case.environment, batch.stdin()
        sides = (original, draft)
        old, new = (self.runner.run(side, stdin, mode=mode, environment=environment).answer for side in sides)
        if old is None:
            return outcome
        if new is None:
            return replace(outcome, verdict=CaseVerdict.WA, detail="there is no answer when its objects are asked")
        for call, was, now in zip(old.calls, old.outcomes, new.outcomes, strict=False):
            if found := self.comparison.seen_by_callers(was, now, timed=batch.program == "time"):
                return replace(outcome, verdict=CaseVerdict.WA, detail=replace(found, call=call).words)
        return outcome

    def _beyond(self, draft: Revision, case: CallCase, outcome: Outcome, because: str = "") -> Outcome:
        """Report differences on out-of-distribution calls as caveats, not as wrong answers. because: why all calls are
        such."""
        if because:
            case = replace(case, beyond=(because,) * len(calls_of(case)))
        policy = InputPolicy(self.request.options.mutated_inputs)
        if policy.by_share and policy.rejects(Tier.SIMILAR, self._share(case, outcome)):
            return _without_answer(outcome)

        def smaller(call: Call) -> Call:
            return self._shrinker(draft, case).smallest(call).call

        found = beyond_caveats(case, outcome, replace(self.rules_of_caveats, smaller=smaller))
        return _without_answer(replace(outcome, verdict=CaseVerdict.AC, detail="", cause=None, caveats=found))

    def _share(self, case: CallCase, outcome: Outcome) -> float:
        """Part of the calls like known ones in a case on which a draft differs."""
        alike = [at for at, why in enumerate(case.beyond) if why == LENIENT]
        if not isinstance(outcome.run, CallRun) or outcome.run.answer is None:
            return float(bool(alike))
        other = {each.at for each in self.comparison.of_case(case, outcome.run) if each.subject is None}
        return len(other.intersection(alike)) / max(1, len(alike))

    def explain(self, draft: Revision, case: Case, outcome: Outcome) -> Outcome:
        """A wrong answer with the smallest call that shows it, and where that comes from; without the answer itself."""
        run, names = outcome.run, self.harness.names
        explained = _without_answer(outcome)
        if outcome.verdict is not CaseVerdict.WA or not isinstance(run, CallRun):
            return explained
        if isinstance(case, CallCase) and case.several:
            scenarios = [each for each in case.probes if isinstance(each, Scenario)]
            shrinker = ScenarioShrinker(self.harness, self.runner, draft, self.contract.inside)
            words = shrinker.smallest(failing(case, scenarios, run, self.checker))
            return replace(explained, detail=names.readable(words)) if words else explained
        calls = [each for each in calls_of(case) if isinstance(each, Call)]
        first = next(failing(case, calls, run, self.checker), None) if isinstance(case, AnsweredCase) else None
        if first is None:
            return explained
        shown = first
        hidden = case.held_out and self.request.other is None  # from the source of drafts: a comparison has none
        if not hidden:
            before = calls[: calls.index(first.call)]
            shown = replace(self._shrinker(draft, case), inside=self.contract.inside).smallest(first.call, before)
        detail = "" if hidden else names.in_words(shown.detail)
        said = detail or outcome.detail
        if detail and self.request.model_calls and has_objects(shown.call):
            said += f"; the arguments are {given_by_shape(self.harness, shown.call)[0]}"
        if shown.by_identity and (text := apart(shown.call)) and len(text) <= LONGEST_SHOWN:
            said += f"; to see it: {text}"  # the call as it is written with other objects
        if case.environment.name in (SHIFTED.name, EMBEDDED.name):
            said += f"; only in another environment: {axes(case.environment)}"
        near = "the smallest found near " if detail and shown.call != first.call else ""
        cause = Cause.CALL_TIMEOUT if (shown.late if detail else first.late) else None
        return replace(explained, detail=f"{said} ({near}{self.corpus.origin_of(first.call)})", cause=cause)

    def _shrinker(self, draft: Revision, case: Case) -> CallShrinker:
        ordered = batch_of(case.stdin).ordered
        return CallShrinker(self.runner, self.original, draft, self.checker, case.environment, ordered)

    @property
    def rules_of_caveats(self) -> CaveatRules:
        """The rules by which differences of this function are caveats."""
        accepts = self.check.accepts if isinstance(self.check, SpecialChecker) else None
        name = self.harness.function.qualname
        return CaveatRules(self.comparison, self.line, accepts, name, self.contract.reasons)

    @property
    def comparison(self) -> AnswerComparison:
        """Comparison of answers, before a checker of the user's own is asked."""
        return comparison_of(self.request.options)

    @property
    def checker(self) -> AnswerChecker:
        return self.check if isinstance(self.check, AnswerChecker) else self.comparison

    def line(self, probe: Probe) -> str:
        """A call as a line for a shell, which makes it on each side of a comparison."""
        harness, other = self.harness, self.request.other
        places = [Importable(harness.view.module.roots[0], harness.target.module, harness.function.qualname)]
        if other is not None:
            module = locate(other.target.path)
            places.append(Importable(module.roots[0], module.name, other.target.name))
        return paste(as_python(probe), harness.function, places, self.request.options.calls)


def _parts_alone(value: Any) -> Iterator[Constructed]:
    """An object, and those with one item of a list in place of all: the original may not come as far as that item."""
    if isinstance(value, Constructed):
        yield value
        lists = ((at, part) for at, part in enumerate(value.values) if isinstance(part, list) and len(part) > 1)
        yield from (value.with_value(at, [item]) for at, part in lists for item in part)


def _without_answer(outcome: Outcome) -> Outcome:
    """A history need not keep what calls did twice."""
    return replace(outcome, run=replace(outcome.run, answer=None)) if isinstance(outcome.run, CallRun) else outcome


def comparison_of(options: ImproveOptions) -> AnswerComparison:
    """Comparison of answers, before a checker of the user's own is asked."""
    return AnswerComparison(options.tolerance, options.strict, frozenset(options.ignore_difference))


# Which objects have something that only a question shows.


def _operators(revision: Revision) -> list[str]:
    """Code of operators: what objects are equal to, how they are ordered, what their sum is."""
    trees = [read_module(text) for path, text in revision.items() if path == OWN or path.endswith(".py")]
    found = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return [ast.dump(node) for node in found if node.name in SIGNS]


def _asked(case: AnsweredCase, run: CallRun, *, compared: bool) -> CallBatch | None:
    """Return the calls whose objects have a hidden part. None if nothing is hidden. compared: the draft edits how
    objects are compared."""
    if case.answer is None or run.answer is None:
        return None
    pairs = zip(case.answer.outcomes, run.answer.outcomes, strict=False)
    far = {at for at, why in enumerate(case.beyond) if why} if isinstance(case, CallCase) else ()
    keeping = [at for at, pair in enumerate(pairs) if at not in far and any(_is_asked(each, compared) for each in pair)]
    if not keeping:
        return None
    batch = batch_of(case.stdin)
    if batch.program == "time":
        return batch.replace(views=True, whole=False, passes=1)
    # first calls, the objects of all of which are asked; each takes a process of its own
    # number of later calls of which one is asked
    chosen = [at for number, at in enumerate(keeping) if number < 60 or number % 8 == 0]
    return batch.replace(views=True, calls=tuple(batch.calls[at] for at in chosen))


def _is_asked(answer: Answer, compared: bool) -> bool:
    """Return True if a part of an answer is visible only through a question."""
    hidden = answer.private or answer.private_arguments or answer.overrides or (compared and answer.interface)
    return bool(hidden) or any(_is_asked(each, compared) for each in answer.steps)


# Process settings that a candidate's import or calls change, unlike the original's.
#
# Changes by an imported library are not the candidate's. To find them, the original runs once more and then imports the
# libraries that only the candidate loads. Settings that this run leaves are excused.


def new_process_state(runner: TimedRuns, original: Revision, left: ProcessChanges) -> tuple[LeftSetting, ...]:
    """Return the settings that neither the original nor the additional libraries change."""
    known = runner.left.get((original, ()), [])
    found = left.beyond(known)
    have = {name for each in known for name in each.libraries}
    libraries = tuple(name for name in left.libraries if name not in have)
    if not found.settings or not libraries:
        return found.settings
    key = original, libraries
    if key not in runner.left:
        # time limit of importing the libraries, seconds
        run = runner.ask(original, CallBatch(libraries, "inspect", "libraries", seconds=60.0))
        runner.left[key] = [run.answer.left] if run.answer and run.answer.left else []
    return found.beyond(runner.left[key]).settings


# Lines of a change that no input runs.

MOST_LINES = 8
"""Number of lines that a caveat names in its text."""


def unrun_lines(runner: TimedRuns, corpus: CallCorpus, original: Revision, draft: Revision) -> Iterator[Caveat]:
    """Yield a caveat for each side on which the change has lines of the function that no known or generated call runs.
    Lines that the change does not touch are the original's own matter."""
    old, new = changed_lines(original.text, draft.text)
    if missing := old.intersection(corpus.lines).difference(corpus.lines_run):
        yield _caveat("the original, which the change touches,", missing)

    def covered(calls: Sequence[Call]) -> Covered | None:
        batch = CallBatch(texts_of(calls), lines=True, seconds=20.0, lost=0)
        answer = runner.ask(draft, batch).answer
        return answer.covered if answer else None

    run, lines = lines_run(covered, corpus.known) if new else (set(), ())
    if missing := new.intersection(lines).difference(run):
        yield _caveat("the change", missing)


def changed_lines(old: str, new: str) -> tuple[set[int], set[int]]:
    """Numbers of the lines that only one of two texts has."""
    sides = old.splitlines(), new.splitlines()
    found: tuple[set[int], set[int]] = set(), set()
    for name, *places in SequenceMatcher(None, *sides, autojunk=False).get_opcodes():
        if name != "equal":
            found[0].update(range(places[0] + 1, places[1] + 1))
            found[1].update(range(places[2] + 1, places[3] + 1))
    return found


def _caveat(where: str, missing: Iterable[int]) -> Caveat:
    lines = tuple(sorted(missing))
    named = ", ".join(map(str, lines[:MOST_LINES])) + ", ..." * (len(lines) > MOST_LINES)
    words = f"line{'s' * (len(lines) > 1)} {named} of {where} {'is' if len(lines) == 1 else 'are'} run by no input"
    return Caveat(CaveatKind.EVIDENCE, "", "", words, lines=lines)
