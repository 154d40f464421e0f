"""`self.parser.state.items` in a loop: one variable for what the chain of attributes leads to."""

from __future__ import annotations

import ast

from codeopt.rules import AnalyzedProgram, Context, Edits, as_diff, dotted, place_before, rule

MIN_DOTS = 2
"""Least attributes of a chain that is looked up once: one costs little more than a variable."""
_PERHAPS = ast.Try | ast.TryStar | ast.ExceptHandler | ast.match_case | ast.comprehension | ast.Lambda | ast.FunctionDef
"""Nodes whose parts are not run each time that they are."""

EXAMPLE = as_diff("""\
  class Options:
      step = 2


  class Walker:
      options = Options()

      def total(self, sizes):
          found = 0
+         options_step = self.options.step
          for size in sizes:
-             found += size * self.options.step
+             found += size * options_step
          return found


  print(Walker().total([1, 2, 3]))
""")


@rule(ast.FunctionDef, example=EXAMPLE, safety="unsafe")
def attribute_hoist(node: ast.FunctionDef, ctx: Context) -> Edits:
    """Each attribute of a chain is looked up in each round of the loop: look them up once, before it.

    Chains of two attributes and more on a variable of the function, in every round, where the loop's text stores no
    attribute of these names, changes nothing on the way and calls no method that sets one of them.
    """
    program = ctx.program
    for chain in program.walk(node):
        if not isinstance(chain, ast.Attribute) or not isinstance(chain.ctx, ast.Load) or ctx.is_replaced(chain):
            continue
        path = dotted(chain)
        if path.count(".") < MIN_DOTS or not program.loops.around(chain) or not ctx.is_hot(chain):
            continue
        parent = program.scopes.parent[chain]
        if isinstance(parent, ast.Attribute) or program.in_f_string(chain):
            continue  # a longer chain has been asked before; a method is looked up without an object of its own
        root = program.names(chain)[0]
        if program.scopes.variable(root).scope is not node or not _always(program, chain):
            continue
        place = place_before(program, chain)
        if place is not None:
            words = [word.strip("_") for word in path.split(".")[1:]]
            yield program.replace(chain, ctx.bind_before(place, path, "_".join(words)))


def _always(program: AnalyzedProgram, chain: ast.Attribute) -> bool:
    """Whether the chain is looked up in every round of its innermost loop, before anything could leave it."""
    (loop, *_) = program.loops.around(chain)
    for child, parent in program.scopes.steps(chain):
        if isinstance(child, ast.stmt) and _leaves(program, child):
            return False
        if parent is loop:
            return True
        conditional = isinstance(parent, ast.BoolOp) and child is not parent.values[0]
        conditional |= isinstance(parent, ast.IfExp | ast.If | ast.While) and child is not parent.test
        if conditional or isinstance(parent, _PERHAPS):
            return False
    return False


def _leaves(program: AnalyzedProgram, statement: ast.stmt) -> bool:
    """Whether a statement before this one in its block may end the round."""
    block = program.block_of(statement)
    return any(
        program.has(each, ast.Continue, ast.Break, ast.Return, ast.Raise) for each in block[: block.index(statement)]
    )
