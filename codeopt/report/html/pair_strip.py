"""The raw pairs of one comparison as a strip of dots."""

from __future__ import annotations

import math
from collections.abc import Sequence

from codeopt.report.html.markup import Markup, tag


def strip(ratios: Sequence[float]) -> Markup:
    """The raw paired ratios of one comparison, in the order they were taken."""
    width, height = 240, 34
    high = max([1.05, *ratios]) * 1.02
    low = min([0.95, *ratios]) * 0.98

    def y(value: float) -> float:
        return 2 + (height - 4) * (1 - (math.log(value) - math.log(low)) / (math.log(high) - math.log(low)))

    step = width / max(1, len(ratios))
    dots = [tag("circle", class_="solved", cx=step * (n + 0.5), cy=y(r), r=1.6) for n, r in enumerate(ratios)]
    one = tag("line", class_="threshold", x1=0, x2=width, y1=y(1.0), y2=y(1.0))
    title = tag("title", f"{len(ratios)} pairs, original time over candidate time; the line is 1.0x")
    return tag(
        "svg", title, one, dots, class_="strip", viewBox=f"0 0 {width} {height}", width=width, height=height, role="img"
    )
