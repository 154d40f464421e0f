"""Whether plain arguments are what they were before a call, at a tenth of the work of encoding them."""

from __future__ import annotations

from _operator import is_
from marshal import dumps, loads

from .packed_calls import DEEPENED, UNPACKED
from .repr.plain import is_simple, repeat
from .repr.tree import FORMAT, Encoder, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType
    from typing import Any

    from .arguments import Call
    from .batch import Ordered

PLAIN_NAMES = frozenset(("f", "set", "frozenset", "inf", "nan"))
"""Names in a call's expression that make the same value each time, even after a call's changes."""


class ArgumentsBefore:
    """The arguments of a call before it is made: packed where they are plain, else encoded."""

    def __init__(
        self, target: str, call: Call, plain: bool, fresh: Callable[[], Call], ordered: Ordered = "all"
    ) -> None:
        """fresh: makes the same arguments again."""
        self.target, self.fresh, self.ordered = target, fresh, ordered
        self.packed = packed_call(call) if plain else b""
        self.before = (b"", b"") if self.packed else self.encoded(self.encoder(), call)[:2]

    def encoder(self) -> Encoder:
        return Encoder(self.target, ordered=self.ordered)

    def encoded(self, encoder: Encoder, call: Call, rest: bool = False) -> tuple[bytes, bytes, Any, Any]:
        """Return what all see of arguments and what only they see, as bytes and as trees."""
        tree = encoder.arguments(*call, rest=rest)
        private = encoder.private_tree()
        return written(tree), written(private), tree, private

    def changed(self, call: Call) -> ChangedArguments | None:
        """Return what the call has changed; None where that is nothing."""
        if self.packed and packed_call(call) == self.packed:
            return None
        before = self.encoded(self.encoder(), self.fresh())[:2] if self.packed else self.before
        encoder = self.encoder()
        public, private, tree, hidden = self.encoded(encoder, call, rest=True)
        if (public, private) == before:
            return None
        return ChangedArguments(tree if public != before[0] else (), hidden if private != before[1] else (), encoder)

    def given(self) -> Any:
        """A tree with the floats of the arguments as they were."""
        return ("=", loads(self.packed)) if self.packed else self.encoder().arguments(*self.fresh())


class ChangedArguments:
    """Change that a call has made to its arguments: trees of all of them afterwards."""

    def __init__(self, tree: Any, private: Any, encoder: Encoder) -> None:
        self.tree, self.private, self.encoder = tree, private, encoder


def is_plain(code: CodeType) -> bool:
    """Whether a call is written down as nothing but plain values, none of them bytes; values that are deeper than any
    text may be are plain also."""
    if DEEPENED in code.co_names or code.co_names == (UNPACKED,):
        return True
    if UNPACKED in code.co_names:
        rest = tuple(each for each in code.co_consts if type(each) is not bytes)
        return PLAIN_NAMES.issuperset({*code.co_names} - {UNPACKED}) and are_plain(rest)
    return PLAIN_NAMES.issuperset(code.co_names) and are_plain(code.co_consts)


def are_plain(constants: tuple[Any, ...]) -> bool:
    """Whether the text of a call writes no bytes anywhere, and no function."""
    rows = [each for each in constants if type(each) is tuple]
    rest = [each for each in constants if type(each) is not tuple]
    return all(is_simple(type(each)) and type(each) is not bytes for each in rest) and all(map(are_plain, rows))


def packed_call(call: Call) -> bytes:
    """Encoding of plain arguments of which no container occurs twice. Empty if one occurs twice, or is not plain.

    Marshal writes everything that has a buffer as bytes: if a call is without bytes, so is its encoding.
    """
    try:
        return b"" if share(call) else dumps(call, FORMAT)
    except ValueError:  # a type that marshal does not know
        return b""


def share(call: Call) -> bool:
    """Whether a list, a dictionary or a set occurs twice in the arguments: no text writes that, a call may do it."""
    seen: set[int] = set()
    left: list[Any] = [*call[0], *call[1].values()]
    while left:
        value = left.pop()
        kind = type(value)
        if kind is list or kind is dict or kind is set:
            if id(value) in seen:
                return True
            seen.add(id(value))
        if kind is dict or kind is list or kind is tuple:
            inside = list(value.values()) if kind is dict else value
            left += inside if not are_alike(inside) else ()
    return False


def are_alike(values: Sequence[Any]) -> bool:
    """Whether all are of one simple type, as most values of long calls are."""
    kind = type(values[0]) if values else str
    return is_simple(kind) and all(map(is_, map(type, values), repeat(kind)))
