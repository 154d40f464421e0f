"""What a difference does by the tier of its input: the same table for functions, programs and commands."""

from __future__ import annotations

import pytest

from codeopt.core.options import FuzzPolicy
from codeopt.workloads._judging import InputPolicy
from codeopt_sandbox.outcome import Tier

REJECTS = {
    "auto": {Tier.KNOWN, Tier.SIMILAR},
    "strict": {Tier.KNOWN, Tier.SIMILAR, Tier.UNUSUAL},
    "lenient": {Tier.KNOWN},
    "off": {Tier.KNOWN},
}


@pytest.mark.parametrize("how", FuzzPolicy)
@pytest.mark.parametrize("tier", Tier)
def test_what_a_difference_does(how: FuzzPolicy, tier: Tier) -> None:
    policy = InputPolicy(how)
    assert policy.rejects(tier) is (tier in REJECTS[how])
    assert policy.rejects(tier, 0.6) is policy.rejects(tier)
    nearly_all = how is FuzzPolicy.LENIENT and tier is Tier.SIMILAR
    assert policy.rejects(tier, 0.7) is (nearly_all or policy.rejects(tier))


def test_off_makes_no_inputs() -> None:
    assert [how for how in FuzzPolicy if not InputPolicy(how).generates] == ["off"]
