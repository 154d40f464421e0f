"""Numbers near a known one, as other values of an argument such as `--top 10`."""

from __future__ import annotations

from collections.abc import Sequence

from codeopt.workloads.contract.program.formats import EXACT
from codeopt.workloads.program.fuzzing._changed import MutatedInput

ZERO = "no known argument is zero or below"
LARGE = "no known argument is as large"


def mutate_number(known: Sequence[bytes], also_known: Sequence[bytes]) -> list[MutatedInput]:
    """Return other values of the same kind. One below zero counts as unusual, unless a known one is below zero."""
    seen = {float(data) for data in (*known, *also_known)}
    text = known[0].decode()
    value: float = float(text) if "." in text else int(text)
    whole = isinstance(value, int)
    half, huge = (value // 2, EXACT + 1) if whole else (value / 2, 1e17)
    wanted = [value + 1, value - 1, value * 2, half, 1, 0, -value, huge]
    found: dict[float, MutatedInput] = {}
    for number in wanted:
        if number not in seen:
            because = ZERO if number <= 0 < min(seen) else ""
            because = because or (LARGE if number > 2 * max(seen) else "")
            relation = {"": "", ZERO: "zero", LARGE: "large"}[because]
            found.setdefault(number, MutatedInput(f"number.{len(found)}", str(number).encode(), because, relation))
    return list(found.values())
