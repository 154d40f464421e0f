"""cachetools: see the package's docstring."""

from benchmarks.speedups.slowed import Slowed

SLOWED = Slowed(
    "cachetools",
    kind="recounted on each call",
    tests="tests",
    script="""\
from cachetools import LRUCache

kept = LRUCache(maxsize=4000, getsizeof=len)
for k in range(20000):
    kept[f"key{k % 900}"] = "x" * (k % 7 + 1)
    kept.get(f"key{k * 31 % 900}")
print(len(kept), kept.currsize, sorted(kept)[:5])
""",
    file="src/cachetools/__init__.py",
    qualname="Cache.__setitem__",
    slow=(
        (
            "                diffsize = itemsize - size[key]\n"
            "                while self.__currsize + diffsize > maxsize:\n",
            "                diffsize = itemsize - size[key]\n"
            "                while sum(size.values()) + diffsize > maxsize:\n",
        ),
    ),
    wrong=(
        (
            "                    if key not in data:\n                        diffsize = itemsize\n",
            "",
        ),
    ),
)
