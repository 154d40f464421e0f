"""Hypothesis strategies from type annotations, as data: no code of the module runs here.

Plain values represent themselves. Values that the sandbox constructs are `Made` or `Opaque` (literals.py).
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from codeopt.workloads.function.calls.kinds import Kinds
from codeopt.workloads.source.class_shapes import (
    Parameter,
    members,
    methods,
    of_function,
    parameters,
    setters,
    stand_ins,
)
from codeopt.workloads.source.functions import dotted
from codeopt.workloads.source.literals import Constructed, Opaque
from codeopt.workloads.source.scope import Scope

DEPTH = 4
"""So deep objects are nested; a recursive type ends there, with an empty list or None."""
STEPS = 3
"""Maximum number of methods of an object that are called before the one that is meant."""


@dataclass
class Guesser:
    """Makes strategies. st: hypothesis.strategies; kinds: types that are known by name."""

    st: Any
    kinds: Kinds
    made: dict[tuple[str, str, int], Any] = field(default_factory=dict)
    """Objects by module, class and depth: types that hold each other would be looked at again and again."""

    def arguments(self, given: list[Parameter], maker: str, depth: int = 0) -> Any:
        """`maker` called with these parameters: required ones always; None when one of those has no known type."""
        required, named, optional = [], {}, {}
        for parameter in given:
            value = self.parameter(parameter, depth)
            if parameter.default is not None:
                if value is not None and not value.is_empty and not parameter.positional_only:
                    optional[parameter.name] = value
            elif value is None:
                return None
            elif parameter.named:
                named[parameter.name] = value
            else:
                required.append(value)
        pairs = self.st.fixed_dictionaries(named, optional=optional)
        return self.st.tuples(self.st.tuples(*required), pairs).map(
            lambda drawn: Constructed(maker, drawn[0], tuple(drawn[1].items()))
        )

    def parameter(self, parameter: Parameter, depth: int) -> Any:
        """Strategy for a parameter, by its annotation or the type of its default."""
        if parameter.hint is not None:
            return self.value(parameter.hint, parameter.scope, depth)
        default = getattr(parameter.default, "value", None)
        return self.kinds.plain(type(default).__name__, depth) if isinstance(default, int | float | str) else None

    def value(self, hint: ast.expr, scope: Scope, depth: int = 0) -> Any:
        """Strategy for an annotation; None for a type that is not known, an empty strategy where it is nested too
        deep."""
        if isinstance(hint, ast.Constant):
            return self.constant(hint.value, scope, depth)
        if isinstance(hint, ast.BinOp) and isinstance(hint.op, ast.BitOr):
            return self.one_of([hint.left, hint.right], scope, depth)
        name = dotted(hint.value if isinstance(hint, ast.Subscript) else hint)
        if name and (found := scope.look_up(name)):
            home, node = found
            return self.object(home, node, depth) if isinstance(node, ast.ClassDef) else self.alias(home, node, depth)
        if isinstance(hint, ast.Subscript):
            return self.generic(name.rpartition(".")[2], hint.slice, scope, depth)
        return self.kinds.plain(name.rpartition(".")[2], depth)

    def constant(self, value: Any, scope: Scope, depth: int) -> Any:
        """Strategy for a constant: None, or an annotation in quotes."""
        if value is None:
            return self.st.none()
        try:
            return self.value(ast.parse(value, mode="eval").body, scope, depth) if isinstance(value, str) else None
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    def one_of(self, hints: list[ast.expr], scope: Scope, depth: int) -> Any:
        """Strategy for one of the known types, if any is known."""
        known = [value for hint in hints if (value := self.value(hint, scope, depth)) is not None]
        return self.st.one_of(*known) if known else None

    def alias(self, home: Scope, node: ast.stmt, depth: int) -> Any:
        """Strategy for what a module-level name is bound to: another annotation, a NewType, a TypeVar."""
        value = getattr(node, "value", None)
        if depth > DEPTH or value is None:
            return self.st.nothing() if value else None
        if isinstance(value, ast.Call):
            name = dotted(value).rpartition(".")[2]
            bound = [word.value for word in value.keywords if word.arg == "bound"]
            if name == "TypeVar":
                return self.one_of([*value.args[1:], *bound] or [ast.Name("int")], home, depth + 1)
            return self.value(value.args[1], home, depth + 1) if name == "NewType" and len(value.args) == 2 else None
        return self.value(value, home, depth + 1)

    def object(self, home: Scope, node: ast.ClassDef, depth: int) -> Any:
        """Return a strategy for objects of a project class. An abstract class gives those of its subclasses in its
        module."""
        if depth >= DEPTH:
            return self.st.nothing()
        key = home.module, home.qualified(node), depth
        if key not in self.made:
            self.made[key] = self._object(home, node, key[1], depth)
        return self.made[key]

    def _object(self, home: Scope, node: ast.ClassDef, name: str, depth: int) -> Any:
        if values := members(home, node):
            return self.st.sampled_from([Opaque(f"load({home.module!r}, '{name}.{value}')") for value in values])
        others = stand_ins(home, node)
        if others is not None:
            made = [self.object(home, other, depth) for other in others]
            known = [value for value in made if value is not None]
            return self.st.one_of(*known) if known else None
        kind, given = parameters(home, node)
        made = self.arguments(given, f"load({home.module!r}, {name!r})", depth + 1)
        return made.map(lambda value: dict(value.kwargs)) if made is not None and kind == "TypedDict" else made

    def used(self, home: Scope, node: ast.ClassDef, but: str) -> Any:
        """Return a strategy for objects of a class, or of a subclass that inherits the method `but`.

        On most objects other methods with known parameters were called before, so that their state changed.
        """
        heirs = [each for each in home.heirs(node) if but not in {getattr(part, "name", "") for part in each.body}]
        kinds = [self.object(home, each, 0) for each in (node, *heirs)]
        known = [each for each in kinds if each is not None]
        made = self.st.one_of(*known) if known else None
        others = [method for method in methods(node) if method.name != but]
        made_calls = [
            self.arguments(of_function(method, home.inside(node), 1), f"do.{method.name}", 1) for method in others
        ]
        calls = [call for call in made_calls if call is not None]
        for setter in setters(node):
            value = self.parameter(of_function(setter, home.inside(node), 1)[0], 1)
            if value is not None and not value.is_empty:
                calls.append(value.map(lambda drawn, name=setter.name: Constructed("do.__setattr__", (name, drawn))))
        if made is None or not calls:
            return made
        steps = self.st.lists(self.st.one_of(*calls), max_size=STEPS)
        return self.st.tuples(made, steps).map(
            lambda pair: Constructed("used", (pair[0], *pair[1])) if pair[1] else pair[0]
        )

    def generic(self, name: str, inside: ast.expr, scope: Scope, depth: int) -> Any:
        """A type with what it holds in brackets."""
        parts = inside.elts if isinstance(inside, ast.Tuple) else [inside]
        if name == "Literal":
            return self.st.sampled_from([part.value for part in parts if isinstance(part, ast.Constant)])
        if name in ("Callable", "Pattern"):
            return self.kinds.standard(name)
        if name in ("Union", "Optional"):
            none: list[ast.expr] = [ast.Constant(None)] if name == "Optional" else []
            return self.one_of([*none, *parts], scope, depth)
        if name in ("Annotated", "Final", "InitVar", "Required", "NotRequired", "ReadOnly"):
            return self.value(parts[0], scope, depth)
        endless = len(parts) == 2 and isinstance(parts[1], ast.Constant) and parts[1].value is ...
        inner = [self.value(part, scope, depth) for part in (parts[:1] if endless or name == "Generator" else parts)]
        if any(value is None for value in inner):
            return None
        if name in ("tuple", "Tuple") and not endless:
            return self.st.tuples(*inner)
        return self.kinds.container(name, inner, depth)
