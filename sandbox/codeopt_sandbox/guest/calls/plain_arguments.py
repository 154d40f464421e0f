"""Whether plain arguments are what they were before a call, at a tenth of the work of their text."""

from __future__ import annotations

from _operator import is_
from marshal import dumps

from .packed_calls import DEEPENED, UNPACKED
from .repr.canonical import CanonicalRepr
from .repr.plain import is_simple, repeat
from .repr.private import became

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType
    from typing import Any

    from .arguments import Call

PLAIN_NAMES = frozenset(("f", "set", "frozenset", "inf", "nan"))
"""Names in a call's expression that make the same value each time, whatever a call has changed."""
WITHOUT_REFERENCES = 2
"""Version of marshal's format that writes the same whoever else holds a part: a result may."""


class ArgumentsBefore:
    """The arguments of a call before it is made: packed where they are plain, else their text."""

    def __init__(self, target: str, call: Call, plain: bool, fresh: Callable[[], Call]) -> None:
        """fresh: makes the same arguments again."""
        self.target, self.fresh = target, fresh
        self.packed = packed_call(call) if plain else b""
        self.text = "" if self.packed else CanonicalRepr(target).show_arguments(*call)

    def changed(self, call: Call) -> tuple[str, str, str]:
        """(text before, text after, why the latter is not comparable); all empty where nothing has changed."""
        if self.packed and packed_call(call) == self.packed:
            return "", "", ""
        before = self.text or CanonicalRepr(self.target).show_arguments(*self.fresh())
        arguments = CanonicalRepr(self.target)
        after = arguments.show_arguments(*call, rest=True)
        return (before, after, arguments.opaque) if after != before else ("", "", "")

    def became(self, call: Call) -> tuple[str, str]:
        """(what the arguments became, in words; why that is not comparable); empty where nothing has changed."""
        before, after, opaque = self.changed(call)
        return became(before, after), opaque


def is_plain(code: CodeType) -> bool:
    """Whether a call is written down as nothing but plain values, none of them bytes; values that are deeper than any
    text may be are plain, too."""
    if DEEPENED in code.co_names or UNPACKED in code.co_names:
        return True
    return PLAIN_NAMES.issuperset(code.co_names) and are_plain(code.co_consts)


def are_plain(constants: tuple[Any, ...]) -> bool:
    """Whether the text of a call writes no bytes anywhere, and no function."""
    rows = [each for each in constants if type(each) is tuple]
    rest = [each for each in constants if type(each) is not tuple]
    return all(is_simple(type(each)) and type(each) is not bytes for each in rest) and all(map(are_plain, rows))


def packed_call(call: Call) -> bytes:
    """Plain arguments of which no container occurs twice; empty where they are no more. Marshal takes whatever has a
    buffer for bytes: where there are none before, there are none after."""
    try:
        return b"" if share(call) else dumps(call, WITHOUT_REFERENCES)
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
