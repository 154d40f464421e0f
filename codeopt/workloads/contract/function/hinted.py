"""Check of a value against a type annotation, which is read and not evaluated."""

from __future__ import annotations

import ast
import math
from typing import Any

from codeopt.workloads.contract.function.class_hints import ClassHints
from codeopt.workloads.source.functions import dotted
from codeopt.workloads.source.literals import Constructed

_LISTS = ("list", "List", "MutableSequence")
_SEQUENCES = ("Sequence", "Iterable", "Collection", "Container", "Reversible")
_DICTS = ("dict", "Dict", "Mapping", "MutableMapping")
_SETS = ("set", "Set", "AbstractSet", "MutableSet", "frozenset", "FrozenSet")
_TUPLES = ("tuple", "Tuple")
_OF_ONE_TYPE = (int, bool, type(None))
"""Types of which one value fits a hint if another does: one of them is looked at."""
NO_CLASSES = ClassHints()
_UNIONS = ("Union", "Optional")


def fits(value: Any, hint: ast.expr, classes: ClassHints = NO_CLASSES) -> bool:
    """Return True if a value fits an annotation. An annotation that is not understood gives False.

    Known calls decide in that case. An object fits a class of `classes` if all its parts fit their hints.
    """
    if isinstance(hint, ast.Constant):
        return (
            value is None if hint.value is None else isinstance(hint.value, str) and _quoted(value, hint.value, classes)
        )
    if isinstance(hint, ast.BinOp) and isinstance(hint.op, ast.BitOr):
        return fits(value, hint.left, classes) or fits(value, hint.right, classes)
    if not isinstance(hint, ast.Subscript):
        whole = dotted(hint)
        return _plain(value, whole.rpartition(".")[2]) or _made(value, whole, classes)
    name = dotted(hint.value).rpartition(".")[2]
    inner = list(hint.slice.elts) if isinstance(hint.slice, ast.Tuple) else [hint.slice]
    if name in _UNIONS:
        return any(fits(value, each, classes) for each in inner) or (name == "Optional" and value is None)
    if name in ("Annotated", "Final"):
        return fits(value, inner[0], classes)
    return _plain(value, name) and _holds(value, name, inner, classes)


def _made(value: Any, name: str, classes: ClassHints) -> bool:
    """Return True if an object has a class of the project and parts that fit their hints."""
    made, meant = classes.class_of(value), classes.named(name)
    return bool(made and meant and made.is_a(meant)) and all(
        part.hint is not None and fits(part.value, part.hint, part.hints) for part in classes.made_with(value)
    )


def _quoted(value: Any, text: str, classes: ClassHints) -> bool:
    try:
        return fits(value, ast.parse(text, mode="eval").body, classes)
    except SyntaxError:
        return False


def _plain(value: Any, name: str) -> bool:
    """Return True if a value has a type. Its contents are not checked."""
    if name == "float":
        return type(value) is int or (type(value) is float and math.isfinite(value))
    if name in ("int", "str", "bytes", "bool", "complex"):
        return type(value).__name__ == name
    if name in _SEQUENCES:
        return isinstance(value, list | tuple | str | bytes | dict | set | frozenset) or _maker(value) == "iter"
    if name in _LISTS:
        return isinstance(value, list)
    if name in _DICTS:
        return isinstance(value, dict)
    if name in _SETS:
        return isinstance(value, set | frozenset)
    if name in _TUPLES:
        return isinstance(value, tuple)
    return name in ("Iterator", "Generator") and _maker(value) == "iter"


def _maker(value: Any) -> str:
    return value.maker if isinstance(value, Constructed) else ""


def _holds(value: Any, name: str, inner: list[ast.expr], classes: ClassHints) -> bool:
    """Return True if the contents of a container have the types between its brackets."""
    if isinstance(value, Constructed):
        return all(_holds(part, "list", inner, classes) for part in value.args)
    if isinstance(value, dict):
        sides = (list(value), list(value.values()))
        return all(fits(item, hint, classes) for side, hint in zip(sides, inner, strict=False) for item in side)
    if isinstance(value, str | bytes):
        return all(fits(item, inner[0], classes) for item in value[:1])
    if name in _TUPLES and not (len(inner) == 2 and isinstance(inner[1], ast.Constant) and inner[1].value is ...):
        return len(value) == len(inner) and all(
            fits(item, each, classes) for item, each in zip(value, inner, strict=True)
        )
    others = [item for item in value if type(item) not in _OF_ONE_TYPE]
    alike = {type(item): item for item in value if type(item) in _OF_ONE_TYPE}
    return all(fits(item, inner[0], classes) for item in (*alike.values(), *others))
