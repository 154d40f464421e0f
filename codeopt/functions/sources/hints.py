"""Guesses where nothing else is known: Hypothesis draws arguments from the function's type hints, as data, on this
machine.

Annotations are read, not evaluated: nothing of the module runs here. What the original does with the guesses decides
whether they
are sensible; the judge shrinks a failing call itself, whatever source it came from.
"""

from __future__ import annotations

import ast
from typing import Any

from codeopt.functions.literals import Call
from codeopt.functions.sources import Ask
from codeopt.functions.target import Def, definitions
from codeopt.functions.texts import PLAIN

GUESSES, ENOUGH = True, 5
"""Made only when other sources gave fewer calls than this."""
EXAMPLES = 120
_LISTS = ("list", "List", "Sequence", "Iterable", "Collection", "MutableSequence", "Container")
_DICTS = ("dict", "Dict", "Mapping", "MutableMapping")
_SETS = ("set", "Set", "AbstractSet", "MutableSet")


def find(ask: Ask) -> list[str]:
    """Calls with arguments of the annotated types; none when a parameter without default has no hint, or Hypothesis
    is missing."""
    function = ask.bench.function
    try:
        import hypothesis
        from hypothesis import strategies as st
    except ImportError:
        return []
    node = next((n for name, n in definitions(ast.parse(ask.bench.source)) if name == function.qualname), None)
    if node is None or function.kind in ("method", "property"):
        return []
    words = [*ask.bench.vocabulary.words[0], *PLAIN]
    text = st.text(max_size=20) | st.lists(st.sampled_from(words), max_size=8).map("".join)
    strategies = _arguments(node, st, text, skip=int(function.kind == "classmethod"))
    if not strategies:
        return []
    found: dict[str, None] = {}

    @hypothesis.settings(
        max_examples=EXAMPLES,
        database=None,
        derandomize=True,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(st.tuples(*strategies))
    def draw(arguments: tuple[Any, ...]) -> None:
        found[Call(arguments).text()] = None

    draw()
    return list(found)


def _arguments(node: Def, st: Any, text: Any, skip: int) -> list[Any]:
    """A strategy for each parameter that can be given by position, up to the first that has a default and no hint."""
    parameters = [*node.args.posonlyargs, *node.args.args][skip:]
    required = len(parameters) - len(node.args.defaults)
    if any(default is None for default in node.args.kw_defaults):
        return []
    found: list[Any] = []
    for at, parameter in enumerate(parameters):
        strategy = _strategy(parameter.annotation, st, text) if parameter.annotation else None
        if strategy is None:
            return found if at >= required else []
        found.append(strategy)
    return found


def _strategy(hint: ast.expr, st: Any, text: Any) -> Any:
    """Values of an annotated type; None for a type that is not known by its name. text: what makes texts."""
    if isinstance(hint, ast.Constant) and isinstance(hint.value, str):
        try:
            return _strategy(ast.parse(hint.value, mode="eval").body, st, text)
        except SyntaxError:
            return None
    if isinstance(hint, ast.Constant) and hint.value is None:
        return st.none()
    if isinstance(hint, ast.BinOp) and isinstance(hint.op, ast.BitOr):
        return _one_of([_strategy(hint.left, st, text), _strategy(hint.right, st, text)], st)
    if isinstance(hint, ast.Subscript):
        return _generic(_name(hint.value), hint.slice, st, text)
    plain = {
        "int": st.integers(-100, 100) | st.integers(),
        "float": st.floats(),
        "bool": st.booleans(),
        "str": text,
        "bytes": st.binary(max_size=20),
        "complex": st.complex_numbers(allow_nan=False),
        **{name: st.lists(st.integers(-9, 99), max_size=12) for name in _LISTS},
        **{name: st.dictionaries(st.text(max_size=4), st.integers(-9, 99), max_size=8) for name in _DICTS},
        **{name: st.sets(st.integers(-9, 99), max_size=8) for name in _SETS},
    }
    return plain.get(_name(hint))


def _name(hint: ast.expr) -> str:
    return hint.id if isinstance(hint, ast.Name) else hint.attr if isinstance(hint, ast.Attribute) else ""


def _generic(name: str, inside: ast.expr, st: Any, text: Any) -> Any:
    parts = inside.elts if isinstance(inside, ast.Tuple) else [inside]
    if name == "Literal":
        return st.sampled_from([part.value for part in parts if isinstance(part, ast.Constant)])
    if name in ("tuple", "Tuple") and len(parts) == 2 and isinstance(parts[1], ast.Constant) and parts[1].value is ...:
        item = _strategy(parts[0], st, text)
        return None if item is None else st.lists(item, max_size=8).map(tuple)
    inner = [_strategy(part, st, text) for part in parts]
    if any(strategy is None for strategy in inner):
        return None
    if name == "Optional":
        return st.none() | inner[0]
    if name == "Union":
        return _one_of(inner, st)
    if name in ("tuple", "Tuple"):
        return st.tuples(*inner)
    if name in _LISTS:
        return st.lists(inner[0], max_size=12)
    if name in _DICTS and len(inner) == 2:
        return st.dictionaries(inner[0], inner[1], max_size=8)
    if name in (*_SETS, "frozenset", "FrozenSet"):
        kind = frozenset if name.lower() == "frozenset" else set
        return st.sets(inner[0], max_size=8).map(kind)
    return inner[0] if name in ("Annotated", "Final") else None


def _one_of(strategies: list[Any], st: Any) -> Any:
    return None if any(strategy is None for strategy in strategies) else st.one_of(*strategies)
