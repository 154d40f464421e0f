"""Types that a module's classes say their constructors and methods take: dataclasses, attrs, pydantic models,
NamedTuples, and parameters of `__init__`. The text is read, not run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from codeopt.workloads.source.functions import Function, dotted
from codeopt.workloads.source.literals import Call, Constructed, Opaque

Hints = Mapping[str, ast.expr | None]
"""Annotations of parameters by name, in the order of their places."""
_LOADED = re.compile(r"load\('([\w.]+)', '(\w+)'\)")
_RECORDS = ("dataclass", "define", "frozen", "mutable", "attrs", "attr.s", "attr.attrs")
_RECORD_BASES = ("NamedTuple", "BaseModel")
_BARE_BASES = (*_RECORD_BASES, "object", "ABC", "Generic")
_NO_CLASSES = ("TypedDict", "Protocol")
_PLAIN = (type(None), bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset)
_FAMILIES: Mapping[str, tuple[type, ...]] = {
    "int": (int,), "float": (int, float), "complex": (int, float, complex), "str": (str,), "bytes": (bytes,),
    "bool": (bool,), "list": (list,), "List": (list,), "dict": (dict,), "Dict": (dict,), "tuple": (tuple,),
    "Tuple": (tuple,), "set": (set,), "Set": (set,), "frozenset": (frozenset,), "FrozenSet": (frozenset,),
}  # fmt: skip


@dataclass(frozen=True)
class ClassHints:
    """Classes of one module, and what they are made with."""

    module: str = ""
    """Last part of the module's name."""
    classes: Mapping[str, ast.ClassDef] = field(default_factory=dict)
    breached: frozenset[tuple[str, str, str]] = frozenset()
    """Class, method and parameter that a known call gives something else than its hint says."""

    def allowing(self, known: Sequence[Call]) -> ClassHints:
        """The same, without the hints that known calls do not keep."""
        broken = (breach for call in known for value in call.values for breach in self._breaches(value))
        return replace(self, breached=self.breached | frozenset(broken)) if self.classes else self

    def keeps(self, call: Call) -> bool:
        """Whether no object in a call is made with what its class's hints forbid."""
        return not self.classes or not any(
            breach not in self.breached for value in call.values for breach in self._breaches(value)
        )

    def class_of(self, value: Any) -> str:
        """Class of the module whose constructor makes a value; empty where none does."""
        if not isinstance(value, Constructed):
            return ""
        if value.maker == "used":
            return self.class_of(value.args[0]) if value.args else ""
        loaded = _LOADED.fullmatch(value.maker)
        named = loaded is not None and loaded[1].rpartition(".")[2] == self.module and loaded[2] in self.classes
        return loaded[2] if loaded is not None and named else ""

    def is_a(self, name: str, other: str) -> bool:
        """Whether a class is another, or derives from it."""
        return name == other or any(self.is_a(base, other) for base in self._bases(name) if base in self.classes)

    def made_with(self, value: Constructed) -> Iterator[tuple[tuple[str, str, str], ast.expr | None, Any]]:
        """Place, hint and argument of each of what an object is made of by its constructor and methods."""
        name = self.class_of(value)
        steps = value.args[1:] if value.maker == "used" else ()
        if value.maker != "used":
            yield from _placed((name, "__init__"), self._constructor(name), value)
        elif isinstance(value.args[0], Constructed):
            yield from self.made_with(value.args[0])
        for step in steps:
            if isinstance(step, Constructed) and step.maker.startswith("do."):
                method = step.maker.removeprefix("do.")
                yield from _placed((name, method), self._method(name, method), step)

    def _breaches(self, value: Any) -> Iterator[tuple[str, str, str]]:
        """Places of objects inside a value that are given something else than their hint says."""
        if self.class_of(value):
            for place, hint, given in self.made_with(value):
                if hint is not None and self.forbids(hint, given):
                    yield place
        for part in _parts(value):
            yield from self._breaches(part)

    def forbids(self, hint: ast.expr, value: Any) -> bool:
        """Whether a value is certainly of another type than an annotation says."""
        if isinstance(value, Opaque):
            return False
        if isinstance(hint, ast.Constant):
            return value is not None if hint.value is None else self._quoted(hint.value, value)
        if isinstance(hint, ast.BinOp) and isinstance(hint.op, ast.BitOr):
            return self.forbids(hint.left, value) and self.forbids(hint.right, value)
        name = dotted(hint.value if isinstance(hint, ast.Subscript) else hint).rpartition(".")[2]
        if not isinstance(hint, ast.Subscript):
            return self._of_another(name, value)
        inner = list(hint.slice.elts) if isinstance(hint.slice, ast.Tuple) else [hint.slice]
        if name in ("Union", "Optional"):
            return (name == "Union" or value is not None) and all(self.forbids(each, value) for each in inner)
        if name in ("Annotated", "Final", "InitVar"):
            return self.forbids(inner[0], value)
        return self._of_another(name, value) or (name in _FAMILIES and self._parts_forbidden(inner, value))

    def _quoted(self, text: Any, value: Any) -> bool:
        try:
            return isinstance(text, str) and self.forbids(ast.parse(text, mode="eval").body, value)
        except SyntaxError:
            return False

    def _of_another(self, name: str, value: Any) -> bool:
        if name in _FAMILIES:
            return isinstance(value, _PLAIN) and not isinstance(value, _FAMILIES[name])
        if name not in self.classes or set(self._bases(name)) & {*_NO_CLASSES}:
            return False
        made = self.class_of(value)
        return not self.is_a(made, name) if made else isinstance(value, _PLAIN)

    def _parts_forbidden(self, inner: list[ast.expr], value: Any) -> bool:
        if isinstance(value, dict):
            sides = (list(value), list(value.values()))
            pairs = [(hint, item) for hint, side in zip(inner, sides, strict=False) for item in side]
        elif isinstance(value, tuple) and not (len(inner) == 2 and ast.unparse(inner[1]) == "..."):
            pairs = list(zip(inner, value, strict=False))
        else:
            pairs = [(inner[0], item) for item in _parts(value)]
        return any(self.forbids(hint, item) for hint, item in pairs)

    def _bases(self, name: str) -> list[str]:
        bases = (base.value if isinstance(base, ast.Subscript) else base for base in self.classes[name].bases)
        return [dotted(base).rpartition(".")[2] for base in bases]

    def _method(self, name: str, method: str) -> Hints:
        """Hints of a method, of the class or of the first base that has it."""
        if name not in self.classes:
            return {}
        for node in self.classes[name].body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == method:
                every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs][1:]
                return {each.arg: each.annotation for each in every}
        return next((found for base in self._bases(name) if (found := self._method(base, method))), {})

    def _constructor(self, name: str) -> Hints:
        """Hints of what a class is called with; empty where its text does not say it."""
        if hints := self._method(name, "__init__"):
            return hints
        return self._fields(name) if self._is_record(name) else {}

    def _is_record(self, name: str) -> bool:
        if name not in self.classes:
            return False
        marks = [dotted(each) for each in self.classes[name].decorator_list]
        named = any(mark in _RECORDS or mark.rpartition(".")[2] in _RECORDS for mark in marks)
        bases = self._bases(name)
        known = all(base in self.classes or base in _BARE_BASES for base in bases)
        return known and (named or any(base in _RECORD_BASES or self._is_record(base) for base in bases))

    def _fields(self, name: str) -> dict[str, ast.expr | None]:
        found: dict[str, ast.expr | None] = {}
        for base in reversed(self._bases(name)):
            found |= self._fields(base) if base in self.classes else {}
        for node in self.classes[name].body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and _is_given(node):
                found[node.target.id] = node.annotation
        return found


def class_hints(function: Function) -> ClassHints:
    """Hints of the classes of a function's module."""
    path = function.path
    module = path.parent.name if path.stem == "__init__" else path.stem
    nodes = [node for node in ast.parse(function.source).body if isinstance(node, ast.ClassDef)]
    return ClassHints(module, {node.name: node for node in nodes})


def _is_given(node: ast.AnnAssign) -> bool:
    """Whether a field is a parameter of the constructor that is made from it."""
    if "ClassVar" in ast.unparse(node.annotation):
        return False
    words = node.value.keywords if isinstance(node.value, ast.Call) else []
    return not any(w.arg == "init" and isinstance(w.value, ast.Constant) and not w.value.value for w in words)


def _placed(
    owner: tuple[str, str], hints: Hints, made: Constructed
) -> Iterator[tuple[tuple[str, str, str], ast.expr | None, Any]]:
    names = list(hints)
    for at, value in enumerate(made.args):
        name = names[at] if at < len(names) else str(at)
        yield (*owner, name), hints.get(name), value
    for name, value in made.kwargs:
        yield (*owner, name), hints.get(name), value


def _parts(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    return list(value.values) if isinstance(value, Constructed) else []
