"""Methods of containers and of text, as far as they are followed."""

from __future__ import annotations

import ast

from codeopt.analysis import library
from codeopt.analysis.facts import Facts
from codeopt.analysis.functions import apply, lost
from codeopt.analysis.values import ANY, NONE, STR, Container, Values, union


def method(facts: Facts, node: ast.Call, owner: object, name: str, arguments: list[Values]) -> Values:
    """The values that a method of a container or of text gives; its effects are noted."""
    starred = any(isinstance(a, ast.Starred) for a in node.args)
    if starred or (node.keywords and name not in ("sort", "split", "format")):
        return facts.escape(frozenset({owner}), lost(facts, node, arguments))
    if owner in ("str", "bytes"):
        if name in library.SPLITS:
            return facts.make(node, "list", frozenset({owner}))
        found = library.TEXT_METHODS.get(name, ANY)
        return found if owner == "str" or found != STR or name == "decode" else ANY
    if owner in ("int", "bool", "float"):
        return library.QUIET_METHODS.get(name, ANY)
    if not isinstance(owner, Container):
        return facts.escape(frozenset({owner}), lost(facts, node, arguments))
    if name == "sort" and node.keywords:
        keys = [facts.value(k.value) for k in node.keywords if k.arg == "key"]
        for key in keys:
            apply(facts, key, frozenset(owner.elements))
        return NONE
    return _container_method(facts, node, owner, name, arguments)


def _container_method(facts: Facts, node: ast.Call, owner: Container, name: str, arguments: list[Values]) -> Values:
    here: Values = frozenset({owner})
    if name in library.ADDS and owner.kind != "dict" and len(arguments) > library.ADDS[name]:
        at = library.ADDS[name]
        return add(facts, here, facts.elements(arguments[0]) if at < 0 else arguments[at])
    if name in library.QUIET_METHODS:
        return library.QUIET_METHODS[name]
    if name in library.TAKES and name != "popitem":
        return frozenset(owner.elements) | union(arguments[1:])
    if name in library.COPIES:
        inside = union([frozenset(owner.elements), *map(facts.elements, arguments)])
        return facts.make(node, owner.kind, inside, owner.keys)
    if owner.kind == "dict":
        return _dict_method(facts, node, owner, name, arguments)
    return facts.escape(here, *arguments)


def _dict_method(facts: Facts, node: ast.Call, owner: Container, name: str, arguments: list[Values]) -> Values:
    match name, arguments:
        case "get", [_]:
            return frozenset(owner.elements) | NONE
        case "get", [_, default]:
            return frozenset(owner.elements) | default
        case "keys", []:
            return facts.make(node, "iterator", owner.keys)
        case "values", []:
            return facts.make(node, "iterator", owner.elements)
        case "items", []:
            return facts.make(node, "iterator", facts.make(node, "tuple", owner.keys | owner.elements))
        case "setdefault", [key, default]:
            facts.join(owner.keys, key)
            add(facts, frozenset({owner}), default)
            return frozenset(owner.elements)
    return facts.escape(frozenset({owner}), *arguments)


def add(facts: Facts, containers: Values, values: Values) -> Values:
    """Put values into the containers."""
    for container in containers:
        if isinstance(container, Container):
            facts.join(container.elements, values)
        if not isinstance(container, Container) or container.escaped:
            facts.escape(values)
    return NONE
