"""Work on another core beside that of the main sandbox."""

from __future__ import annotations

import gc
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import cast

import pytest

from codeopt.workloads._runs import on_other_core
from codeopt_sandbox import Sandbox


class Core:
    """A sandbox whose other core is its own, or that has none."""

    def __init__(self, there: bool) -> None:
        self.there, self.stopped = there, False
        self.thread = ThreadPoolExecutor(1)

    def on_other_core(self) -> Core | None:
        return self if self.there else None

    def stop(self) -> None:
        self.stopped = True


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("collects", [True, False])
def test_work_on_another_core(there: bool, collects: bool) -> None:
    """Python 3.11 ends with a SystemError where one of two threads collects garbage within `ast.parse`."""
    asked: list[object] = []
    core = Core(there)
    (gc.enable if collects else gc.disable)()
    try:
        with on_other_core(cast(Sandbox, core), lambda sandbox: asked.append(sandbox) or len(asked)) as result:
            assert gc.isenabled() == (collects and not (there and sys.version_info[:2] == (3, 11)))
            assert not asked or there
            assert (result(), asked, core.stopped) == (1, [core], False)
        assert (gc.isenabled(), core.stopped) == (collects, there)
    finally:
        gc.enable()


def test_what_fails_there_fails_here_and_is_ended() -> None:
    core = Core(there=True)
    with pytest.raises(ZeroDivisionError), on_other_core(cast(Sandbox, core), lambda _: 1 // 0) as result:
        result()
    assert core.stopped
