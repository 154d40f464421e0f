"""Types that hints declare: the outermost bound of generated calls."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from codeopt.analysis.positions import Def
from codeopt.workloads.contract.function.class_hints import ClassHints, class_hints
from codeopt.workloads.contract.seen import Seen, seen
from codeopt.workloads.source.functions import Function
from codeopt.workloads.source.literals import Call, Opaque, read

MORE = "*"
"""Place of positional arguments beyond the named parameters."""
SAMPLE = 2_000
"""Items of a recipe whose types are looked at: its items are all of one kind."""
OTHERS = "**"
"""Place of named arguments that no parameter has the name of."""


@dataclass(frozen=True)
class DeclaredTypes:
    """Hints of a function's parameters, and of what objects are made of.

    A call that breaks them is not generated. A type that a known call gives a parameter is allowed there, even against
    the hint.
    """

    names: tuple[str, ...] = ()
    """Parameters that a call may give by position."""
    hints: Mapping[str, ast.expr | None] = field(default_factory=dict)
    """Annotations of all parameters; those of `*args` and `**kwargs` by MORE and OTHERS."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Literal defaults."""
    classes: ClassHints = ClassHints()
    given: Mapping[str, Seen] = field(default_factory=dict)
    """Values of the parameters to which a known call or the default gives what the hint forbids."""

    def knowing(self, calls: Sequence[Call]) -> DeclaredTypes:
        """Return the hints with the types that known calls give in spite of them."""
        values: dict[str, list[Any]] = {name: [value] for name, value in self.defaults.items()}
        for call in calls:
            for name, value in self._placed(call):
                values.setdefault(name, []).append(value)
        broken = {
            name: seen(known)
            for name, known in values.items()
            if (hint := self.hints.get(name)) is not None and any(self.classes.forbids(hint, each) for each in known)
        }
        return replace(self, given=broken, classes=self.classes.allowing(calls))

    def allows(self, call: Call) -> bool:
        """Return True unless an argument certainly has a type that its hint does not name."""
        given = call.built(SAMPLE)
        return self.classes.keeps(given) and not any(self._forbids(name, value) for name, value in self._placed(given))

    def allowed(self, texts: Iterable[str]) -> list[str]:
        """The calls that break no hint. Those that cannot be read are known ones made longer."""
        return [text for text in texts if (call := read(text)) is None or self.allows(call)]

    def _forbids(self, name: str, value: Any) -> bool:
        hint = self.hints.get(name)
        if hint is None or not self.classes.forbids(hint, value):
            return False
        return name not in self.given or isinstance(value, Opaque) or bool(self.given[name].missing(value))

    def _placed(self, call: Call) -> Iterator[tuple[str, Any]]:
        for at, value in enumerate(call.args):
            yield self.names[at] if at < len(self.names) else MORE, value
        for name, value in call.kwargs:
            yield name if name in self.hints else OTHERS, value


def declared_types(function: Function, classes: ClassHints | None = None) -> DeclaredTypes:
    """Hints of a function.

    Args:
        function: The function.
        classes: Hints of the project's classes. Defaults to those of the module and its folder.
    """
    here = classes or class_hints(function)
    given = function.node.args
    hints = {each.arg: each.annotation for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
    rest = {MORE: given.vararg, OTHERS: given.kwarg}
    hints |= {place: each.annotation for place, each in rest.items() if each is not None}
    owner = function.qualname.rpartition(".")[0]
    if function.kind in ("method", "property") and function.parameters and not hints[function.parameters[0]]:
        hints[function.parameters[0]] = ast.Name(owner, ast.Load())
    names = function.parameters[function.kind == "classmethod" :]
    return DeclaredTypes(names, hints, defaults(function.node), here.within(owner)).knowing(())


def defaults(node: Def) -> dict[str, Any]:
    """Return the literal defaults of parameters."""
    places = [*node.args.posonlyargs, *node.args.args]
    given = [
        *zip(places[len(places) - len(node.args.defaults) :], node.args.defaults, strict=True),
        *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True),
    ]
    read_as = {each.arg: read(f"f({ast.unparse(default)})") for each, default in given if default is not None}
    values = {name: call.values[0] for name, call in read_as.items() if call is not None}
    return {name: value for name, value in values.items() if not isinstance(value, Opaque)}
