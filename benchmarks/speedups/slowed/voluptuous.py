"""voluptuous: see the package's docstring."""

from benchmarks.speedups.slowed import Slowed

SLOWED = Slowed(
    "voluptuous",
    kind="an index dropped",
    tests="voluptuous/tests",
    script="""\
from voluptuous import All, Coerce, Optional, Range, Required, Schema

schema = Schema({
    **{Required(f"field{k}"): All(Coerce(int), Range(min=0)) for k in range(40)},
    **{Optional(f"more{k}"): str for k in range(40)},
})
rows = [{**{f"field{k}": str(n + k) for k in range(40)}, "more3": "x", "more39": "y"} for n in range(100)]
print(sum(sum(value for value in schema(row).values() if isinstance(value, int)) for row in rows))
""",
    file="voluptuous/schema_builder.py",
    qualname="Schema._compile_mapping.validate_mapping",
    slow=(
        (
            "                relevant_candidates = itertools.chain(\n"
            "                    candidates_by_key.get(key, []), additional_candidates\n"
            "                )\n",
            "                relevant_candidates = iter(candidates)\n",
        ),
    ),
    wrong=(
        (
            "                relevant_candidates = itertools.chain(\n"
            "                    candidates_by_key.get(key, []), additional_candidates\n"
            "                )\n",
            "                relevant_candidates = iter(candidates_by_key.get(key, []))\n",
        ),
    ),
)
