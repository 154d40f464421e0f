"""Answers read from their texts: literals, and arrays and scalars of numpy. No name of an answer is looked up, and no
class of it is made: a draft wrote it."""

from __future__ import annotations

import ast
import binascii
import re
from array import array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MARKS = re.compile(
    r"""(b?'(?:[^'\\]|\\.)*'|b?"(?:[^"\\]|\\.)*")|(\bfrozenset\{|\bset\{|<array\.array>\()"""
    r"""|numpy ([<>|=]\w+) ([^\s,()\[\]{}]+|\([^()]*\))"""
    r"""|sha256 [0-9a-f]{64}(?: marks [0-9a-f]{64} about \[[^\]]*\])? bytes ([A-Za-z0-9+/]+=*)(?=\))"""
)
"""Quoted texts, which stay as they are; what Python writes otherwise: a set, an array, a scalar of numpy; items of a
long array of numpy."""
PLAIN = {"set{": "set_ * {", "frozenset{": "frozenset_ * {", "<array.array>(": "plain_array_("}
"""Beginnings of values of the standard library, as Python can read them."""
_KINDS = "biufc"
"""Data types of numpy that hold numbers alone."""
_NUMBERS = {name: complex(name) if name.endswith("j") else float(name) for name in ("inf", "nan", "infj", "nanj")}


def value(text: str) -> Any:
    """The value that a text of guest/calls/repr says. Raises ValueError or SyntaxError where it says less than all."""
    return _read(ast.parse(_MARKS.sub(_rewritten, text), mode="eval").body)


def _rewritten(match: re.Match[str]) -> str:
    """The same as an expression."""
    if match[1]:
        return match[1]
    if match[5]:
        return f"bytes_('{match[5]}')"
    return PLAIN[match[2]] if match[2] else f"scalar_({match[3]!r}, {match[4]})"


def _read(node: ast.expr) -> Any:
    if isinstance(node, ast.List):
        return [_read(each) for each in node.elts]
    if isinstance(node, ast.Tuple):
        return tuple([_read(each) for each in node.elts])
    if isinstance(node, ast.Dict):
        return {_read(key): _read(each) for key, each in _pairs(node)}
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return _set(node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return _of_numpy(node.func.id, [_read(each) for each in node.args])
    return _number(node)


def _pairs(node: ast.Dict) -> list[tuple[ast.expr, ast.expr]]:
    pairs = [(key, each) for key, each in zip(node.keys, node.values) if key is not None]
    if len(pairs) < len(node.values):
        raise ValueError("no dict of values")
    return pairs


def _set(node: ast.BinOp) -> Any:
    """`set_ * {1, 2}`; an empty one is read as a dict."""
    kinds: dict[str, Any] = {"set_": set, "frozenset_": frozenset}
    if (
        not isinstance(node.left, ast.Name)
        or node.left.id not in kinds
        or not isinstance(node.right, (ast.Set, ast.Dict))
    ):
        raise ValueError("no set")
    items = node.right.elts if isinstance(node.right, ast.Set) else []
    if isinstance(node.right, ast.Dict) and node.right.keys:
        raise ValueError("no set")
    return kinds[node.left.id]([_read(each) for each in items])


def _of_numpy(maker: str, given: list[Any]) -> Any:
    """`array('<f8', (2,), [1.0, 2.0])`, `scalar_('<f8', 1.0)`; the third of an array may be its items' bytes."""
    if maker == "bytes_":
        return binascii.a2b_base64(given[0])
    if maker == "plain_array_":
        return array(*given)
    numpy: Any = __import__("numpy")
    if maker not in ("array", "scalar_") or not given or type(given[0]) is not str:
        raise ValueError(f"no value is made by {maker}")
    kind = numpy.dtype(given[0])
    if kind.kind not in _KINDS + ("SU" if maker == "array" else ""):
        raise ValueError(f"no numbers: {given[0]}")
    if maker == "scalar_":
        return kind.type(given[1])
    if type(given[2]) is bytes:
        return numpy.frombuffer(given[2], kind).reshape(given[1]).copy()
    return numpy.array(given[2], kind).reshape(given[1])


def _number(node: ast.expr) -> Any:
    """A constant, a name for one, or a number with a sign; a complex number in two parts."""
    if isinstance(node, ast.Name) and node.id in _NUMBERS:
        return _NUMBERS[node.id]
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        return -_number(node.operand) if isinstance(node.op, ast.USub) else _number(node.operand)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        left, right = _number(node.left), _number(node.right)
        if isinstance(left, complex) or not isinstance(right, complex):
            raise ValueError("no complex number")
        return complex(left, right.imag if isinstance(node.op, ast.Add) else -right.imag)
    raise ValueError("no literal")
