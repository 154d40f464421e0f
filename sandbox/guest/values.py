"""Values as text inside the sandbox: `Shower` for comparing outcomes, `express` for calls that can be written again.

Part of the harness program (caller.py), which may only use names bound before the code under test is imported.
Two values have the same text only if they are of the same type and equal in every part: NaN equals NaN, 0.0 is not
-0.0,
True is not 1, a dictionary keeps its order, a set has none. Objects are shown as pickle would take them apart, never
by their
own __repr__ or __eq__. What cannot be taken apart is "<not comparable: type>" and makes its call useless as evidence.
"""

import hashlib
import itertools
import sys
import types

sha256 = hashlib.sha256
islice, count, repeat = itertools.islice, itertools.count, itertools.repeat
modules = sys.modules
NOT_COMPARABLE = "<not comparable: "
ITEMS = 10_000
"""So many items of an iterator are looked at."""
TEXT = 20_000
"""Characters of an outcome; longer texts are cut and end with a digest of the whole."""
SIMPLE = {type(None), bool, int, float, complex, str, bytes}
SHORT_IDS = frozenset(map(id, (int, float, str, bool)))
SIMPLE_IDS = frozenset(map(id, SIMPLE))
"""By these a type is known: a metaclass can make a class equal to all others."""
NAMED = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType, types.MethodDescriptorType)
BY_REPR = {
    "datetime": {"date", "datetime", "time", "timedelta", "timezone"},
    "decimal": {"Decimal"},
    "fractions": {"Fraction"},
    "uuid": {"UUID"},
    "pathlib": {"PosixPath", "PurePosixPath"},
    "builtins": {"range", "ellipsis", "NotImplementedType"},
}
NAMELESS = (type(...), type(NotImplemented))
"""Of those, the types that no name leads to."""
"""Immutable types of the standard library whose repr says all."""


def is_iterator(value):
    """Whether it yields items once: a generator, a map, a chain."""
    kind = type(value)
    return hasattr(kind, "__next__") and hasattr(kind, "__iter__")


def cut(text):
    """At most TEXT characters; a digest stands for the rest."""
    if len(text) <= TEXT:
        return text
    return text[:TEXT] + "... sha256 " + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def number(value):
    """An int of any size; repr refuses more than a few thousand digits."""
    return repr(value) if value.bit_length() < 10_000 else hex(value)


def find(module, name):
    """The object behind a module's dotted name; None when there is none."""
    found = modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def is_value(kind):
    """Whether a type is one of those whose repr says all, and no other of its name."""
    if kind.__name__ not in BY_REPR.get(kind.__module__, ()):
        return False
    found = find(kind.__module__, kind.__name__)
    return found is kind or any(kind is other for other in NAMELESS)


class Shower:
    """Shows values as text. `target`: the module under test, whose name is left out so that two versions can differ
    in it."""

    def __init__(self, target, known=()):
        self.target = target
        self.seen = {}
        self.kept = []
        self.opaque = ""
        self.has_iterator = False
        self.reads = True
        for path, value in known:
            self.note(path, value, 4)

    def note(self, path, value, depth):
        """Remember an argument's mutable parts, so that a result that shares them is told from a copy."""
        if id(type(value)) in SIMPLE_IDS or depth < 0 or len(self.kept) > 20_000:
            return
        self.kept.append(value)
        if type(value) is not tuple:
            self.seen.setdefault(id(value), path)
        if type(value) in (list, tuple):
            for at, item in enumerate(value):
                self.note(f"{path}[{at}]", item, depth - 1)
        elif type(value) is dict:
            for key, item in value.items():
                if id(type(key)) in SIMPLE_IDS:
                    self.note(f"{path}[{key!r}]", item, depth - 1)
        elif type(getattr(value, "__dict__", None)) is dict and not isinstance(value, NAMED):
            for key, item in vars(value).items():
                self.note(f"{path}.{key}", item, depth - 1)

    def show(self, value, depth=100):
        """The text of any value."""
        kind = type(value)
        if id(kind) in SIMPLE_IDS:
            return number(value) if kind is int else repr(value)
        if depth < 0:
            return self.give_up(kind, "nested deeper than 100")
        if kind is tuple or kind is frozenset:
            return self.builtin(kind, value, depth)
        if isinstance(value, NAMED):
            return self.name_of(value)
        if is_value(kind):
            return repr(value)
        if isinstance(value, getattr(modules.get("enum"), "Enum", ())):  # there is one of each; pickled in two ways
            return f"{self.name_of(kind)}({self.show(value._value_, depth - 1)})"
        if id(value) in self.seen:
            return f"<the same object as {self.seen[id(value)]}>"
        self.seen[id(value)] = f"#{len(self.kept)}"
        self.kept.append(value)
        if kind is list or kind is dict or kind is set or kind is bytearray:
            return self.builtin(kind, value, depth)
        if is_iterator(value):
            return self.iterator(value, depth) if self.reads else self.standing(value, depth)
        return show_handle(self, value, depth) or show_array(self, value, depth) or self.object(value, depth)

    def show_arguments(self, args, kwargs, rest=False):
        """Arguments, to see whether they were changed; iterators are left alone, or with `rest` shown by what is
        left."""
        return f"({self.arguments(args, rest)}; {self.arguments(kwargs.values(), rest)})"

    def arguments(self, values, rest):
        """Each argument by its own; what has no text is named by its type and believed to stay as it is if it is
        code."""
        parts = []
        for value in values:
            if is_iterator(value):
                parts.append(self.show(value) if rest else "<iterator>")
                continue
            shower = Shower(self.target)
            text = shower.show(value)
            code = isinstance(value, NAMED) or type(value).__name__ in ("partial", "method", "itemgetter", "attrgetter")
            parts.append("<code>" if shower.opaque and code else text)
        return ", ".join(parts)

    def show_small(self, value):
        """A global's value; only its size when it is large. Its iterators are still needed: none is read."""
        self.reads = False
        size = len(value) if isinstance(value, (list, dict, set, tuple, str)) else 0
        return self.show(value) if size <= 2000 else f"{size} items"

    def builtin(self, kind, value, depth):
        """list, tuple, dict, set, frozenset, bytearray."""
        if kind in (list, tuple):
            if {id(type(item)) for item in value} <= SHORT_IDS and not any(
                type(item) is int and item.bit_length() > 9999 for item in value
            ):
                return repr(value)
            inner = ", ".join([self.show(item, depth - 1) for item in value])
            return "[" + inner + "]" if kind is list else "(" + inner + ("," if len(value) == 1 else "") + ")"
        if kind is dict:
            pairs = [self.show(key, depth - 1) + ": " + self.show(item, depth - 1) for key, item in value.items()]
            return "{" + ", ".join(pairs) + "}"
        if kind is bytearray:
            return repr(value)
        inner = ", ".join(sorted([self.show(item, depth - 1) for item in value]))
        return ("frozenset" if kind is frozenset else "set") + "{" + inner + "}"

    def iterator(self, value, depth):
        """What an iterator yields, item by item; inner iterators are read before the next item is asked for."""
        self.has_iterator = True
        parts = []
        end = ""
        for _ in range(ITEMS + 1):
            if len(parts) > ITEMS:
                end = " and more"
                break
            try:
                item = next(value)
            except StopIteration as stop:
                if stop.value is not None:
                    end = " then returns " + self.show(stop.value, depth - 1)
                break
            except BaseException as error:
                end = " then raises " + self.name_of(type(error))
                break
            parts.append(self.show(item, depth - 1))
        return "<iterator of " + ", ".join(parts) + end + ">"

    def standing(self, value, depth):
        """Where an iterator stands, without asking it for an item."""
        kind = type(value)
        if kind is count or kind is repeat:  # other Pythons do not let these be taken apart
            return repr(value)
        return "<iterator " + self.object(value, depth) + ">"

    def object(self, value, depth):
        """Any other object: what pickle would rebuild it from."""
        kind = type(value)
        try:
            parts = kind.__reduce_ex__(value, 2)
        except RecursionError:
            raise
        except Exception:
            return self.give_up(kind)
        if type(parts) is str:
            return self.name_of(value)
        maker, arguments, state, items, pairs = (tuple(parts) + (None,) * 5)[:5]
        text = self.name_of(maker)
        if maker is kind or (text == "<copyreg.__newobj__>" and arguments[0] is kind):
            text = self.name_of(kind)
        else:
            text += self.name_of(kind)
        given = arguments[1:] if arguments and arguments[0] is kind else arguments
        text += "(" + ", ".join([self.show(item, depth - 1) for item in given]) + ")"
        for name, part in (("items", items), ("pairs", pairs)):
            if part is not None:
                text += " " + name + self.show(list(part), depth - 1)
        if type(state) is dict:
            inner = ", ".join([f"{k}={self.show(state[k], depth - 1)}" for k in sorted(state, key=str)])
            return text + " {" + inner + "}"
        return text + (" " + self.show(state, depth - 1) if state is not None else "")

    def name_of(self, value):
        """<module.qualified name> of a class, function or module; not comparable when the name leads elsewhere."""
        if isinstance(value, types.ModuleType):
            return f"<module {value.__name__}>"
        name = getattr(value, "__qualname__", None)
        module = getattr(value, "__module__", None) or "builtins"
        if type(name) is not str or type(module) is not str:
            return self.give_up(type(value))
        shown = ("" if module == self.target else module) + "." + name
        if find(module, name) is value:
            return "<" + (name if module == "builtins" else shown) + ">"
        if isinstance(value, type):
            return "<local " + shown + ">"
        return self.give_up(type(value), name)

    def give_up(self, kind, why=""):
        """No text can stand for this value."""
        self.opaque = self.opaque or (kind.__name__ + (" " + why if why else ""))
        return NOT_COMPARABLE + self.opaque + ">"


def express(value, depth=60):
    """A Python expression that makes an equal, fresh value of plain types; None when there is none."""
    kind = type(value)
    if kind is complex:
        return f"complex({value.real!r}, {value.imag!r})"
    if id(kind) in SIMPLE_IDS:
        return number(value) if kind is int else repr(value)
    if depth < 0:
        return None
    if kind in (list, tuple, set, frozenset, dict):
        return express_items(kind, value, depth)
    plain = kind.__module__ in ("datetime", "decimal", "fractions") and kind.__name__ in BY_REPR[kind.__module__]
    return repr(value) if plain or kind in (bytearray, range) else None


def express_items(kind, value, depth):
    """As `express`, of a container."""
    if kind is not dict:
        inner = [express(item, depth - 1) for item in value]
        if any(part is None for part in inner):
            return None
        if kind in (set, frozenset):
            return "{}([{}])".format(kind.__name__, ", ".join(sorted(inner)))
        text = ", ".join(inner)
        return "[" + text + "]" if kind is list else "(" + text + ("," if len(inner) == 1 else "") + ")"
    pairs = [(express(key, depth - 1), express(item, depth - 1)) for key, item in value.items()]
    if any(key is None or item is None for key, item in pairs):
        return None
    return "{" + ", ".join([key + ": " + item for key, item in pairs]) + "}"


def express_name(value):
    """`load('module', 'name')` for a class or function that can be found by its name; None for others."""
    name, module = getattr(value, "__qualname__", None), getattr(value, "__module__", None)
    if isinstance(value, NAMED) and type(name) is str and type(module) is str and find(module, name) is value:
        return f"load({module!r}, {name!r})"
    return None
