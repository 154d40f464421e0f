"""A loop that only sets a flag: leave it when the flag is set."""

from __future__ import annotations

import ast

from codeopt.rules import Context, Edit, as_diff, names_in, rule, sets_constant

EXAMPLE = as_diff("""\
  found = False
  for number in [3, 8, 5]:
      if number % 2 == 0:
          found = True  # even
+         break
  print(found)
""")


@rule(ast.For, example=EXAMPLE)
def early_exit(loop: ast.For, ctx: Context) -> list[Edit]:
    """Once the flag is set nothing else can happen in this loop: leave it.

    Loops over ranges, text and containers whose whole body sets names to constants under one condition without
    effects that does not read them and cannot fail, on no element: comparisons and arithmetic of known types,
    elements of a sequence by the counter of range(len(sequence)). The loop's variable is not read afterwards.
    """
    program = ctx.program
    match loop.body:
        case [ast.If(test, [*settings], [])] if not loop.orelse and all(map(sets_constant, settings)):
            flags = names_in(settings)
            if flags & names_in([test, loop.target, loop.iter]) or not all(map(program.alone, settings)):
                return []
            if any(program.liveness.read_elsewhere(loop, name) for name in names_in([loop.target])):
                return []
            whole = program.calls_builtin(loop.iter, "range") or program.types.is_sized(loop.iter)
            fits = whole and program.loops.cannot_fail(test, loop)
            return [program.below(settings[-1], "break")] if fits else []
    return []
