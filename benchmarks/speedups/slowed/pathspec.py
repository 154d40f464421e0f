"""pathspec: see the package's docstring."""

from benchmarks.speedups.slowed import Slowed

SLOWED = Slowed(
    "pathspec",
    kind="a regex compiled in a loop",
    tests="tests",
    script="""\
from pathspec import PathSpec

lines = [f"build{k}/" for k in range(40)] + [f"*.t{k}" for k in range(40)] + ["!keep*.t3", "/docs/**/x"]
spec = PathSpec.from_lines("gitwildmatch", lines)
paths = [f"src/a{k % 50}/b{k}.{'py' if k % 3 else 't3'}" for k in range(3000)]
print(sum(map(spec.match_file, paths)), sum(1 for _ in spec.match_files(paths[:500])))
""",
    file="pathspec/pattern.py",
    qualname="RegexPattern.match_file",
    slow=(
        (
            "\t\t\tand (match := regex.search(file)) is not None\n",
            "\t\t\tand (match := re.compile(regex.pattern, regex.flags & ~re.UNICODE).search(file)) is not None\n",
        ),
    ),
    wrong=(
        (
            "\t\t\tand (match := regex.search(file)) is not None\n",
            "\t\t\tand (match := regex.fullmatch(file)) is not None\n",
        ),
    ),
)
