"""Consequence of a difference, by how well its input is known and by `--mutated-inputs`: the same for all kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from codeopt.core.options import FuzzPolicy
from codeopt_sandbox.caveat import Tier

MOST = 0.6
"""Share of the similar inputs above which a lenient policy rejects a difference: the draft is fitted to known ones."""
HANGS = 20
"""A draft that does not end within this multiple of the original's time is wrong, and not slower: nothing shows that
it ends at all. The original's time includes the start of an interpreter where it is a program's."""
_AUTO, _STRICT, _LENIENT, _OFF = FuzzPolicy
_REJECTING: Mapping[Tier, tuple[FuzzPolicy, ...]] = {
    Tier.KNOWN: (_AUTO, _STRICT, _LENIENT, _OFF),
    Tier.SIMILAR: (_AUTO, _STRICT),
    Tier.UNUSUAL: (_STRICT,),
    Tier.EXCLUDED: (),
}


@dataclass(frozen=True)
class InputPolicy:
    """Weight of differences on inputs that nobody has seen."""

    how: FuzzPolicy = _AUTO

    @classmethod
    def of(cls, how: FuzzPolicy, *, generated: bool) -> InputPolicy:
        """Return the policy where inputs may come from a generator of the user's: it knows the valid ones."""
        return cls(_OFF if generated and how is _AUTO else how)

    @property
    def generates(self) -> bool:
        """Return True if inputs are made from known ones."""
        return self.how is not _OFF

    @property
    def by_share(self) -> bool:
        """Return True if the share of differences on similar inputs decides."""
        return self.how is _LENIENT

    def rejects(self, tier: Tier, share: float = 0.0) -> bool:
        """Return True if a difference rejects a draft. Otherwise it is a caveat.

        Args:
            tier: Confidence that the input is one that the code is for.
            share: Part of the similar inputs compared that differ.
        """
        return self.how in _REJECTING[tier] or (tier is Tier.SIMILAR and self.by_share and share > MOST)


USUAL_POLICY = InputPolicy()
NOTHING_CHANGED = InputPolicy(_OFF)
"""Policy by which no inputs are made."""
