"""Improve one of the bundled problems by the built-in rules, and look at what was measured."""

from pathlib import Path

from codeopt import improve

slow = Path(__file__).parents[1] / "problems" / "rover-log" / "slow.py"
result = improve(slow, model="rules", max_rounds=1, notify=print)

if result.accepted:
    figures = result.comparison
    print(f"{figures.ratio:.1f}x faster, with 95% confidence {figures.ci_low:.1f}x at least")
    print(result.diff)
else:
    print(f"not improved: {result.reason}")
