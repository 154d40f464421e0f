"""Type hints that known calls show, for parameters without one: a guess, which only further calls can make wrong."""

from __future__ import annotations

from codeopt.workloads.contract.function import Contract
from codeopt.workloads.contract.function.seen import Seen

SCALARS = {"NoneType": "None", **{name: name for name in ("bool", "int", "float", "str", "bytes", "complex")}}
CONTAINERS = frozenset({"list", "tuple", "dict", "set", "frozenset"})


def shown_types(contract: Contract) -> tuple[tuple[str, str], ...]:
    """Return a hint as text for each parameter without one, if its values consist of builtin types."""
    found = (
        (name, hint_of(seen)) for name, seen in contract.shown.items() if contract.declared.hints.get(name) is None
    )
    return tuple((name, hint) for name, hint in found if hint)


def hint_of(seen: Seen) -> str:
    """`list[int | None]`; empty where a value is of another type, or nothing is known."""
    kinds = [_kind(kind, seen) for kind in seen.kinds]
    return " | ".join(dict.fromkeys(kinds)) if kinds and all(kinds) else ""


def _kind(kind: str, seen: Seen) -> str:
    if kind not in CONTAINERS:
        return SCALARS.get(kind, "")
    parts = seen.kinds[kind]
    if kind == "dict":
        inside = [hint_of(part) for part in parts.values()]
        return f"dict[{inside[0]}, {inside[1]}]" if len(inside) == 2 and all(inside) else ""
    inside = [hint_of(part) for part in parts.values()]
    return f"{kind}[{' | '.join(dict.fromkeys(inside))}]" if inside and all(inside) else ""
