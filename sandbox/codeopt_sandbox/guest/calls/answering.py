"""The answer of a call, made from its result, its exception and its arguments before and afterwards."""

from __future__ import annotations

import os
import types
from marshal import dumps, loads

from ..answer import NO_VIEW, NOTHING, Answer, Field, Kind
from .channel import in_child
from .outcome import FieldMaker, text_field
from .recipes import DEEPENED, UNPACKED
from .repr.shown import shown_text
from .repr.structure import (
    NAMED,
    held,
    held_dict,
    held_slots,
    is_labelled,
    is_librarys,
    is_simple,
    islice,
    librarys_base,
    modules,
    mro_of,
    operators_of,
    vars_of,
)
from .repr.tree import FORMAT, Encoder, exception_trees, written

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType
    from typing import Any

    from ..request import CallBatch, FunctionRef, Ordered
    from .arguments import Call


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
            # most arguments of a call that are looked at
            keeping = [each for each in (*call[0], *call[1].values()) if keeps_private(each)][:3]
            self.parts["views_of_arguments"] = run.views.look(keeping, call)

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
        words = " and ".join([f"{name} has its own {', '.join(found)}" for name, found in signs])
        mark = text_field(f"{interface}{signs or ''}", shown=" ", value=f"{interface}{words}" if words else None)
        self.parts["interface"] = mark.replace(shown=interface)
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
        kind = Kind.RAISES if raises else Kind.YIELDS if encoder.iterators else Kind.RETURNS
        kind = Kind.NOT_COMPARABLE if opaque else kind
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
        # characters of an exception's text
        return " ".join(str(error).split())[:200]
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
        self, target: str, call: Call | None, code: CodeType | None, fresh: Callable[[], Call], ordered: Ordered = "all"
    ) -> None:
        """call: None for one that `fresh` makes, which makes the same arguments again. code: of a plain call."""
        self.target, self.fresh, self.ordered = target, fresh, ordered
        if code is not None and code.co_names == (UNPACKED,):  # it came as it would be packed
            self.packed: bytes = code.co_consts[0]
        else:
            call = call or fresh()
            self.packed = packed_call(call) if code is not None else b""
        self.before = (b"", b"") if self.packed or call is None else self.encoded(self.encoder(), call)[:2]

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


ANY = Encoder("")
"""Encoder that has met no value."""


def packed_call(call: Call) -> bytes:
    """Encoding of plain arguments, equal for equal ones. Empty where they are not plain, or where a container occurs
    twice, which no text writes and a call may do: marshal does not show that, and writes any buffer as bytes."""
    try:
        return dumps(call, FORMAT) if ANY.plain_parts(call, sets=True) is not None else b""
    except ValueError:  # a type that marshal does not know
        return b""


# Public view of objects that keep private state: properties, and methods that take nothing or one thing that the call
# was given. Versions that keep their state in another way are compared by it.


MAX_DEPTH = 4
"""Depth to which objects are sought in a result."""
SHOWN = 1000
"""Characters of all views that are shown."""
MAX_LOOK_S = 1.0
"""CPU time limit for looking at one call, seconds."""
MAX_WAIT_S = 10.0
"""The same for the time by the wall, which depends on what else the machine does."""
SPECIAL = ("__len__", "__bool__", "__str__", "__repr__", "__iter__")


class PublicViews:
    def __init__(self, target: str) -> None:
        self.target = target

    def of_results(self, results: list[Any], call: Call) -> Field:
        """Public views of what calls return; nothing where there are no such objects, or too many."""
        # most parts of a result among which objects are sought
        found = private_objects(results, self.target, [500])
        # most objects of a result that are looked at; more are not compared
        return self.look(found if found is not None and len(found) <= 20 else [], call)

    def as_container(self, result: Any) -> list[Any]:
        """Operations in which a container of a class under test differs from its builtin type."""
        found = in_fork(lambda: unlike_builtin(result, self.target, self.encode))
        return [["operations", b"", NO_VIEW]] if found is None else found

    def encode(self, value: Any) -> tuple[bytes, str]:
        """Encoding and text of an answer, without what is private."""
        tree = Encoder(self.target).tree(value)
        return written(tree), shown_text(tree)

    def look(self, objects: list[Any], call: Call) -> Field:
        """Public views, made in a forked process, as a method may change the object, or hang."""
        if not objects:
            return NOTHING
        given = [*call[0], *call[1].values()]
        # most values that a method is called with, one at a time
        values = [value for value in given if is_simple(type(value)) and value is not None][:3]
        found = in_fork(lambda: [each for value in objects for each in public_view(self.target, value, values)])
        if found is None:
            return text_field(NO_VIEW, value=NO_VIEW)
        words = "; ".join([f"{name} {shown}" for name, _, shown in found])
        return text_field(repr([each[:2] for each in found]) if found else "", shown=words[:SHOWN])


def in_fork(make: Callable[[], list[Any]]) -> list[Any] | None:
    """Plain values made twice in a child process; None where that takes too long, ends it, or they are not the same."""

    def twice() -> Any:
        null = os.open(os.devnull, os.O_WRONLY)  # what is printed would count for the next call
        os.dup2(null, 1)
        os.dup2(null, 2)
        return [make(), make()]

    try:
        found, _ = in_child(twice, MAX_WAIT_S, MAX_LOOK_S)
    except (ValueError, EOFError):  # a method has ended the process
        return None
    return found[0] if found and found[0] == found[1] else None


def keeps_private(value: Any) -> bool:
    """An object of a class written in Python that has an attribute of its own alone, and is not known to us."""
    kind = type(value)
    if is_simple(kind) or issubclass(kind, (type, types.ModuleType, types.FunctionType)):
        return False
    return any(type(name) is str and name.startswith("_") for name in held(value)) and not is_labelled(value)


def has_operators(value: Any, target: str) -> bool:
    kind = type(value)
    return not is_simple(kind) and not is_librarys(kind, target) and bool(operators_of(kind))


def private_objects(value: Any, target: str, left: list[int], depth: int = MAX_DEPTH) -> list[Any] | None:
    """Objects of a result that keep something private, or are compared by code of their class, in an order; None where
    it has too many parts.

    left: how many more parts may be looked at."""
    parts = public_parts(value) if depth and not is_simple(type(value)) else []
    left[0] -= len(parts)
    if left[0] < 0:
        return None
    found = [value] if keeps_private(value) or has_operators(value, target) else []
    for part in parts:
        inner = private_objects(part, target, left, depth - 1)
        if inner is None:
            return None
        found += [each for each in inner if not any(each is known for known in found)]
    return found


def public_parts(value: Any) -> list[Any]:
    """Items of a builtin container, and public attributes of an object; without those that have no parts."""
    kind = type(value)
    if kind is list or kind is tuple or kind is dict:  # a metaclass may say that its class equals these
        parts = value.values() if kind is dict else value
    elif issubclass(kind, (type, types.ModuleType, types.FunctionType)) or is_labelled(value):
        parts = ()
    else:
        parts = [part for name, part in held(value).items() if type(name) is str and not name.startswith("_")]
    return [part for part in parts if not is_simple(type(part))]


def public_view(target: str, value: Any, values: list[Any]) -> list[Any]:
    """[`first(1)`, encoding, text] of each member that is asked, of a copy, since a method may change it."""
    # most bytes of the encoding of an object that is copied for each method
    if len(Encoder(target).whole(value)) > 60_000:
        return []
    found = []
    for name, member, given in members(type(value), values):
        answer = ask(target, value, member, given)
        if answer is not None:
            found.append([f"{name}{'(' + repr(given[0]) + ')' if given else ''}", *answer])
    # a draft may keep more in private attributes, and a caller sets none; 4 copies are enough
    names = sorted([name for name in held(value) if type(name) is str and not name.startswith("_")])[:4]
    for name in ["", *names] if has_operators(value, target) else ():
        words = f"with another {name}" if name else "of a copy"
        for sign in filter(OPERATORS.get, operators_of(type(value))):
            answer = ask(target, value, with_altered, (value, OPERATORS[sign], name))
            found += [[f"{sign} {words}:", *answer]] if answer is not None else []
    return found


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "==": lambda value, other: bool(value == other),
    "hash": lambda value, other: hash(value) == hash(other),
    "<": lambda value, other: bool(value < other),
    "+": lambda value, other: value + other,
    "-": lambda value, other: value - other,
    "*": lambda value, other: value * other,
}


def with_altered(other: Any, value: Any, operator: Callable[[Any, Any], Any], name: str) -> Any:
    """What an operator says of an object and one with another value of an attribute. None: it is no number or
    text."""
    if name:
        old = held(value)[name]
        if type(old) not in (int, float, str):
            return None
        new = old + "x" if type(old) is str else old + 1
        try:
            setattr(other, name, new)
        except AttributeError:  # of a frozen class, of which a caller makes another object
            code = type(other).__init__.__code__
            names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
            other = type(other)(**{**{each: held(other)[each] for each in names}, name: new})
    return operator(value, other)


def members(kind: type, values: list[Any]) -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
    """Public ones, and what the language asks for, with what they are given."""
    for name in sorted(dir(kind)):
        member = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
        if isinstance(member, property) and not name.startswith("_") and member.fget is not None:
            yield name, member.fget, ()
        elif type(member) is types.FunctionType and (name in SPECIAL or not name.startswith("_")):
            code = member.__code__
            needed = code.co_argcount - len(member.__defaults__ or ()) - 1
            if code.co_kwonlyargcount or code.co_flags & 0x80:  # a coroutine
                continue
            if needed == 0:
                yield name, member, ()
            elif needed == 1:
                for each in values:
                    yield name, member, (each,)


def ask(target: str, value: Any, member: Any, given: tuple[Any, ...]) -> tuple[bytes, str] | None:
    """Answer of a copy; None where the object cannot be copied or the answer has no encoding."""
    try:
        other = copied(value, target, {})
    except Exception:
        return None
    encoder = Encoder(target)
    try:
        tree = encoder.tree(member(other, *given))
    except RecursionError:
        return None
    except Exception as error:
        tree = ("raises", encoder.name_of(type(error)), [])
    return None if encoder.opaque else (written(tree), shown_text(tree))


# Copies of objects, made without running code of their classes, and answers of containers, numbers and texts that
# differ from those of their builtin base.

CONTAINERS = (list, dict, set)
VALUES = (tuple, frozenset, str, bytes, int, float)
MAX_ASKED_ITEMS = 20


def copied(value: Any, target: str, memo: dict[int, Any]) -> Any:
    """A deep copy. target: the module under test, whose classes are not asked."""
    kind: Any = type(value)
    if is_simple(kind):
        return value
    if id(value) in memo:
        return memo[id(value)]
    base = kind if kind in (*CONTAINERS, tuple) else librarys_base(kind, target)
    if kind is not base and is_librarys(kind, target) or base not in (object, *CONTAINERS, *VALUES):
        import copy

        return copy.deepcopy(value, memo)
    given: tuple[Any, ...] = ()  # what can only be given when an object is made
    if base in (tuple, frozenset):
        given = ([copied(part, target, memo) for part in base.__iter__(value)],)
    elif base in VALUES:
        given = base.__getnewargs__(value)
    new = memo[id(value)] = base.__new__(kind, *given)
    fill(new, value, base, lambda part: copied(part, target, memo))
    return new


def fill(new: Any, value: Any, base: Any, copy: Callable[[Any], Any]) -> None:
    """Items, attributes and slots."""
    if base is list:
        list.extend(new, [copy(part) for part in list.__iter__(value)])
    elif base is set:
        set.update(new, [copy(part) for part in set.__iter__(value)])
    elif base is dict:
        dict.update(new, [(copy(key), copy(part)) for key, part in dict.items(value)])
    state = held_dict(new)
    if state is not None:
        state.update({name: copy(part) for name, part in (held_dict(value) or {}).items()})
    slots = held_slots(value)
    for each in mro_of(type(value)) if slots else ():
        for name in slots.keys() & vars_of(each).keys():
            vars_of(each)[name].__set__(new, copy(slots[name]))


QUESTIONS: dict[str, Callable[[Any, list[Any]], Any]] = {
    "__len__": lambda value, keys: len(value),
    "__bool__": lambda value, keys: bool(value),
    "__iter__": lambda value, keys: list(value),
    "__contains__": lambda value, keys: [key in value for key in keys],
    "__getitem__": lambda value, keys: [value[key] for key in keys],
    "get": lambda value, keys: [value.get(key) for key in keys],
    "keys": lambda value, keys: list(value.keys()),
    "values": lambda value, keys: list(value.values()),
    "items": lambda value, keys: list(value.items()),
    "index": lambda value, keys: [value.index(key) for key in keys],
    "count": lambda value, keys: [value.count(key) for key in keys],
    "__eq__": lambda value, keys: None,
}
"""Operations of a container that a class can override."""


def own_answers(value: Any, target: str) -> list[str]:
    """Overridden operations of a container; empty for any other object."""
    kind: Any = type(value)
    if is_simple(kind) or kind is list or kind is tuple or kind is dict or kind is set:
        return []
    base = librarys_base(kind, target)
    if base not in (*CONTAINERS, tuple) or base is kind:
        return []
    above = [each for each in mro_of(kind) if each is not object and not is_librarys(each, target)]
    return [name for name in QUESTIONS if any(name in vars_of(each) for each in above)]


def unlike_builtin(value: Any, target: str, encode: Callable[[Any], tuple[bytes, str]]) -> list[Any]:
    """Operations in which a container differs from its builtin base: [name, encoding, text] of each."""
    base = librarys_base(type(value), target)
    plain = base(dict.items(value) if base is dict else base.__iter__(value))
    keys = list(islice(range(len(plain)) if base in (list, tuple) else plain, MAX_ASKED_ITEMS))
    found = []
    for name in own_answers(value, target):
        asked = keys if name in ("__getitem__", "get") else list(islice(plain, MAX_ASKED_ITEMS))
        right = encode(QUESTIONS[name](plain, asked) if name != "__eq__" else True)
        try:
            said = encode(QUESTIONS[name](value, asked) if name != "__eq__" else value == plain)
        except Exception as error:
            said = type(error).__name__.encode("utf-8", "replace"), "raises " + type(error).__name__
        if said[0] != right[0]:
            found.append([name, *said])
    return found
