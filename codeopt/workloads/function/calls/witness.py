"""A scenario as statements of Python that show it, `f` being the function."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from codeopt.workloads.function.calls.scenario import Scenario, read_scenario
from codeopt.workloads.source.literals import Call, Constructed, Opaque, read, write
from codeopt_sandbox.guest.calls.scenarios import (
    AGAIN,
    CHANGED,
    GATHERED,
    HALVES,
    INSIDE,
    JOINED,
    LEFT,
    OFTEN,
    ORDER,
    STOPPED,
    THREADS,
    TIMES,
    TRACED,
    TURNS,
)

_STOPPED = re.compile(f"{STOPPED}line (\\d+) for the (\\d+)")
_BY_TYPE: dict[type, str] = {
    list: "{0}[:] = {1}",
    dict: "{0}.clear(); {0}.update({1})",
    set: "{0}.clear(); {0}.update({1})",
}


def as_python(text: str) -> str:
    """A call as it is; a scenario as statements, or in words where there are none."""
    found = read_scenario(text)
    return text if found is None else _WAYS[found.kind](*found.calls)


def threads(scenario: Scenario, got: str) -> str:
    """Statements that stop a call where a draft's answer says; empty for another scenario."""
    place = _STOPPED.search(got)
    if scenario.kind != THREADS or place is None:
        return ""
    one, two = scenario.calls
    line, time = int(place[1]), int(place[2])
    stops = f"e == 'line' and r.f_lineno == {line} and next(n, 0) == {time}"
    there = f"(sys.settrace(None), t.start(), t.join(1)) if {stops} else 0"
    return (
        f"import sys, threading; n = iter(range(1, {time + 1})); a = []; "
        f"t = threading.Thread(target=lambda: a.append({two})); s = lambda r, e, _: ({there}, s)[1]; "
        f"sys.settrace(s); b = {one}; sys.settrace(None); t.ident and t.join(); print(b, a, {two}, {one})"
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


_WAYS: dict[str, Callable[..., str]] = {
    AGAIN: _again,
    OFTEN: lambda one: f"[{one} for _ in range({TIMES})]",
    CHANGED: _changed,
    JOINED: lambda one: f"{one}, in which equal values are one object",
    ORDER: lambda one, two: f"{one}; {two}",
    TURNS: lambda one, two: f"import itertools; [*itertools.zip_longest({one}, {two})]",
    GATHERED: lambda one, two: f"import asyncio; await asyncio.gather({one}, {two})",
    HALVES: lambda one, two: f"x, y = {one}, {two}; next(x); [*y]; [*x]",
    LEFT: lambda one, two: f"next({one}); [*{two}]",
    INSIDE: lambda one, two: _with_callback(one, two, f"of which a callback or iterator calls {two}"),
    TRACED: lambda one: _with_callback(one, "print(v)", "whose callback notes what it is given"),
    THREADS: lambda one, two: f"{one}, stopped at a line while another thread calls {two}",
}
