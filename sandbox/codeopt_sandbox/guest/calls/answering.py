"""The answer of a call, made from its result, its exception and its arguments before and afterwards."""

from __future__ import annotations

import types
from _operator import is_
from marshal import dumps, loads

from ..answer import NOT_COMPARABLE, RAISES, RETURNS, YIELDS, Answer, Field
from .outcome import FieldMaker, text_field
from .public_view import PublicViews, own_answers
from .recipes import DEEPENED, UNPACKED
from .repr.structure import NAMED, is_librarys, is_simple, modules, operators_of, repeat
from .repr.tree import FORMAT, Encoder, exception_trees, written

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType
    from typing import Any

    from ..request import CallBatch, FunctionRef, Ordered
    from .arguments import Call


MAX_TEXT_CHARS = 200
"""Characters of an exception's text."""
MAX_ITEMS = 100
"""First items of a result that may be objects of the module."""


class Answering:
    def __init__(self, ref: FunctionRef, batch: CallBatch) -> None:
        self.ref, self.batch, self.views = ref, batch, PublicViews(ref.module)
        space = vars(modules[ref.module]) if ref.module in modules else {}
        held = [(name, space[name]) for name in ref.globals if name in space]
        self.constants = {id(value): name for name, value in held if is_met_by_identity(value, ref.module)}
        """Objects of the module that its callers know by `is`, such as `MISSING = object()`."""

    def encoded(self, encoder: Encoder, result: Any) -> tuple[Any, Any]:
        """Trees of what all see of a result, and of what only it sees itself; iterators are read."""
        tree = encoder.tree(result)
        if self.ref.receives and type(result) is types.GeneratorType:
            tree = "receiver", tree
        return tree, encoder.private_tree()


class CallAnswering:
    """Makes one answer, a part after the other. was: the arguments before the call, those of `looked_at`."""

    def __init__(self, run: Answering, encoder: Encoder, call: Call, was: ArgumentsBefore, looked_at: Call) -> None:
        self.run, self.encoder, self.call = run, encoder, call
        self.make = FieldMaker(was.given, run.batch.values, run.ref.whole_answers or run.batch.results)
        changed = was.changed(looked_at)
        self.parts: dict[str, Any] = {}
        self.opaque = ""
        if changed is not None:
            tree, private, afterwards = changed
            self.opaque = afterwards.opaque
            self.parts["arguments"] = self.make.field(tree, afterwards.floats)
            self.parts["private_arguments"] = self.private(private, afterwards)
        if run.batch.views:
            self.parts["views_of_arguments"] = run.views.of_arguments(call)

    def private(self, tree: Any, encoder: Encoder) -> Field:
        """Field of private attributes, with their names."""
        return self.make.field(tree, value=sorted(encoder.names))  # its floats decide nothing

    def returned(self, tree: Any, private: Any, result: Any) -> None:
        """Record what the call returns."""
        self.parts["value"] = self.make.value(tree, self.encoder.floats)
        self.parts["private"] = self.private(private, self.encoder)
        generator = type(result) is types.GeneratorType and self.run.ref.generator and not self.run.ref.receives
        interface = "generator " if generator else ""
        signs = [(name, operators_of(kind)) for name, kind in sorted(self.encoder.own.items())]
        signs = [pair for pair in signs if pair[1]]
        self.parts["interface"] = text_field(f"{interface}{signs or ''}", shown=" ").replace(shown=interface)
        if self.run.batch.views:
            self.parts["views"] = self.run.views.of_results([result], self.call)

    def raised(self, error: BaseException) -> None:
        """Record what the call raises."""
        tree, texts = exception_trees(self.encoder, error)
        self.parts["raised"] = self.make.field(tree, self.encoder.floats)
        line = raised_at(error, self.run.ref.file)
        own = self.make.field(texts).digest if line else ""
        self.parts.update(message=Field(own, text_of(error)), line=line, exception=tree[1][1])

    def operations(self, lazy: bool, result: Any) -> None:
        """Record whether it read its arguments to the end before its first item; whether its result is a container of
        its own, and, if that is asked, what this answers."""
        self.parts["overrides"] = bool(own_answers(result, self.run.ref.module))
        found = self.run.views.as_container(result) if self.run.batch.views and self.parts["overrides"] else []
        items = result[:MAX_ITEMS] if type(result) is list or type(result) is tuple else ()
        known = [self.run.constants.get(id(each), "") for each in (result, *items)] if self.run.constants else []
        if found or lazy or any(known):
            shown = [*[f"{name} {text}" for name, _, text in found], *[f"is {name}" for name in known if name]]
            words = ", ".join(["reads its argument to the end before its first item"] * lazy + shown)
            self.parts["operations"] = text_field(repr((lazy, [each[:2] for each in found], known)), shown=words)

    def end(self, **more: Any) -> Answer:
        raises, encoder = "raised" in self.parts, self.encoder
        opaque = encoder.opaque or self.opaque
        kind = NOT_COMPARABLE if opaque else RAISES if raises else YIELDS if encoder.iterators else RETURNS
        given = {"exception": encoder.broken_by, **self.parts, **more}
        return Answer(kind, opaque=opaque, iterators=encoder.iterators, cut_short=encoder.cut_short, **given)


def is_met_by_identity(value: Any, target: str) -> bool:
    """Whether == of an object says the same as `is`."""
    kind = type(value)
    if is_simple(kind) or isinstance(value, NAMED):
        return False
    return kind is object or (not is_librarys(kind, target) and "==" not in operators_of(kind))


def text_of(error: BaseException) -> str:
    """An exception's own text on one line, cut; it is data of the code under test."""
    try:
        return " ".join(str(error).split())[:MAX_TEXT_CHARS]
    except Exception:
        return ""


def raised_at(error: BaseException, file: str) -> int:
    """The last line of a file that an exception passed through; 0 where it is of other files alone."""
    line, trace = 0, error.__traceback__
    while trace is not None:
        line = trace.tb_lineno if trace.tb_frame.f_code.co_filename == file else line
        trace = trace.tb_next
    return line


# Whether plain arguments are what they were before a call, at a tenth of the work of encoding them.

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

    def changed(self, call: Call) -> tuple[Any, Any, Encoder] | None:
        """Return trees of the public and the private parts that the call has changed, and their encoder; None where
        nothing is changed."""
        if self.packed and packed_call(call) == self.packed:
            return None
        before = self.encoded(self.encoder(), self.fresh())[:2] if self.packed else self.before
        encoder = self.encoder()
        public, private, tree, hidden = self.encoded(encoder, call, rest=True)
        if (public, private) == before:
            return None
        return tree if public != before[0] else (), hidden if private != before[1] else (), encoder

    def given(self) -> Any:
        """A tree with the floats of the arguments as they were."""
        return ("=", loads(self.packed)) if self.packed else self.encoder().arguments(*self.fresh())


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
    """Encoding of plain arguments, equal for equal ones. Empty where they are not plain."""
    try:
        return dumps(call, FORMAT) if is_tree(call) else b""
    except ValueError:  # a type that marshal does not know
        return b""


def is_tree(call: Call) -> bool:
    """Whether marshal says all of some arguments: no list, dictionary or set occurs twice, which no text writes and a
    call may do, and nothing else has a buffer, which marshal would write as bytes."""
    seen: set[int] = set()
    left: list[Any] = [*call[0], *call[1].values()]
    while left:
        value = left.pop()
        kind = type(value)
        if kind is list or kind is dict or kind is set:
            if id(value) in seen:
                return False
            seen.add(id(value))
        if kind is dict or kind is list or kind is tuple:
            inside = list(value.values()) if kind is dict else value
            left += inside if not are_alike(inside) else ()
        elif kind is not set and kind is not frozenset and not is_simple(kind):
            return False
    return True


def are_alike(values: Sequence[Any]) -> bool:
    """Whether all are of one simple type, as most values of long calls are."""
    kind = type(values[0]) if values else str
    return is_simple(kind) and all(map(is_, map(type, values), repeat(kind)))
