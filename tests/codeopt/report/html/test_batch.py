"""The page of a batch is the same, tag by tag, as it was when it was built by nested calls."""

from __future__ import annotations

import re

from codeopt.batch.batch_folder import BatchFolder
from codeopt.batch.results.metrics import measure_batch, versus
from codeopt.batch.results.page import page
from tests.codeopt.report.html.test_golden import GOLDEN, tags
from tests.support.filled_batch import store

__all__ = ["store"]


def test_a_page_is_as_it_was(store: BatchFolder) -> None:
    found = measure_batch(store)
    shown = re.sub(r"begun [^,]*,", "begun,", tags("".join(page(store, found, versus(found, found)))))
    assert shown == (GOLDEN / "batch.txt").read_text()
