"""anytree: see the package's docstring."""

from benchmarks.speedups.slowed import Slowed

SLOWED = Slowed(
    "anytree",
    kind="membership in a list",
    tests="tests",
    script="""\
from anytree import Node, RenderTree

root = Node("root")
root.children = [Node(f"n{k}") for k in range(6000)]
for k, node in enumerate(root.children[:30]):
    node.children = [Node(f"m{j}") for j in range(k)]
print(len(list(RenderTree(root))), root.height, root.size)
""",
    file="src/anytree/node/nodemixin.py",
    qualname="NodeMixin.__check_children",
    slow=(
        (
            "        seen = set()\n        for child in children:\n",
            "        seen = []\n        for child in children:\n",
        ),
        (
            "                seen.add(childid)\n",
            "                seen.append(childid)\n",
        ),
    ),
    wrong=(
        (
            "            childid = id(child)\n",
            "            childid = child.parent\n",
        ),
    ),
)
