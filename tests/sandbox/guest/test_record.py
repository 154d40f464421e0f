"""Values that both sides share: made by position or name, compared by their fields, never changed."""

from __future__ import annotations

import json

import pytest

from codeopt_sandbox.guest.request import CallBatch, FunctionRef, batch_of


def test_fields_by_position_and_by_name() -> None:
    ref = FunctionRef("m", "/m.py", qualname="f", paths=("/a",))
    assert (ref.module, ref.qualname, ref.paths, ref.first_line) == ("m", "f", ("/a",), 1)
    assert ref == FunctionRef("m", "/m.py", "f", ("/a",))
    assert len({ref, FunctionRef("m", "/m.py", "f", ("/a",)), ref.replace(qualname="g")}) == 2


def test_it_comes_back_from_json() -> None:
    ref = FunctionRef("m", "/m.py", "f", ("/a", "/b"), globals=("X",), calls_file="CALLS = []")
    assert FunctionRef.read(json.loads(json.dumps(ref.fields()))) == ref


def test_it_cannot_be_changed() -> None:
    ref = FunctionRef("m", "/m.py", "f")
    with pytest.raises(AttributeError):
        ref.module = "n"  # type: ignore[misc]


@pytest.mark.parametrize("named", [{"unknown": 1}, {"module": "twice"}])
def test_fields_that_it_has_not(named: dict[str, object]) -> None:
    with pytest.raises(TypeError, match="has the fields module, file"):
        FunctionRef("m", "/m.py", "f", **named)  # type: ignore[arg-type]


def test_a_field_without_a_default_must_be_given() -> None:
    with pytest.raises(AttributeError):
        FunctionRef("m")  # type: ignore[call-arg]


def test_a_batch_is_text_and_back() -> None:
    batch = CallBatch(("f(1)", "f('\ud800 ä')"), "time", passes=3, iterators="flat")
    assert batch_of(batch.stdin()) == batch
