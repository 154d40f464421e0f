"""Functions of rich: see the package's docstring."""

from benchmarks.errors.functions import Case

CASES = [
    Case(
        "rich.segment:Segment.split_lines",
        slow=r"""
@classmethod
def split_lines(cls, segments):
    line = []
    for segment in segments:
        if segment.control or "\n" not in segment.text:
            line = [*line, segment]
            continue
        text, style, _ = segment
        word = ""
        for char in text:
            if char != "\n":
                word = "".join([*word, char])
                continue
            yield [*line, cls(word, style)] if word else line
            line, word = [], ""
        line = [*line, cls(word, style)] if word else line
    if line:
        yield line
""",
        wrong=r"""
@classmethod
def split_lines(cls, segments):
    line = []
    for segment in segments:
        if segment.control or "\n" not in segment.text:
            line.append(segment)
            continue
        *whole, last = segment.text.split("\n")
        for text in whole:
            line.append(cls(text, segment.style))
            yield line
            line = []
        if last:
            line.append(cls(last, segment.style))
    if line:
        yield line
""",
        calls=r"""
from rich.segment import ControlType, Segment
from rich.style import Style
def segments(n, size=6):
    kinds = [(None, None), (Style(bold=True), None), (None, [(ControlType.BELL,)])]
    return [Segment(word(draw.randrange(size), 'ab \n'), *kinds[draw.randrange(3)]) for _ in range(n)]
CALLS = [((segments(n),), {}) for n in range(14)]
BIG = [((segments(20, 1500),), {}) for _ in range(2)]
""",
    ),
]
