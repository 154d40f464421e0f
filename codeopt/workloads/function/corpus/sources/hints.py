"""Guessed calls, used if little else is known. Hypothesis draws plain arguments from type hints, on this machine.

Objects are drawn from the constructors of the project's classes. Annotations are read and not evaluated, so no code of
the module runs here. The original decides if a guess makes sense. The judge shrinks failing calls of any source.
"""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterator
from typing import Any

from codeopt.core.diagnostic import Diagnostic
from codeopt.workloads.function.calls.guess import Guesser
from codeopt.workloads.function.calls.kinds import Kinds
from codeopt.workloads.function.corpus.sources import Ask, Found
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.generated.texts import PLAIN
from codeopt.workloads.source.class_shapes import of_function
from codeopt.workloads.source.literals import Call, Constructed, Opaque
from codeopt_sandbox.owner import temporary_folder

GUESSES = True
"""Calls of this source are guesses: made only when other sources gave fewer calls than ENOUGH."""
ENOUGH = 5
"""Number of calls of other sources that are enough."""
EXAMPLES = 80
REMEDY = "type hints, --calls FILE"
NOT_GUESSED = "no calls could be generated from type hints"
STORAGE = "HYPOTHESIS_STORAGE_DIRECTORY"
"""Hypothesis's own variable."""
_RANGES = ((0x00, 0x180), (0x370, 0x400), (0x410, 0x450), (0x5D0, 0x5EB), (0x620, 0x64B), (0x966, 0x970))
CHARACTERS = "".join(chr(code) for start, stop in _RANGES for code in range(start, stop)) + (
    "\u0301\u200b\u200d\u2028\u2029\u3000\ufeff"  # combines, joins, separates, is a space or of no width
    "\u1e9e\ufb01\uff21\uff11\u2167\u2460\u216b"  # changes its length or kind with its case, is or is not a digit
    "\u4e2d\u6587\uac00\u0e01\ue000\U0001d4b3\U00010437\U0001f600\U0010ffff"
)
"""Alphabet of drawn texts.

For all of Unicode Hypothesis first builds a table, which takes longer than all other work with hints. Its cache folder
is replaced here, so each run would build the table again.
"""


def find(ask: Ask) -> Found:
    """Calls with arguments of the annotated types; none when a parameter without default has a type that is not
    known."""
    from hypothesis import strategies as st

    with _home_elsewhere():
        strategy = _strategy(ask.harness, st)
        drawn = [] if strategy is None or strategy.is_empty else _drawn(strategy)
    if drawn:
        return Found((("type_hints", tuple(drawn)),))
    missing = Diagnostic(NOT_GUESSED, _untyped(ask.harness), REMEDY)
    return Found((), diagnostics=(missing,))


def _untyped(harness: FunctionHarness) -> str:
    """Return the reason why no call can be guessed."""
    bound = harness.function.kind in ("method", "property", "classmethod")
    given = of_function(harness.function.node, harness.scope, int(bound))
    bare = [each.name for each in given if each.hint is None and each.default is None]
    if bare:
        return f"{', '.join(bare)} {'has' if len(bare) == 1 else 'have'} no type hint"
    return "nothing can be made of the type hints of its parameters, or of its class"


@contextlib.contextmanager
def _home_elsewhere() -> Iterator[None]:
    """Hypothesis keeps tables of characters and constants in a folder `.hypothesis`, which is no business of the
    user's folder, unless a variable names another one."""
    from hypothesis.configuration import set_hypothesis_home_dir

    if os.environ.get(STORAGE):
        yield
        return
    with temporary_folder("hypothesis") as folder:
        set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            set_hypothesis_home_dir(None)


def _drawn(strategy: Any) -> list[str]:
    import hypothesis

    found: dict[str, None] = {}

    @hypothesis.settings(
        max_examples=EXAMPLES,
        database=None,
        derandomize=True,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(strategy)
    def draw(drawn: Constructed) -> None:
        found[Call(drawn.args, drawn.kwargs).text()] = None

    with contextlib.suppress(hypothesis.errors.Unsatisfiable), warnings.catch_warnings():
        # Python 3.15 counts references so that Hypothesis takes its own generator for one that nobody holds.
        warnings.simplefilter("ignore", hypothesis.errors.HypothesisWarning)
        draw()
    return list(found)


def _strategy(harness: FunctionHarness, st: Any) -> Any:
    """The function's arguments; of a method, an object of its class first."""
    function, scope = harness.function, harness.scope
    owner = scope.classes.get(function.qualname.rpartition(".")[0])
    words = [*harness.vocabulary.words[0], *PLAIN]
    text = (
        st.sampled_from(words)
        | st.text(CHARACTERS, max_size=20)
        | st.lists(st.sampled_from(words), max_size=8).map("".join)
    )
    guesser = Guesser(st, Kinds(st, text, harness.vocabulary.keys))
    bound = function.kind in ("method", "property", "classmethod")
    here = scope.inside(owner) if owner is not None else scope
    arguments = guesser.arguments(of_function(function.node, here, int(bound)), "f")
    if arguments is None or function.kind not in ("method", "property"):
        return arguments
    made = guesser.used(scope, owner, function.name) if owner is not None else None
    if owner is not None and function.name == "__init__":  # nobody calls it on an object that is built already
        kind = f"load({scope.module!r}, {scope.qualified(owner)!r})"
        made = st.just(Constructed(f"{kind}.__new__", (Opaque(kind),)))
    if made is None:
        return None
    return st.tuples(made, arguments).map(lambda pair: Constructed("f", (pair[0], *pair[1].args), pair[1].kwargs))
