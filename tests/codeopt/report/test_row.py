"""The line of a round names what its replies took."""

from __future__ import annotations

from dataclasses import replace

import pytest

from codeopt.core.budget import Effort
from codeopt.report.result import rows_of
from tests.support.candidates import right


@pytest.mark.parametrize(("effort", "told"), [(Effort(), ""), (Effort(tokens_in=1200, tokens_out=50), "1,250 tokens")])
def test_tokens_of_a_round(effort: Effort, told: str) -> None:
    line = rows_of(replace(right(1), effort=effort))[0]
    assert line.endswith(told)
    assert ("tokens" in line) == bool(told)
