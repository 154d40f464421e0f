"""A call or scenario as a person reads it, as statements of Python, and as a line to paste."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeopt.core.call import Call, Constructed, Opaque, texts_of, with_recipes_in_words, write
from codeopt.workloads.source.functions import Function
from codeopt.workloads.source.literals import read
from codeopt_sandbox.calls import Answer, Kind
from codeopt_sandbox.guest.calls import scenarios as steps
from codeopt_sandbox.guest.calls.recipes import RECIPE

if TYPE_CHECKING:
    from codeopt_sandbox.guest.calls.scenarios import Steps


_BY_TYPE: dict[type, str] = {
    list: "{0}[:] = {1}",
    dict: "{0}.clear(); {0}.update({1})",
    set: "{0}.clear(); {0}.update({1})",
}


def as_python(probe: Probe) -> str:
    """Return a call as it is, and a scenario as statements, or as a description if statements cannot express it."""
    if isinstance(probe, Call):
        return probe.text
    by_name = {name: operands for name, *operands in probe.steps}
    name = next((name for name in _WAYS if name in by_name), None)
    return "; ".join(texts_of(probe.calls)) if name is None else _WAYS[name](by_name[name], *probe.calls)


def threads(scenario: Scenario, stopped: Sequence[int]) -> str:
    """Statements that stop a call where a draft's answer says; empty for another scenario."""
    if scenario.steps != steps.THREADS or len(stopped) != 2:
        return ""
    one, two = scenario.calls
    line, time = stopped
    stops = f"e == 'line' and r.f_lineno == {line} and next(n, 0) == {time}"
    names, call = _named(one)  # made before lines are counted, as in the sandbox
    there = f"(sys.settrace(None), t.start(), t.join(1)) if {stops} else 0"
    return (
        f"import sys, threading; {names}n = iter(range(1, {time + 1})); a = []; "
        f"t = threading.Thread(target=lambda: a.append({two})); s = lambda r, e, _: ({there}, s)[1]; "
        f"sys.settrace(s); b = {call}; sys.settrace(None); t.ident and t.join(); print(b, a, {two}, {one})"
    )


def apart(call: Call) -> str:
    """A call whose equal parts are other objects; empty where it cannot be written so."""
    made = Call(tuple(map(_made, call.args)), tuple((n, _made(v)) for n, v in call.kwargs))
    return made.text if call.is_read else ""


def _made(value: Any) -> Any:
    """A value whose numbers and texts are made when it is."""
    if type(value) is str and len(value) > 1:
        return Opaque(f"''.join({value!r})" if value.isprintable() else f"str({value!r}[:1] + {value[1:]!r})")
    if type(value) is bytes and len(value) > 1:
        return Opaque(f"bytes([*{value!r}])")
    if type(value) in (int, float) and (type(value) is float or abs(value) > 256):
        return Opaque(f"{type(value).__name__}('{value}')")
    if type(value) is tuple and value:
        return Opaque(f"tuple({write([_made(item) for item in value])})")
    if type(value) is list:
        return [_made(item) for item in value]
    if type(value) is dict:
        pairs = ", ".join(f"{write(_made(key))}: {write(_made(item))}" for key, item in value.items())
        return Opaque("{" + pairs + "}")
    return value


def _again(one: Call) -> str:
    names, call = _named(one)
    return f"{names}r = {call}; getattr(r, 'clear', int)(); {call}"


def _changed(one: Call, two: Call) -> str:
    names, heads, changes = _letters(len(one.values)), [], []
    first, second = one, two
    for at, (name, value, other) in enumerate(zip(names, one.values, two.values, strict=False)):
        if type(value) is type(other) and type(value) in _BY_TYPE:
            heads.append(f"{name} = {write(value)}")
            changes.append(_BY_TYPE[type(value)].format(name, write(other)))
            first, second = first.with_value(at, Opaque(name)), second.with_value(at, Opaque(name))
    if not heads or len(one.values) != len(two.values):
        return f"{one}, then with the same objects, changed into those of {two}"
    return "; ".join([*heads, first.text, *changes, second.text])


def _named(call: Call) -> tuple[str, str]:
    """Arguments as assignments, and the call with their names."""
    heads = []
    for at, (name, value) in enumerate(zip(_letters(len(call.values)), call.values, strict=True)):
        if not isinstance(value, int | float | str | bytes | bool | None):
            heads.append(f"{name} = {write(value)}; ")
            call = call.with_value(at, Opaque(name))
    return "".join(heads), call.text


def _letters(count: int) -> Sequence[str]:
    return ["x", "y", "z"][:count] if count <= 3 else [f"x{at}" for at in range(count)]


def _with_callback(one: Call, does: Call | str, what: str) -> str:
    """The call, each function and iterator of which does something before."""
    found = one
    for at, value in enumerate(one.values):
        if isinstance(value, Opaque) and value.text.startswith("load("):
            found = found.with_value(at, Opaque(f"lambda *v: ({does}, {value.text}(*v))[1]"))
        elif isinstance(value, Constructed) and value.maker == "iter":
            found = found.with_value(at, Opaque(f"(({does}, v)[1] for v in {write(value.args[0])})"))
    return f"{one}, {what}" if found is one else found.text


def _shared(one: Call, at: int, statement: str) -> str:
    """The call after a statement about its argument at a place, then what that has become."""
    names, call = _named(one)
    name = _letters(len(one.values))[at]
    return f"{names}{statement.format(name)}({call}, {name})"


def _alias(one: Call, at: int, other: int) -> str:
    return _shared(one.with_value(other, Opaque(_letters(len(one.values))[at])), at, "")


def _with_iterator(one: Call, does: str) -> str:
    """Something that is done to a result half read, then what has become of that and of the arguments."""
    names, call = _named(one)
    given = [head.partition(" = ")[0] for head in names.split("; ")[:-1]]
    return f"{names}r = {call}; next(r); {does}; ({', '.join(['[*r]', *given])})"


def _of_subclass(one: Call, base: str, subclass: str) -> str:
    """The call with every other object of a class by the constructor of a subclass, where constructors make them."""
    parts = re.split(rf"(load\('[\w.]+', '){base}('\)\()", one.text)
    for at in range(1, len(parts), 3):
        parts[at] += base if at // 3 % 2 else subclass
    return "".join(parts) if len(parts) > 1 else f"{one}, of which every other {base} is a {subclass}"


_WAYS: dict[str, Callable[..., str]] = {
    "kept": lambda _, one: f"r = {one}; getattr(r, 'clear', int)(); {one}",
    "spoil": lambda _, one: _again(one),
    "many": lambda _, one: f"[{one} for _ in range({steps.TIMES})]",
    "become": lambda _, one, two: _changed(one, two),
    "join": lambda _, one: f"{one}, in which equal values are one object",
    "turns": lambda _, one, two: f"import itertools; [*itertools.zip_longest({one}, {two})]",
    "gather": lambda _, one, two: f"import asyncio; await asyncio.gather({one}, {two})",
    "cancel": lambda _, one: f"{one}, cancelled where it first waits, or closed after its first item",
    "half": lambda _, one, two: f"x, y = {one}, {two}; next(x); [*y]; [*x]",
    "drop": lambda _, one, two: f"next({one}); [*{two}]",
    "nest": lambda _, one, two: _with_callback(one, two, f"of which a callback or iterator calls {two}"),
    "trace": lambda _, one: _with_callback(one, "print(v)", "whose callback notes what it is given"),
    "stop": lambda _, one, two: f"{one}, stopped at a line while another thread calls {two}",
    "throw": lambda _, one: _with_iterator(one, "r.throw(ValueError('thrown'))"),
    "close": lambda _, one: _with_iterator(one, "r.close()"),
    "alias": lambda given, one: _alias(one, *given[1:]),
    "rows": lambda given, one: _shared(one, given[1], "{0}[:] = {0}[:1] * len({0}); "),
    "subclass": lambda given, one: _of_subclass(one, *given[1:]),
    "set": lambda given, one: f"import sys; sys.modules[f.__module__].{given[0]} = {given[1]!r}; {one}",
    "context": lambda given, one: f"import decimal; decimal.setcontext(decimal.Context{(*given,)}); {one}",
}
"""Statements for the scenarios that have a step, from its operands and the calls."""


# Calls that are made together, as a value and as text, and what they do if each answers as it does alone.

_AS_ALONE: Mapping[Steps, tuple[int, ...]] = {
    steps.AGAIN: (0, 0),
    steps.OFTEN: (0,),
    steps.JOINED: (0,),
    steps.CHANGED: (0, 1),
    steps.ORDER: (0, 1),
    steps.TURN: (0, 1),
    steps.GATHERED: (0, 1),
    steps.HALVES: (1, 0),
    steps.LEFT: (1,),
    steps.INSIDE: (0, 1),
    steps.TRACED: (0,),
    steps.THREADS: (0, 1),
}
"""Calls that the original must answer as it does alone, in the order of the answers. In other scenarios what the caller
does is meant to change what it answers."""


@dataclass(frozen=True)
class Scenario:
    """Calls that are made together."""

    steps: Steps
    calls: tuple[Call, ...]
    because: str = ""
    """Reason why the scenario is unusual for known callers. Empty if it is usual."""

    @property
    def text(self) -> str:
        """Text that the sandbox reads."""
        return f"{steps.SCENARIO}({self.steps!r}, {', '.join(texts_of(self.calls))})"

    @property
    def as_alone(self) -> tuple[Call, ...]:
        """The calls that must be answered as they are alone, in the order of the answers."""
        return tuple(self.calls[at] for at in _AS_ALONE.get(self.steps, ()))

    def holds(self, answer: Answer, alone: Mapping[Call, Answer]) -> bool:
        """Return True if the calls that nothing should change answer as on their own, and other calls do not fail."""
        answers = [alone[call].observed() for call in self.as_alone]
        found = [step.observed() for step in answer.steps]
        if answers:
            return found == answers or (self.steps == steps.TRACED and found[:1] == answers)
        return bool(found) and all(step.kind == Kind.RETURNS for step in answer.steps)


Probe = Call | Scenario


def read_probe(text: str) -> Probe:
    """The scenario or the call in a text."""
    if not text.startswith(f"{steps.SCENARIO}("):
        return read(text)
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.Call)
    source = text.encode()
    calls = tuple(read(source[arg.col_offset : arg.end_col_offset].decode()) for arg in node.args[1:])
    return Scenario(ast.literal_eval(node.args[0]), calls)


# Calls in a readable form: pickled parts appear as their repr, with the place that a call comes from.

OPAQUE = re.compile(r"unpickle\('[^']*'(?:, '[^']*')?\)|load\('([^']*)', '([^']*)'\)|(?:CALLS|BIG)\[\d+\]")
"""Parts of a call that no literal can represent."""
WHENCE = {
    "tests": "made by a test",
    "doctests": "made by a doctest",
    "recorded": "that was recorded",
    "calls_file": "of the --calls file",
    "model": "that the model wrote",
    "type_hints": "generated from the type hints",
    "refused": "generated, which the function's own text refuses",
}
"""Words for the source of a call."""


@dataclass(frozen=True)
class CallNames:
    """Words for parts of calls."""

    words: Mapping[str, str] = field(default_factory=dict)
    method: str = ""
    """Qualified name of a method, which replaces the `f` of its calls. Empty for a function."""

    @cached_property
    def shown(self) -> Callable[[str], str]:
        """Returns a call in readable form. A method's call has its name; in a scenario `f` is the function. Each is
        made once: the same long calls are run dozens of times."""

        def shown(call: str) -> str:
            text = self.readable(call)
            return f"{self.method}{text[1:]}" if self.method and call.startswith("f(") else text

        return cache(shown)

    def readable(self, call: str) -> str:
        """A call with its parts in words; they are data of the code under test. A scenario as Python writes it."""
        probe = read_probe(call)
        return self.in_words(as_python(with_recipes_in_words(probe) if f"{RECIPE}(" in call else probe))

    def in_words(self, text: str) -> str:
        """A text with the parts of calls in it in words."""
        return OPAQUE.sub(lambda match: self.words.get(match[0], match[0]), text) if self.words else text

    def written(self, shown: str) -> str:
        """The call behind a shown one; as it is shown where two parts go by the same words."""
        if self.method and shown.startswith(f"{self.method}("):
            shown = f"f{shown.removeprefix(self.method)}"
        parts: dict[str, list[str]] = {}
        for part, words in self.words.items():
            parts.setdefault(words, []).append(part)
        unique = {words: part[0] for words, part in parts.items() if len(part) == 1}
        longest_first = sorted(map(re.escape, unique), key=len, reverse=True)
        return re.sub("|".join(longest_first), lambda match: unique[match[0]], shown) if unique else shown


def find_names(
    calls: Sequence[str], show: Callable[[tuple[str, ...]], Sequence[str]], home: str = "", method: str = ""
) -> CallNames:
    """Find readable texts for the parts of calls that have no literal.

    Args:
        calls: The calls.
        show: Returns readable texts of calls. The code under test writes them.
        home: Package whose names appear without their module.
        method: Qualified name of a method, or empty.
    """
    # most long calls have none, which takes a thousandth of the time to see
    some = [call for call in calls if any(map(call.__contains__, ("unpickle(", "load(", "CALLS[", "BIG[")))]
    found = {match[0]: match for call in some for match in OPAQUE.finditer(call)}
    words = {text: _name(match[1], match[2], home) for text, match in found.items() if match[1]}
    # maximum number of further words
    rest = [text for text in found if text not in words][:400]
    shown = show(tuple(text if text.endswith("]") else f"f({text})" for text in rest)) if rest else ()
    for text, line in zip(rest, shown, strict=False):
        if line.startswith("f("):
            words[text] = f"{text} = {line}" if text.endswith("]") else line[2:-1]
    return CallNames(words, method)


def _name(module: str, name: str, home: str) -> str:
    return name if module.partition(".")[0] in (home, "builtins") else f"{module}.{name}"


# A call as a line for a shell, so that its reader can make it.

LONGEST = 4000
"""Characters of a line."""
_HOMES = {"Decimal": "decimal", "Fraction": "fractions", "deque": "collections"}
_FILES = ("CALLS", "BIG")
_AS_CALL = "(lambda e: e if len(e) == 2 and type(e[0]) in (tuple, list) and type(e[1]) is dict else (e, {}))"
_USED = "(lambda o, *steps: [[step(o) for step in steps], o][1])"


@dataclass(frozen=True)
class Importable:
    """Place that a function can be imported from."""

    root: Path
    module: str
    qualname: str


class NotReproducible(Exception):
    """Error: no shell line can make such a call."""


def paste(call: str, function: Function, places: Sequence[Importable], calls_file: Path | None = None) -> str:
    """Return shell lines, one for each place: `PYTHONPATH=/home/me/project python -c '...'`. Empty if there is no such
    line."""
    try:
        is_call = len(ast.parse(call).body) == 1 and call.startswith(("f(", *_FILES))
        lines = [_line(call, function, place, calls_file, is_call=is_call) for place in dict.fromkeys(places)]
    except (NotReproducible, SyntaxError, RecursionError):
        return ""
    text = "; ".join(lines)
    return text if len(text) <= LONGEST else ""


def _line(text: str, function: Function, place: Importable, calls_file: Path | None, *, is_call: bool) -> str:
    """One call of the function, or several statements in which `f` is called, whose last result is printed."""
    target = place.qualname + (".fget" if function.kind == "property" else "")
    writer = _Writer(target if is_call else "f", calls_file)
    statements = _of_call(writer, text, function) if is_call else _of_statements(writer, text, function)
    imports = sorted({*writer.imports, *(["asyncio"] if function.asynchronous else [])})
    heads = [*(f"import {name}" for name in imports), f"from {place.module} import {place.qualname.partition('.')[0]}"]
    heads += [f"f = {target}"] if not is_call and target != "f" else []
    program = "; ".join([*heads, *statements])
    return f"PYTHONPATH={shlex.quote(str(place.root))} python -c {shlex.quote(program)}"


def _of_call(writer: _Writer, text: str, function: Function) -> list[str]:
    expression = writer.call(text)
    if function.asynchronous and function.generator:  # only within a function can it be read, and this is one line
        reader = f"async def shown(): print(repr([each async for each in {expression}]))"
        return [f"exec({reader!r})", "asyncio.run(shown())"]
    if function.asynchronous:
        expression = f"asyncio.run({expression})"
    elif function.generator:
        expression = f"list({expression})"
    return [f"print(repr({expression}))"]


def _of_statements(writer: _Writer, text: str, function: Function) -> list[str]:
    tree = writer.visit(ast.parse(text))
    if function.asynchronous or not isinstance(tree.body[-1], ast.Expr):
        raise NotReproducible
    shown = ast.Call(ast.Name("print", ast.Load()), [tree.body[-1].value], [])
    return [ast.unparse(each) for each in (*tree.body[:-1], shown)]


@dataclass
class _Writer(ast.NodeTransformer):
    """An expression of ours as one of plain Python."""

    target: str
    calls_file: Path | None
    imports: set[str] = field(default_factory=set)

    def call(self, text: str) -> str:
        """`f(1)` as a call of the target."""
        node = _read(text)
        if _from_file(node):
            return f"(lambda call: {self.target}(*call[0], **call[1]))({ast.unparse(self.visit(node))})"
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "f":
            raise NotReproducible
        made = self.generic_visit(node)
        assert isinstance(made, ast.Call)
        made.func = _read(self.target)
        return ast.unparse(made)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """`CALLS[3]`, which may have left out what is empty."""
        if not _from_file(node):
            return self.generic_visit(node)
        if self.calls_file is None:
            raise NotReproducible
        self.imports.add("runpy")
        entry = f"runpy.run_path({str(self.calls_file)!r})[{ast.unparse(node.value)!r}][{ast.unparse(node.slice)}]"
        return _read(f"{_AS_CALL}({entry})")

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Names that are there without an import."""
        if node.id in ("inf", "nan"):
            return _read(f"float('{node.id}')")
        if node.id in _HOMES:
            self.imports.add(_HOMES[node.id])
            return _read(f"{_HOMES[node.id]}.{node.id}")
        if node.id in (*_FILES, "replaced", RECIPE):
            raise NotReproducible
        if node.id == "datetime":
            self.imports.add("datetime")
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Replace calls that the sandbox has functions for."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "load":
            module, attribute = (str(part.value) for part in node.args if isinstance(part, ast.Constant))
            self.imports.add(module)
            return _read(f"{module}.{attribute}")
        if name == "unpickle":
            self.imports |= {"pickle", "base64"}
            return _read(f"pickle.loads(base64.b64decode({ast.unparse(node.args[0])}))")
        if name == "used":
            value, *steps = node.args
            shown = [ast.unparse(self.visit(value)), *(self._step(step) for step in steps)]
            return _read(f"{_USED}({', '.join(shown)})")
        return self.generic_visit(node)

    def _step(self, step: ast.expr) -> str:
        """`do.add(1)` as what is done with an object."""
        if not isinstance(step, ast.Call) or not isinstance(step.func, ast.Attribute):
            raise NotReproducible
        made = self.generic_visit(step)
        assert isinstance(made, ast.Call)
        assert isinstance(made.func, ast.Attribute)
        made.func.value = ast.Name("o", ast.Load())
        return f"lambda o: {ast.unparse(made)}"


def _read(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _from_file(node: ast.expr) -> bool:
    """`CALLS[3]`, not a part of it."""
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in _FILES
