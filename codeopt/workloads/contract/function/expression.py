"""`--contract EXPRESSION`: Python over a function's parameters, read here and evaluated in the sandbox alone."""

from __future__ import annotations

import ast
import builtins
import symtable
from dataclasses import dataclass

from codeopt.core.errors import UsageError
from codeopt.core.sanitize import inline
from codeopt.workloads.source.functions import Function, definition

EVALUATED = "_codeopt_contract_"
"""Name of the function that a module gets for it."""
_GIVEN = ("__name__", "__file__", "__doc__", "__debug__")


@dataclass(frozen=True)
class ContractExpression:
    """The expression, and the module that evaluates it: the original, with one more function."""

    text: str
    """Text of the expression, as the user gave it."""
    source: str

    @property
    def reason(self) -> str:
        """Return the reason of calls outside of it."""
        return f"outside of --contract `{inline(self.text)}`"


def contract_expression(function: Function, text: str) -> ContractExpression:
    """The expression over a function's parameters. Raises UsageError for a name that nothing gives a value."""
    tree = ast.parse(function.source)
    node = definition(tree, function.qualname)
    assert node is not None
    parameters = _parameters(node, function)
    body = ast.unparse(ast.parse(text.strip(), mode="eval"))
    made = f"def {EVALUATED}({ast.unparse(parameters)}):\n    return bool({body})\n"
    unknown = _unknown(made, function.source, tree)
    if unknown:
        names = ", ".join(each.arg for each in _all(parameters))
        raise UsageError(
            f"--contract: unknown name {unknown!r}",
            hint=f"use parameters of {function.qualname} ({names}), builtins, or names of its module",
        )
    return ContractExpression(text, f"{function.source}\n\n\n{made}")


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef, function: Function) -> ast.arguments:
    """The parameters that a call gives, without hints; those of a class method begin after its class."""
    found: ast.arguments = ast.parse(f"def f({ast.unparse(node.args)}): ...").body[0].args  # type: ignore[attr-defined]
    for each in _all(found):
        each.annotation = None
    if function.kind == "classmethod":
        first = found.posonlyargs or found.args
        del first[:1]
    return found


def _all(parameters: ast.arguments) -> list[ast.arg]:
    named = [*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs]
    return [*named, *filter(None, (parameters.vararg, parameters.kwarg))]


def _unknown(made: str, source: str, tree: ast.Module) -> str:
    """Return a name of the expression that the module and Python lack, or empty."""
    if any(isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in ast.walk(tree)):
        return ""
    known = {*symtable.symtable(source, "module", "exec").get_identifiers(), *vars(builtins), *_GIVEN}
    return next((name for name in _globals(symtable.symtable(made, "contract", "exec")) if name not in known), "")


def _globals(table: symtable.SymbolTable) -> list[str]:
    """Names that are looked up in the module, also within comprehensions and lambdas."""
    inner = [name for child in table.get_children() for name in _globals(child)]
    own = [each.get_name() for each in table.get_symbols() if each.is_global() and each.is_referenced()]
    return [*(own if table.get_type() == "function" else []), *inner]
