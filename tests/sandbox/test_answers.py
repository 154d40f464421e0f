"""How the answers of two programs to the same calls are compared."""

from __future__ import annotations

import pytest

from codeopt_sandbox.answers import check_calls, differences
from codeopt_sandbox.caveat import Subject
from codeopt_sandbox.guest.calls.repr.private import COUNTED, EQUAL, segments, without_private

LONG = f"'<f8', (30000,), sha256 {'0' * 64} marks {'1' * 64} about [2.5,"
CASES = [
    ("returns 1", "returns 1", "same"),
    ("returns 1", "returns 2", "differs"),
    ("returns 1", "returns 1.0", "differs"),
    ("returns 1", "returns True", "differs"),
    ("returns 0.1", "returns 0.10000000000000002", Subject.FLOATS),
    ("returns [1, 0.1]", "returns [2, 0.10000000000000002]", "differs"),
    ("returns 0.1", "returns 0.1000001", "differs"),
    ("returns 0.1", "returns 0.1000000000002", "differs"),
    ("returns [1000000000.0, 0.0]", "returns [1000000000.0, 1.9e-06]", Subject.FLOATS),
    ("returns [1000000000.0, 0.0]", "returns [1000000000.0, 2e-06]", "differs"),
    ("returns 1.0", "returns 1", "differs"),
    ("returns 100000000000000000", "returns 100000000000000016", "differs"),
    ("returns <.G>() | arguments become (equal)", "returns <.G>() | arguments become (other)", "differs"),
    ("returns 0.0", "returns -0.0", "differs"),
    ("returns nan", "returns 0.1", "differs"),
    ("returns inf", "returns 1.7976931348623157e+308", "differs"),
    ("returns [1000000000.0, 0.0]", "returns [1000000000.0, 1.1920928955078125e-07]", Subject.FLOATS),
    ("returns '0.1'", "returns '0.10000000000000002'", "differs"),
    ("returns array('<f8', (1,), [0.1])", "returns array('<f8', (1,), [0.10000000000000002])", Subject.FLOATS),
    ("returns array('<f8', (1,), [0.1])", "returns array('<f4', (1,), [0.1])", "differs"),
    ("returns array('<f8', (2,), [0.1, nan])", "returns array('<f8', (2,), [nan, 0.1])", "differs"),
    (
        f"returns array({LONG} 0.1] bytes AAAB)",
        f"returns array({LONG} 0.10000000000000002] bytes AAAC)",
        Subject.FLOATS,
    ),
    (f"returns array({LONG} 0.1] bytes AAAB)", f"returns array({LONG} 0.1001] bytes AAAC)", "differs"),
    ("returns [0.1, 'sha256 x bytes AAAB)']", "returns [0.10000000000000002, 'sha256 x bytes AAAC)']", "differs"),
    ("returns <.G>() {a=1}", "returns <.G>() {_t=[1, {'a': (2,)}], a=1}", Subject.PRIVATE),
    ("returns <.G>() {a=1}", "returns <.G>() {_t=[1], a=2}", "differs"),
    ("returns <.G>() {_a=1, b=[2]}", "returns <.G>() {_c='_b=3, {', b=[2]}", Subject.PRIVATE),
    ("returns <.G>() {_a=1}", "returns <.G>() {_a=2}", "differs"),
    (
        "returns <.G>() {_a=1} | of its objects show len 1",
        "returns <.G>() {_a=2} | of its objects show len 1",
        Subject.PRIVATE,
    ),
    (
        "returns <.G>() {_a=1} | of its objects show len 1",
        "returns <.G>() {_b=2} | of its objects show len 2",
        "differs",
    ),
    (
        "returns <.G>() {_a=1} | its objects are not asked",
        "returns <.G>() {_a=2} | its objects are not asked",
        Subject.PRIVATE,
    ),
    ("returns <.G>() {b=1} | its objects are not asked", "returns <.G>() {b=2} | its objects are not asked", "differs"),
    ("returns <.G>() {_a=1} | its objects are not asked", "returns <.G>() {_a=2}", "differs"),
    ("returns <.G>() {_a=1} | of its objects show a 1", "returns <.G>() {_a=1} | its objects are not asked", "same"),
    (
        "returns [<.G>() {_a=1}] | its objects are not asked",
        "returns [<.G>() {_a=1}] | of its objects show a 1",
        "same",
    ),
    (
        "returns <.G>() {_a=1} | of its objects show a 1",
        "returns <.G>() {_a=2} | its objects are not asked",
        Subject.PRIVATE,
    ),
    (
        "returns 1 | arguments become (<.G>() {_a=1}; ) | of its objects show a 1",
        "returns 1 | private attributes of arguments become (<.G>() {_a=1}; ) | its objects are not asked",
        "same",
    ),
    (
        "returns 1 | arguments become (<.G>() {_a=1}; ) | of its objects show a 1",
        "returns 1 | private attributes of arguments become (<.G>() {_a=2}; ) | its objects are not asked",
        "differs",
    ),
    (
        "returns [' | its objects are not asked'] | of its objects show a 1",
        "returns [' | its objects are not asked'] | of its objects show a 2",
        "differs",
    ),
    ("returns 1", "returns 1 | private attributes of arguments become (<.G>() {_t=1}; )", Subject.PRIVATE),
    ("returns <.G>()", "returns <.G>() | called again, it gives out an object that it keeps", Subject.PRIVATE),
    ("returns <.G>()", "returns <.G>() | called again, it gives out the same object", "differs"),
    ("returns generator <iterator of 1> | yields", "returns <iterator of 1> | yields", Subject.INTERFACE),
    ("returns generator <iterator of 1> | yields", "returns <iterator of 2> | yields", "differs"),
    ("returns generator to send to <iterator of 1> | yields", "returns <iterator of 1> | yields", "differs"),
    ("returns <iterator of 1> | yields", "returns generator <iterator of 1> | yields", "differs"),
    ("returns 1", "returns 1 | arguments become (<.G>() {_t=1}; )", "differs"),
    ("returns {'_a': 1}", "returns {'_a': 2}", "differs"),
    ("returns '<.G>() {_a=1}'", "returns '<.G>() {_a=2}'", "differs"),
]


@pytest.mark.parametrize(("was", "now", "wanted"), CASES)
def test_an_answer_is_the_same_or_excused_or_another(was: str, now: str, wanted: str) -> None:
    expected, got = (f"f([1.0]) -> {text}\nstate: unchanged\n".encode() for text in (was, now))
    found = list(differences(expected, got))
    assert [each.subject for each in found] == ([] if wanted == "same" else [None if wanted == "differs" else wanted])
    assert bool(check_calls(expected, got)) == (wanted == "differs")
    assert bool(check_calls(expected, got, exact=True)) == (wanted != "same")


@pytest.mark.parametrize("call", ["f([1])", "f([1, 2, 3... (102 characters))"], ids=["whole", "cut"])
def test_what_becomes_of_arguments_is_left_out_where_it_may_change(call: str) -> None:
    expected, got = (f"{call} -> returns 1{text}\n".encode() for text in ("", " | arguments become (2; )"))
    assert check_calls(expected, got)
    assert not check_calls(expected, got, may_change=True)


STATES = [
    ("state: unchanged", "state: global seen becomes 1", None),
    ("state: global seen becomes 1", "state: global seen becomes 2", None),
    (f"state: unchanged{COUNTED}calls becomes 1", f"state: unchanged{COUNTED}calls becomes 2", Subject.PRIVATE),
    (f"state: unchanged{COUNTED}calls becomes 1", "state: unchanged", Subject.PRIVATE),
    (f"state: unchanged{COUNTED}calls becomes 1", f"state: global x becomes 1{COUNTED}calls becomes 1", None),
]


@pytest.mark.parametrize(("was", "now", "subject"), STATES)
def test_a_state_that_is_left_counts_but_for_what_other_modules_count(
    was: str, now: str, subject: Subject | None
) -> None:
    expected, got = (f"f(1) -> returns 1\n{text}\n".encode() for text in (was, now))
    assert [each.subject for each in differences(expected, got)] == [subject]
    assert bool(check_calls(expected, got)) is (subject is None)


@pytest.mark.parametrize(
    ("was", "now", "same"),
    [
        ("returns 1.0", "returns 1.05", True),
        ("returns 1.0", "returns 1.2", False),
        ("returns 100.0", "returns 109.0", True),
        ("returns 10", "returns 11", False),
        ("returns 1000000", "returns 1000001", False),
        ("returns [1, 2.0]", "returns [1, 2.1]", True),
        ("returns [1, 2.0]", "returns [2, 2.0]", False),
        ("returns 10", "returns 10.0", False),
        ("returns '1.0'", "returns '1.05'", False),
        ("returns nan", "returns 1.0", False),
    ],
)
def test_a_tolerance_is_for_floats_alone(was: str, now: str, same: bool) -> None:
    expected, got = (f"f(1) -> {text}\nstate: unchanged\n".encode() for text in (was, now))
    assert (check_calls(expected, got, 0.1) == "") is same


def test_equal_arguments_that_are_other_objects_count_only_where_the_original_says_nothing_of_them() -> None:
    told, silent = (f"f(1) -> returns 1{text}\nstate: unchanged\n".encode() for text in (f"{EQUAL}returns 2", ""))
    assert check_calls(told, silent) == ""
    assert check_calls(silent, told) != ""


def test_the_terms_of_a_sum_are_those_of_the_call_too() -> None:
    """Last bits of a sum are further apart the more terms it has."""
    call = f"f([{', '.join(['1.5'] * 20_000)}])"
    answers = [f"{call} -> returns {value!r}\nstate: unchanged\n".encode() for value in (30000.0, 30000.00000005)]
    assert check_calls(*answers) == ""
    assert check_calls(*(answer.replace(call.encode(), b"f([1.5])") for answer in answers)) != ""


def test_the_largest_difference_between_floats_is_told() -> None:
    found = next(
        differences(b"f() -> returns [0.1, 0.5]\n", b"f() -> returns [0.10000000000000002, 0.5000000000000002]\n")
    )
    assert found.apart == pytest.approx(2.2e-16, rel=0.1)


def test_what_is_private_is_left_out_whole() -> None:
    text = "(<.G>() {_a=<.H>() {_b=1, c=2}, d=<.H>() {_b=(1, 2), c=2}, e='_f='}; )"
    assert without_private(text) == "(<.G>() {d=<.H>() {c=2}, e='_f='}; )"
    assert without_private("<.G>() {_a=1}") == "<.G>()"


def test_segments_are_not_cut_within_texts() -> None:
    assert segments("returns ' | a' | prints '['") == ["returns ' | a'", " | prints '['"]
