"""semver: see the package's docstring."""

from benchmarks.speedups.slowed import Slowed

SLOWED = Slowed(
    "semver",
    kind="made anew on each call",
    tests="tests",
    script="""\
from semver import Version

versions = [Version.parse(f"{k * 7 % 5}.{k * 11 % 13}.{k * 3 % 17}-rc.{k % 9}+b{k % 4}") for k in range(8000)]
ordered = sorted(versions)
print(ordered[0], ordered[-1], max(versions), sum(a < b for a, b in zip(versions, versions[1:])))
""",
    file="src/semver/version.py",
    qualname="Version.compare",
    slow=(
        (
            "        v2 = other.to_tuple()[:3]\n",
            "        other = cls(**other.to_dict())\n        v2 = other.to_tuple()[:3]\n",
        ),
    ),
    wrong=(
        (
            "        v2 = other.to_tuple()[:3]\n",
            '        v2 = tuple(map(int, str(other).split("-")[0].split(".")))\n',
        ),
    ),
)
