"""The line of a round names what its replies took."""

from __future__ import annotations

from dataclasses import replace

import pytest

from codeopt.core.budget import Effort
from codeopt.report.result import row
from tests.support.candidates import right


@pytest.mark.parametrize(("effort", "told"), [(Effort(), ""), (Effort(tokens_in=1200, tokens_out=50), "1,250 tokens")])
def test_tokens_of_a_round(effort: Effort, told: str) -> None:
    line = row(replace(right(1), effort=effort)).splitlines()[0]
    assert line.endswith(told)
    assert ("tokens" in line) == bool(told)
