"""Later programs as their change to an earlier one."""

from __future__ import annotations

from codeopt.proposers._prompt import smallest_change

OLD = "".join(f"line_{number} = {number} * {number}  # as it was\n" for number in range(40))


def test_the_nearest_earlier_program_is_taken() -> None:
    second = OLD.replace("line_7 = 7", "line_7 = 49 + 7")
    third = second.replace("line_9 = 9", "line_9 = 81 + 9")
    found = smallest_change(third, {0: OLD, 1: second})
    assert found is not None
    since, text = found
    assert since == 1
    assert [line for line in text.split("\n") if line[:1] in "+-"] == [
        "-line_9 = 9 * 9  # as it was",
        "+line_9 = 81 + 9 * 9  # as it was",
    ]
    assert "@@ -8,5 +8,5 @@" in text


def test_a_short_program_or_a_new_one_stays_whole() -> None:
    assert smallest_change("a = 1\nb = 3\n", {0: "a = 1\nb = 2\n"}) is None
    assert smallest_change("print(sum(range(10)))\n" * 40, {0: OLD}) is None
    assert smallest_change(OLD, {}) is None
