"""A scenario as statements of Python that show it, `f` being the function."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from codeopt.workloads.function.calls.scenario import Scenario, read_scenario
from codeopt.workloads.source.literals import Call, Constructed, Opaque, read, write
from codeopt_sandbox.guest.calls import scenarios as steps

_BY_TYPE: dict[type, str] = {
    list: "{0}[:] = {1}",
    dict: "{0}.clear(); {0}.update({1})",
    set: "{0}.clear(); {0}.update({1})",
}


def as_python(text: str) -> str:
    """Return a call unchanged, and a scenario as statements, or as a description if statements cannot express it."""
    found = read_scenario(text)
    if found is None:
        return text
    by_name = {name: operands for name, *operands in found.steps}
    name = next((name for name in _WAYS if name in by_name), None)
    return "; ".join(found.calls) if name is None else _WAYS[name](by_name[name], *found.calls)


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


def apart(text: str) -> str:
    """A call whose equal parts are other objects; empty where it cannot be written so."""
    call = read(text)
    return Call(tuple(map(_made, call.args)), tuple((n, _made(v)) for n, v in call.kwargs)).text() if call else ""


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


def _again(one: str) -> str:
    names, call = _named(one)
    return f"{names}r = {call}; getattr(r, 'clear', int)(); {call}"


def _changed(one: str, two: str) -> str:
    old, new = read(one), read(two)
    if old is None or new is None or len(old.values) != len(new.values):
        return f"{one}, then with the same objects, changed into those of {two}"
    names, heads, changes = _letters(len(old.values)), [], []
    first, second = old, new
    for at, (name, value, other) in enumerate(zip(names, old.values, new.values, strict=True)):
        if type(value) is type(other) and type(value) in _BY_TYPE:
            heads.append(f"{name} = {write(value)}")
            changes.append(_BY_TYPE[type(value)].format(name, write(other)))
            first, second = first.with_value(at, Opaque(name)), second.with_value(at, Opaque(name))
    if not heads:
        return f"{one}, then with the same objects, changed into those of {two}"
    return "; ".join([*heads, first.text(), *changes, second.text()])


def _named(text: str) -> tuple[str, str]:
    """Arguments as assignments, and the call with their names."""
    call = read(text)
    heads = []
    for at, (name, value) in enumerate(zip(_letters(len(call.values)), call.values, strict=True) if call else ()):
        if call is not None and not isinstance(value, int | float | str | bytes | bool | None):
            heads.append(f"{name} = {write(value)}; ")
            call = call.with_value(at, Opaque(name))
    return "".join(heads), call.text() if call else text


def _letters(count: int) -> Sequence[str]:
    return ["x", "y", "z"][:count] if count <= 3 else [f"x{at}" for at in range(count)]


def _with_callback(one: str, does: str, what: str) -> str:
    """The call, each function and iterator of which does something before."""
    call = read(one)
    found = call
    for at, value in enumerate(call.values if call else ()):
        if found is None:
            break
        if isinstance(value, Opaque) and value.text.startswith("load("):
            found = found.with_value(at, Opaque(f"lambda *v: ({does}, {value.text}(*v))[1]"))
        elif isinstance(value, Constructed) and value.maker == "iter":
            found = found.with_value(at, Opaque(f"(({does}, v)[1] for v in {write(value.args[0])})"))
    return f"{one}, {what}" if found is None or found is call else found.text()


def _shared(one: str, at: int, statement: str) -> str:
    """The call after a statement about its argument at a place, then what that has become."""
    names, call = _named(one)
    name = _letters(len(_values(one)))[at]
    return f"{names}{statement.format(name)}({call}, {name})"


def _alias(one: str, at: int, other: int) -> str:
    call = read(one)
    return _shared(call.with_value(other, Opaque(_letters(len(call.values))[at])).text() if call else one, at, "")


def _values(text: str) -> Sequence[Any]:
    call = read(text)
    return call.values if call else ()


def _with_iterator(one: str, does: str) -> str:
    """Something that is done to a result half read, then what has become of that and of the arguments."""
    names, call = _named(one)
    given = [head.partition(" = ")[0] for head in names.split("; ")[:-1]]
    return f"{names}r = {call}; next(r); {does}; ({', '.join(['[*r]', *given])})"


def _of_subclass(one: str, base: str, subclass: str) -> str:
    """The call with every other object of a class by the constructor of a subclass, where constructors make them."""
    parts = re.split(rf"(load\('[\w.]+', '){base}('\)\()", one)
    for at in range(1, len(parts), 3):
        parts[at] += base if at // 3 % 2 else subclass
    return "".join(parts) if len(parts) > 1 else f"{one}, of which every other {base} is a {subclass}"


_WAYS: dict[str, Callable[..., str]] = {
    steps.KEPT: lambda _, one: f"r = {one}; getattr(r, 'clear', int)(); {one}",
    steps.SPOIL: lambda _, one: _again(one),
    steps.MANY: lambda _, one: f"[{one} for _ in range({steps.TIMES})]",
    steps.BECOME: lambda _, one, two: _changed(one, two),
    steps.JOIN: lambda _, one: f"{one}, in which equal values are one object",
    steps.TURNS: lambda _, one, two: f"import itertools; [*itertools.zip_longest({one}, {two})]",
    steps.GATHER: lambda _, one, two: f"import asyncio; await asyncio.gather({one}, {two})",
    steps.CANCEL: lambda _, one: f"{one}, cancelled where it first waits, or closed after its first item",
    steps.HALF: lambda _, one, two: f"x, y = {one}, {two}; next(x); [*y]; [*x]",
    steps.DROP: lambda _, one, two: f"next({one}); [*{two}]",
    steps.NEST: lambda _, one, two: _with_callback(one, two, f"of which a callback or iterator calls {two}"),
    steps.TRACE: lambda _, one: _with_callback(one, "print(v)", "whose callback notes what it is given"),
    steps.STOP: lambda _, one, two: f"{one}, stopped at a line while another thread calls {two}",
    steps.THROW: lambda _, one: _with_iterator(one, "r.throw(ValueError('thrown'))"),
    steps.CLOSE: lambda _, one: _with_iterator(one, "r.close()"),
    steps.ALIAS: lambda given, one: _alias(one, *given[1:]),
    steps.ROWS: lambda given, one: _shared(one, given[1], "{0}[:] = {0}[:1] * len({0}); "),
    steps.SUBCLASS: lambda given, one: _of_subclass(one, *given[1:]),
    steps.SET: lambda given, one: f"import sys; sys.modules[f.__module__].{given[0]} = {given[1]!r}; {one}",
    steps.CONTEXT: lambda given, one: f"import decimal; decimal.setcontext(decimal.Context{(*given,)}); {one}",
}
"""Statements for the scenarios that have a step, from its operands and the calls."""
