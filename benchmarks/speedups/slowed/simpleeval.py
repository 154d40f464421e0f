"""simpleeval: see the package's docstring."""

from benchmarks.speedups.slowed import Slowed

SLOWED = Slowed(
    "simpleeval",
    kind="repeated parsing in a caller",
    tests="tests",
    script="""\
from simpleeval import SimpleEval

rule = "(price * count * (1 - discount) + fee) if count > 3 and price < 90 else price * 2 + count % 5"
evaluator = SimpleEval()
parsed = evaluator.parse(rule)
total = 0.0
for k in range(12000):
    evaluator.names = {"price": k % 100, "count": k % 7, "discount": 0.25, "fee": 3}
    total += evaluator.eval(rule, previously_parsed=parsed)
print(total)
""",
    file="simpleeval.py",
    qualname="SimpleEval.eval",
    slow=(
        (
            "        return self._eval(previously_parsed or self.parse(expr))\n",
            "        return self._eval(self.parse(expr))\n",
        ),
    ),
    wrong=(
        (
            "        return self._eval(previously_parsed or self.parse(expr))\n",
            "        return self._eval(previously_parsed)\n",
        ),
    ),
)
