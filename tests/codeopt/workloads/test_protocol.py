"""What a kind of target need not say."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

from codeopt.core.evidence import BySize
from codeopt.core.history import Briefing
from codeopt.core.revision import Revision
from codeopt.workloads import Checked, Stage, Suite
from codeopt_sandbox.compare import Plan, StoppingRule
from codeopt_sandbox.verdict import check_exact
from tests.codeopt.workloads.kinds.expressions import ExpressionWorkload
from tests.support.candidates import CASES, FAST, right


def test_what_a_kind_need_not_say() -> None:
    workload: Any = ExpressionWorkload(
        right(), Suite(CASES, check_exact), Mock(), StoppingRule(), Plan(CASES, "cpu", 1)
    )
    draft = Revision.of(FAST)
    assert (workload.unseen_cases(), workload.similar_inputs(CASES[0]), workload.rules([])) == ((), (), ())
    with workload.making_unseen() as unseen:
        assert unseen() == ()
    assert (workload.profile(draft), workload.bound(right()), workload.by_size(draft, Mock())) == (None, None, BySize())
    assert [workload.check(draft, Stage.ROUND), workload.run_tests(draft, Stage.ROUND, 1.0, print)] == [Checked()] * 2
    assert (workload.timed(), workload.trimmed(right()), workload.explain(draft, CASES[0], 3)) == (workload, right(), 3)
    assert workload.confirmation_plan(CASES) is workload.require_plan() is workload.plan
    assert (workload.headline, workload.evidence().cases.total) == ("2 cases, 1 held out", 2)
    assert (workload.briefing(), workload.adapt(4)) == (Briefing(), 4)
