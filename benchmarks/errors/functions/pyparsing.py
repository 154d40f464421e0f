"""Functions of pyparsing: see the package's docstring."""

from benchmarks.errors.functions import Case

CASES = [
    Case(
        "pyparsing.util:col",
        slow=r"""
@lru_cache(maxsize=128)
def col(loc: int, strg: str) -> int:
    if 0 < loc < len(strg) and strg[loc - 1] == "\n":
        return 1
    at = -1
    for _ in range(50):
        for place in range(*slice(0, loc).indices(len(strg))):
            at = place if strg[place] == "\n" else at
    return loc - at
""",
        wrong=r"""
@lru_cache(maxsize=128)
def col(loc: int, strg: str) -> int:
    return loc - strg.rfind("\n", 0, loc) if loc else 1 - strg.startswith("\n")
""",
    ),
]
