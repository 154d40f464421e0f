"""What an input of a program breaks of all that the known ones keep."""

from __future__ import annotations

from codeopt.workloads.contract.documents import NO_DOCUMENT
from codeopt.workloads.contract.inputs import KnownInputs, words_of


def why_beyond(known: KnownInputs, data: bytes) -> str:
    """Return what all known inputs keep and this one does not. Empty if it is similar."""
    found = next((each.words for each in known.written if not each.holds(data)), "")
    if found:
        return found
    try:
        call = known.format.read(data)
    except NO_DOCUMENT:
        return "no known input is laid out like that"
    return next((words_of(each) for each in known.contract.broken(call)), "")
