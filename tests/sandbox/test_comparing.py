"""How the answers of two programs to the same calls are compared."""

from __future__ import annotations

import json
import math
import sys
import types
from base64 import b64encode
from dataclasses import replace
from struct import pack
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt_sandbox.comparing import AnswerComparison, FloatPairs, Observable
from codeopt_sandbox.guest.answer import FIELDS, KEPT_UNCHANGED, NO_VIEW, Answer, Field, Floats
from codeopt_sandbox.guest.calls.outcome import State, died, no_arguments, text_field, timeout
from codeopt_sandbox.outcome import CaveatKind
from tests.sandbox.answered import answer_of, module, returning, told

__all__ = ["module"]
PLAIN, EXACT = AnswerComparison(), AnswerComparison(exact=True)
SAME, DIFFERS = "same", "differs"


def verdict(was: Answer, now: Answer, comparison: AnswerComparison = PLAIN) -> str | CaveatKind:
    """SAME, DIFFERS, or the subject of a caveat; a strict comparison has no caveats."""
    found = list(comparison.differences(told(was), told(now)))
    said = comparison.of_answers(told(was), told(now))
    assert bool(said) == any(comparison.exact or each.subject is None for each in found)
    assert len(found) <= 1
    return SAME if not found else found[0].subject or DIFFERS


def test_the_distance_of_floats_is_finite() -> None:
    """JSON has no infinity."""
    old, new = (Floats("", b64encode(pack("<d", end)).decode(), 1, 1.7e308, 3.0) for end in (1.7e308, -1.7e308))
    assert FloatPairs(old, new).last_bits() == sys.float_info.max


VALUES: list[tuple[Any, Any, str | CaveatKind]] = [
    (1, 1, SAME),
    (1, 2, DIFFERS),
    (1, 1.0, DIFFERS),
    (1, True, DIFFERS),
    (0.1, 0.10000000000000002, CaveatKind.FLOATS),
    ([1, 0.1], [2, 0.10000000000000002], DIFFERS),
    (0.1, 0.1000001, DIFFERS),
    (0.1, 0.1000000000002, DIFFERS),
    ([1000000000.0, 0.0], [1000000000.0, 1.9e-06], CaveatKind.FLOATS),
    ([1000000000.0, 0.0], [1000000000.0, 2e-06], DIFFERS),
    ([1000000000.0, 0.0], [1000000000.0, 1.1920928955078125e-07], CaveatKind.FLOATS),
    (1.0, 1, DIFFERS),
    (100000000000000000, 100000000000000016, DIFFERS),
    (0.0, -0.0, DIFFERS),
    (math.nan, -math.nan, SAME),
    (math.nan, 0.1, DIFFERS),
    (math.inf, 1.7976931348623157e308, DIFFERS),
    ("0.1", "0.10000000000000002", DIFFERS),
    ({"_a": 1}, {"_a": 2}, DIFFERS),
    ({10.0, 11.5, 9.9999999999}, {9.9999999999, 11.5, 10.000000000000002}, CaveatKind.FLOATS),
    ({0.1: 1}, {0.10000000000000002: 1}, CaveatKind.FLOATS),
    (1.5 + 0.1j, 1.5 + 0.10000000000000002j, CaveatKind.FLOATS),
    ([1.5] * 5000, [1.5] * 4999 + [1.5000000000000002], "not sent"),
]


@pytest.mark.parametrize(("was", "now", "wanted"), VALUES)
def test_values_are_the_same_or_excused_or_others(was: Any, now: Any, wanted: str | CaveatKind) -> None:
    one, other = returning(was, 1.0), returning(now, 1.0)
    if wanted == "not sent":
        assert one.value.has_floats
        assert one.value.floats is None
        wanted = DIFFERS
    assert verdict(one, other) == wanted
    assert verdict(one, other, EXACT) == wanted


@pytest.mark.parametrize(
    ("was", "now", "wanted"),
    [
        ({"a": 1}, {"a": 1, "_t": [1, {"a": (2,)}]}, CaveatKind.PRIVATE),
        ({"a": 1}, {"a": 2, "_t": [1]}, DIFFERS),
        ({"_a": 1, "b": [2]}, {"_c": "_b=3, {", "b": [2]}, CaveatKind.PRIVATE),
        ({"_a": 1}, {"_a": 2}, CaveatKind.PRIVATE),
        ({"_a": 1}, {"_a": 1}, SAME),
        ({"a": "_b=1"}, {"a": "_b=2"}, DIFFERS),
    ],
)
def test_what_objects_keep_private(
    was: dict[str, Any], now: dict[str, Any], wanted: str | CaveatKind, module: types.ModuleType
) -> None:
    """Whether callers see it is asked in a run of its own: see `seen_by_callers`."""
    one, other = returning(module.G(**was)), returning(module.G(**now))
    assert verdict(one, other) == wanted
    assert verdict(returning([module.G(x=module.G(**was))]), returning([module.G(x=module.G(**now))])) == wanted


@pytest.mark.parametrize(
    ("was", "now", "views", "seen"),
    [
        ({"_a": 1}, {"_a": 2}, ("len 1", "len 1"), False),
        ({"_a": 1}, {"_a": 2}, ("len 1", "len 2"), True),
        ({"_a": 1}, {"_a": 1}, ("len 1", "len 2"), True),
        ({"_a": 1}, {"_a": 2}, ("", ""), True),
        ({"_a": 1}, {"_b": 2}, ("", ""), False),
        ({"_a": 1}, {"b": 2}, ("len 1", ""), False),
        ({"_a": 1}, {"_b": 2}, ("len 1", NO_VIEW), True),
        ({"_a": 1}, {"_b": 2}, (NO_VIEW, "len 1"), False),
        ({"_a": 1}, {"_a": 2}, (NO_VIEW, "len 1"), True),
    ],
)
def test_callers_see_what_objects_answer(
    was: dict[str, Any], now: dict[str, Any], views: tuple[str, str], seen: bool, module: types.ModuleType
) -> None:
    """Where nobody can be asked, attributes that only one side has are its own."""
    fields = [text_field(text, value=NO_VIEW if text == NO_VIEW else None) for text in views]  # as the guest makes them
    pairs = zip((was, now), fields, strict=True)
    answers = [returning(module.G(**state)).replace(views=field) for state, field in pairs]
    assert bool(PLAIN.seen_by_callers(answers[0], answers[1])) is seen
    assert bool(PLAIN.seen_by_callers(answers[0], answers[1], timed=True)) is (
        seen and all(views) and views[0] != NO_VIEW
    )


def grown(x: Any) -> int:
    """Change an argument."""
    x.append(2)
    return 1


def test_what_becomes_of_arguments() -> None:
    may_change = AnswerComparison(ignored=frozenset({Observable.ARGUMENTS}))
    was, now = returning(1, [1]), answer_of(grown, [1])
    assert verdict(was, now) == DIFFERS
    assert "--ignore-difference arguments accepts it" in PLAIN.of_answers(told(was), told(now))
    assert verdict(was, now, may_change) == SAME
    other = now.replace(value=returning(2).value)
    assert verdict(was, other, may_change) == DIFFERS
    assert "--ignore-difference" not in PLAIN.of_answers(told(was), told(other))


IGNORED = [
    (Observable.OUTPUT, {"output": "a line"}, {}),
    (Observable.ARGUMENTS, {"arguments": "[1]"}, {}),
    (Observable.STATE, {}, {"changed": "m.cache: 1"}),
    (Observable.OUTPUT, {}, {"printed": "a line"}),
]


@pytest.mark.parametrize(("part", "fields", "left"), IGNORED)
@pytest.mark.parametrize("ignored", Observable)
def test_a_part_that_is_ignored_and_no_other_is_left_out(
    part: Observable, fields: dict[str, str], left: dict[str, str], ignored: Observable
) -> None:
    was = returning(1)
    now = was.replace(**{name: text_field(value) for name, value in fields.items()})
    new = replace(told(now), state=State(**{name: text_field(value) for name, value in left.items()}))
    old = replace(told(was), state=State())
    said = PLAIN.of_answers(old, new)
    assert said
    assert AnswerComparison(ignored=frozenset({ignored})).of_answers(old, new) == ("" if ignored is part else said)


def raising(error: Exception) -> Answer:
    """A call that raises."""

    def raises() -> None:
        raise error

    return answer_of(raises)


RAISED: list[tuple[Any, Any, str | CaveatKind]] = [
    (ValueError("a"), ValueError("another text"), SAME),
    (ValueError("a"), TypeError("a"), DIFFERS),
    (ValueError(1), ValueError(2), DIFFERS),
    (KeyError("a"), KeyError("b"), DIFFERS),
    (KeyError("no such thing"), KeyError("nothing of this name"), SAME),
    (LookupError(0.1), LookupError(0.10000000000000002), CaveatKind.FLOATS),
    (OverflowError(34, "a"), OverflowError("b"), SAME),
]


@pytest.mark.parametrize(("was", "now", "wanted"), RAISED)
def test_exceptions_by_type_and_data(was: Exception, now: Exception, wanted: str | CaveatKind) -> None:
    assert verdict(raising(was), raising(now)) == wanted


def test_ends_of_calls() -> None:
    assert verdict(returning(1), raising(ValueError())) == DIFFERS
    assert verdict(timeout(1.0), timeout(2.0)) == DIFFERS
    assert verdict(timeout(1.0), timeout(1.0)) == SAME
    assert verdict(returning(1), died(9, 0.1)) == DIFFERS
    assert verdict(returning(1), returning(lambda: 0)) == DIFFERS
    assert verdict(raising(ValueError()), no_arguments(ValueError())) == CaveatKind.INPUT
    assert verdict(raising(ValueError()), no_arguments(KeyError())) == DIFFERS
    assert verdict(raising(RecursionError()), returning(1)) == CaveatKind.INPUT
    assert verdict(raising(MemoryError()), returning(1)) == CaveatKind.INPUT
    assert verdict(raising(IndexError()), returning(1)) == DIFFERS
    assert verdict(returning(1), raising(RecursionError())) == DIFFERS
    assert verdict(returning(1), no_arguments(ValueError())) == DIFFERS


@pytest.mark.parametrize(
    ("field", "was", "now", "wanted"),
    [
        ("sharing", "", "the same object", DIFFERS),
        ("sharing", "", KEPT_UNCHANGED, CaveatKind.PRIVATE),
        ("sharing", "the same object", KEPT_UNCHANGED, DIFFERS),
        ("again", "", "returns 2", DIFFERS),
        ("other_run", "", "returns 2", DIFFERS),
        ("output", "prints 1", "prints 2", DIFFERS),
        ("operations", "", "__len__ 0", DIFFERS),
    ],
)
def test_what_else_is_observed(field: str, was: str, now: str, wanted: str | CaveatKind) -> None:
    answers = [returning(1).replace(**{field: text_field(text)}) for text in (was, now)]
    assert verdict(answers[0], answers[1]) == wanted


def numbers() -> Any:
    """A generator."""
    yield 1


@pytest.mark.parametrize(("receives", "wanted"), [(False, CaveatKind.INTERFACE), (True, DIFFERS)])
def test_an_iterator_in_place_of_a_generator(receives: bool, wanted: str | CaveatKind) -> None:
    was = answer_of(numbers, generator=True, receives=receives)
    assert verdict(was, answer_of(lambda: iter([1]), generator=True, receives=receives)) == wanted
    assert verdict(was, answer_of(lambda: iter([2]), generator=True, receives=receives)) == DIFFERS


@pytest.mark.parametrize(
    ("members", "inside", "wanted"),
    [
        ({}, False, DIFFERS),
        ({}, True, DIFFERS),
        ({"__eq__": lambda self, other: True, "__hash__": None}, False, SAME),
    ],
)
def test_an_object_that_callers_know_by_identity(
    module: Any, members: dict[str, Any], inside: bool, wanted: str | CaveatKind
) -> None:
    for name, member in members.items():
        setattr(module.G, name, member)
    module.MISSING = module.G()
    known, other = ([each] if inside else each for each in (module.MISSING, module.G()))
    was = returning(known, globals=("MISSING",))
    assert verdict(was, returning(known, globals=("MISSING",))) == SAME
    assert verdict(was, returning(other, globals=("MISSING",))) == wanted


@pytest.mark.parametrize("name", ["__eq__", "__hash__", "__lt__"])
def test_operators_of_the_class_of_a_result(module: Any, name: str) -> None:
    plain = returning([module.G(x=1)])
    setattr(module.G, name, None if name == "__hash__" else lambda self, other: True)
    own = returning([module.G(x=1)])
    assert (verdict(plain, own), verdict(own, plain), verdict(own, own)) == (
        CaveatKind.INTERFACE, CaveatKind.INTERFACE, SAME,
    )  # fmt: skip
    assert own.text == plain.text


STATES = [
    (State(), State(text_field("seen becomes 1")), None),
    (State(text_field("seen becomes 1")), State(text_field("seen becomes 2")), None),
    (State(counted=text_field("1")), State(counted=text_field("2")), CaveatKind.PRIVATE),
    (State(counted=text_field("1")), State(), CaveatKind.PRIVATE),
    (State(counted=text_field("1")), State(text_field("x becomes 1"), text_field("1")), None),
]


@pytest.mark.parametrize(("was", "now", "subject"), STATES)
def test_a_state_that_is_left_counts_but_for_what_other_modules_count(
    was: State, now: State, subject: CaveatKind | None
) -> None:
    expected, got = (told(returning(1), state=state) for state in (was, now))
    assert [each.subject for each in PLAIN.differences(expected, got)] == [subject]
    assert bool(PLAIN.of_answers(expected, got)) is (subject is None)


TOLERATED = [
    (1.0, 1.05, True),
    (1.0, 1.2, False),
    (100.0, 109.0, True),
    (10, 11, False),
    (1000000, 1000001, False),
    ([1, 2.0], [1, 2.1], True),
    ([1, 2.0], [2, 2.0], False),
    (10, 10.0, False),
    ("1.0", "1.05", False),
    (math.nan, 1.0, False),
    ([1.5, {"a": (2.5, [0.1])}], [1.5, {"a": (2.6, [0.1])}], True),
    (1.5 + 1e-17j, 1.5 - 1e-17j, True),
    ({10.0, 11.5, 9.95}, {10.05, 10.0, 11.5}, True),
]


@pytest.mark.parametrize(("was", "now", "same"), TOLERATED)
def test_a_tolerance_is_for_floats_alone(was: Any, now: Any, same: bool) -> None:
    assert (verdict(returning(was), returning(now), AnswerComparison(0.1)) == SAME) is same


@given(st.floats(), st.floats(), st.sampled_from([1e-9, 1e-3]))
def test_a_tolerance_is_that_of_isclose(a: float, b: float, tolerance: float) -> None:
    near = AnswerComparison(tolerance)
    one, other = returning([a, 1, "x1.5"]), returning([b, 1, "x1.5"])
    same = a == b or (a != a and b != b) or math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)
    assert not near.of_answers(told(one), told(other)) or not same
    assert same or verdict(one, other, near) in (DIFFERS, CaveatKind.FLOATS)
    assert verdict(one, returning([b, 2, "x1.5"]), near) == DIFFERS
    assert verdict(one, returning([b, 1, "x1.6"]), near) == DIFFERS


def test_the_terms_of_a_sum_are_those_of_the_call_too() -> None:
    """Last bits of a sum are further apart the more terms it has."""
    many, one = [1.5] * 20_000, [1.5]
    assert verdict(returning(30000.0, many), returning(30000.00000005, many)) == CaveatKind.FLOATS
    assert verdict(returning(30000.0, one), returning(30000.00000005, one)) == DIFFERS


def test_the_largest_difference_between_floats_is_told() -> None:
    was, now = returning([0.1, 0.5]), returning([0.10000000000000002, 0.5000000000000002])
    found = next(PLAIN.differences(told(was), told(now)))
    assert found.apart == pytest.approx(2.2e-16, rel=0.1)


def test_sums_of_short_floats_differ_in_more_bits() -> None:
    """Last bits of numpy's float32 are in the eighth digit."""
    numpy = pytest.importorskip("numpy")
    answers = [returning(numpy.array([x, 0.5], "<f4")) for x in (0.10000000149, 0.10000000894, 0.101)]
    assert verdict(answers[0], answers[1]) == CaveatKind.FLOATS
    assert verdict(answers[0], answers[2]) == DIFFERS
    assert verdict(answers[0], returning(numpy.array([0.1, 0.5]))) == DIFFERS


@pytest.mark.parametrize("kind", ["<f8", "<c16", "<f4"])
def test_nan_is_exact_in_arrays(kind: str) -> None:
    numpy = pytest.importorskip("numpy")
    was, now = (returning(numpy.array(values, kind)) for values in ([0.1, math.nan], [math.nan, 0.1]))
    assert verdict(was, now) == DIFFERS
    assert verdict(was, returning(numpy.array([0.1, -math.nan], kind))) == SAME


@given(st.text(), st.text())
def test_another_text_is_another_answer(a: str, b: str) -> None:
    assert (verdict(returning(a), returning(b)) == SAME) is (a == b)


def test_steps_of_a_scenario_are_compared_as_answers_are() -> None:
    def scenario(*values: Any) -> Answer:
        return Answer("returns", steps=tuple(map(returning, values)))

    assert verdict(scenario(1, 2), scenario(1, 2)) == SAME
    assert verdict(scenario(1, 2), scenario(1, 3)) == DIFFERS
    assert verdict(scenario(1, 0.1), scenario(1, 0.10000000000000002)) == CaveatKind.FLOATS
    assert verdict(scenario(1, 2), scenario(1, 2, 2)) == DIFFERS


def test_calls_that_have_no_answer_are_missing() -> None:
    assert PLAIN.of_answers(told(returning(1), returning(2)), told(returning(1)))


@pytest.mark.parametrize("value", [None, "a text", 1.5, [1, [2]], {"items": [{"a": []}]}])
def test_an_answer_can_be_hashed_whatever_its_fields_hold(value: object) -> None:
    full = Field("d", "[1]", 3, True, Floats("r", "p", 1, 2.0), value)
    fields = {**dict.fromkeys(FIELDS, full.told()), "kind": "returns", "effects": ["files"], "stopped": [3, 1]}
    answer = Answer.read({**fields, "steps": [fields, fields]})
    assert {answer: 1}[Answer.read(json.loads(json.dumps(answer.told())))] == 1
