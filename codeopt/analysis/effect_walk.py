"""The walk through a piece of code that sums up its effects, into the functions of the program that it calls."""

from __future__ import annotations

import ast

from codeopt.analysis import library
from codeopt.analysis.effects import Effects
from codeopt.analysis.syntax import Syntax
from codeopt.analysis.types import Types
from codeopt.analysis.values import SCALARS, UNKNOWN, Container, FunctionValue, Values, all_plain

NO_EFFECTS = library.QUIET_CALLS | library.HEAPS | library.LEAVING


class EffectWalk:
    """A walk that notes the effects of nodes in `found`; each function is gone through once."""

    def __init__(self, program: Syntax, types: Types, effects: Effects) -> None:
        self.program, self.types, self.found = program, types, effects
        self.seen: set[ast.AST] = set()

    def visit(self, root: ast.AST) -> None:
        """Note the effects of running this node."""
        stack = [root]
        while stack:
            node = stack.pop()
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and node is not root:
                stack.extend([*node.args.defaults, *(d for d in node.args.kw_defaults if d)])
                if not isinstance(node, ast.Lambda):
                    self.found.stored.add(self.program.scopes.variable(node))
                    self.found.unknown |= bool(node.decorator_list)
                continue  # it runs when it is called
            self._note(node)
            self.found.objects |= isinstance(node, ast.expr) and self._may_be_object(node)
            stack.extend(ast.iter_child_nodes(node))

    def _may_be_object(self, node: ast.expr) -> bool:
        """Whether the expression may be an object of one of the program's classes, which may define operators."""
        parent = self.program.scopes.parent[node]
        match node:
            case ast.Starred() | ast.FormattedValue() | ast.Name(ctx=ast.Store() | ast.Del()):
                return False  # what is in it is asked, and nothing comes out of a name that is bound
            case ast.Attribute(owner, ctx=ast.Load()) if isinstance(parent, ast.Call) and parent.func is node:
                return self._may_be_object(owner)
        return not all_plain(self.types.of(node))

    def _note(self, node: ast.AST) -> None:
        names = self.program.scopes.names.get(node, ())
        self.found.stored |= {variable for variable, use in names if use.kind != "load"}
        match node:
            case ast.Name(ctx=ast.Store() | ast.Del()):
                parent = self.program.scopes.parent.get(node)
                if isinstance(parent, ast.AugAssign) and parent.target is node:
                    self._change(self.types.of(node), resize=True)
            case ast.Subscript(value, index, context):
                if not isinstance(context, ast.Load):
                    several = isinstance(context, ast.Del) or isinstance(index, ast.Slice)
                    self._change(self.types.of(value), resize=several)
                self._grow(self.types.of(value))
            case ast.Attribute(ctx=ast.Store() | ast.Del()):
                self.found.unknown = True
            case ast.Import() | ast.ImportFrom() | ast.ExceptHandler() | ast.pattern() | ast.ClassDef():
                self.found.unknown = True
            case ast.Yield() | ast.YieldFrom() | ast.Await() | ast.With() | ast.AsyncWith() | ast.AsyncFor():
                self.found.unknown = True
            case ast.Call():
                self._call(node)
        for source in _gone_through(node):
            self._iterate(self.types.of(source))

    def _iterate(self, values: Values) -> None:
        """Note the effects of iterating: generators run, and the functions that map() and its like were given."""
        for value in values:
            maker = self.types.maker(value) if isinstance(value, Container) and value.kind == "iterator" else None
            self.found.unknown |= value == UNKNOWN
            if maker is None or maker in self.seen:
                continue
            self.seen.add(maker)
            if isinstance(maker, ast.GeneratorExp):
                for part in [maker.elt, *maker.generators]:
                    self.visit(part)
            elif isinstance(maker, ast.Call):
                for argument in maker.args:
                    self.run(self.types.of(argument), called=False)
                    self._iterate(self.types.of(argument))

    def _grow(self, values: Values) -> None:
        """Note that reading a missing element of a defaultdict adds what its factory gives."""
        growing = [value for value in values if isinstance(value, Container) and value.grows]
        self._change(frozenset(growing), resize=True)
        for maker in map(self.types.maker, growing):
            for factory in maker.args if isinstance(maker, ast.Call) else []:
                self.run(self.types.of(factory), called=True)

    def _change(self, values: Values, resize: bool) -> None:
        for value in values:
            if isinstance(value, Container):
                self.found.changed.add(value)
                if resize or value.kind == "dict":
                    self.found.resized.add(value)
            elif value not in SCALARS:
                self.found.unknown = True

    def _call(self, node: ast.Call) -> None:
        for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
            self.run(self.types.of(argument), called=False)
            if self._goes_through(node):
                self._iterate(self.types.of(argument))
        if isinstance(node.func, ast.Attribute):
            owners = self.types.of(node.func.value)
            if not any(isinstance(v, str) and v.startswith("@") for v in owners):
                self._method(node.func.attr, owners)
                return
        functions = self.types.of(node.func)
        if functions & {f"@{name}" for name in library.HEAPS} and node.args:
            self._change(self.types.of(node.args[0]), resize=True)
        self.run(functions, called=True)

    def _goes_through(self, call: ast.Call) -> bool:
        if isinstance(call.func, ast.Attribute) and call.func.attr in library.ALL_OF_IT:
            return True
        several = len(call.args) > 1 and not isinstance(call.args[0], ast.Starred)
        names = {str(value)[1:] for value in self.types.of(call.func)}
        return bool(names & library.GOING_THROUGH) and not (several and names & {"min", "max"})

    def _method(self, name: str, owners: Values) -> None:
        for owner in owners:
            if isinstance(owner, Container):
                if name in library.MUTATING:
                    self.found.changed.add(owner)
                    self.found.resized |= set() if name in ("sort", "reverse", "rotate") else {owner}
                elif name not in library.READING:
                    self.found.unknown = True
            elif owner not in SCALARS:
                self.found.unknown = True

    def run(self, values: Values, *, called: bool) -> None:
        """Note that the functions among the values run; as arguments of a quiet function, they may."""
        for value in values:
            if isinstance(value, FunctionValue):
                if value.node not in self.seen:
                    self.seen.add(value.node)
                    self.found.called.add(value.node)
                    for part in value.node.body if isinstance(value.node.body, list) else [value.node.body]:
                        self.visit(part)
            elif not called:
                continue
            elif isinstance(value, str) and value.startswith("@"):
                name = value[1:]
                self.found.io |= name in library.LEAVING or name.startswith(library.OUTSIDE)
                self.found.unknown |= name not in NO_EFFECTS
            elif value == UNKNOWN or isinstance(value, Container):
                self.found.unknown = True


def _gone_through(node: ast.AST) -> list[ast.expr]:
    """The expressions that the node iterates over."""
    match node:
        case ast.For(iter=source) | ast.comprehension(iter=source) | ast.Starred(source, ast.Load()):
            return [source]
        case ast.Assign(targets, source) if not all(isinstance(target, ast.Name) for target in targets):
            return [source]
        case ast.AugAssign(value=source):
            return [source]
        case ast.Compare(_, operators, others):
            return [o for sign, o in zip(operators, others, strict=True) if isinstance(sign, ast.In | ast.NotIn)]
    return []
