"""Kinds of targets, one a file: how code is exercised, what counts as the same behaviour, what is timed.

A kind is a module of this folder, an entry point of the group `codeopt.workloads`, or any module by its dotted path
(setting `workload`), with

    @workload(matches, priority=10)
    @contextmanager
    def open_workload(request: WorkloadRequest) -> Iterator[OpenTarget]: ...

`matches(target, options)` recognises a target, and `read=` reads those that are no Python file.
"""

from __future__ import annotations

from codeopt.workloads._guard import AnyGain as AnyGain
from codeopt.workloads._guard import AppliesTo as AppliesTo
from codeopt.workloads._guard import Consequence as Consequence
from codeopt.workloads._guard import Finding as Finding
from codeopt.workloads._guard import Gain as Gain
from codeopt.workloads._guard import Guard as Guard
from codeopt.workloads._guard import SourcePair as SourcePair
from codeopt.workloads._guard import guard as guard
from codeopt.workloads._protocol import Checked as Checked
from codeopt.workloads._protocol import OpenTarget as OpenTarget
from codeopt.workloads._protocol import OtherTarget as OtherTarget
from codeopt.workloads._protocol import Stage as Stage
from codeopt.workloads._protocol import Suite as Suite
from codeopt.workloads._protocol import TimedRegion as TimedRegion
from codeopt.workloads._protocol import Workload as Workload
from codeopt.workloads._protocol import WorkloadKind as WorkloadKind
from codeopt.workloads._protocol import WorkloadRequest as WorkloadRequest
from codeopt.workloads._protocol import kind_of as kind_of
from codeopt.workloads._protocol import workload as workload
