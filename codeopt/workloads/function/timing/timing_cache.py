"""Choice of timed calls that is kept with the corpus that it was made from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from codeopt.core.cache import CacheKind
from codeopt.workloads.function.corpus.corpus import CallCorpus
from codeopt.workloads.function.corpus.corpus_cache import CorpusCache
from codeopt.workloads.function.timing.long_calls import CallCut
from codeopt.workloads.function.timing.plan import Timed
from codeopt_sandbox.calls import CallBatch


def cached_choice(kept: CorpusCache, corpus: CallCorpus, choose: Callable[[], Timed]) -> Timed:
    """The choice that is kept of this corpus, else a new one, which is then kept. choose: raises ProgramError."""
    stored = kept.load(CacheKind.TIMING) if corpus.reused_from is not None else None
    if stored is not None and corpus.reused_from is not None and stored[1] >= corpus.reused_from:
        try:
            return timed_from_json(stored[0])
        except (KeyError, TypeError, ValueError, AttributeError):
            pass
    found = choose()
    kept.save(CacheKind.TIMING, timed_to_json(found))
    return found


def timed_to_json(timed: Timed) -> dict[str, Any]:
    """A choice as data."""
    return {**vars(timed), "batch": timed.batch.fields(), "cut": vars(timed.cut) if timed.cut else None}


def timed_from_json(value: Any) -> Timed:
    """The choice that `timed_to_json` wrote. Raises KeyError, TypeError, ValueError, AttributeError."""
    batch = CallBatch.read(value["batch"])
    numbers = [float(value[name]) for name in ("seconds", "around", "asked")]
    if not all(number >= 0 for number in numbers) or not all(isinstance(call, str) for call in batch.calls):
        raise ValueError("a choice that makes no sense")
    seconds, around, asked = numbers
    if cut := value["cut"]:
        cut = CallCut(str(cut["whole"]), *(float(cut[name]) for name in ("share", "seconds", "whole_s")))
    return Timed(batch, seconds, around, str(value["note"]), asked, cut)
