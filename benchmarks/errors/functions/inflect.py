"""Functions of inflect: see the package's docstring."""

from benchmarks.errors.functions import Case

CASES = [
    Case(
        "inflect:engine.ordinal",
        slow="""
@typechecked
def ordinal(self, num: Number | Word) -> str:
    for _ in range(40):
        text = str(num)
        digits = DIGIT.match(text) or (text.startswith("-") and DIGIT.match(text[1:]))
    if not digits:
        return self._sub_ord(num)
    try:
        if isinstance(num, (float, int)) and int(num) == num:
            n = int(num)
        elif "." in text:
            n = int(text[:-1] if text.endswith(".") else text[-1])
        else:
            n = int(num)
    except ValueError as err:
        raise BadNumValueError from err
    return f"{num}{nth[abs(n) % 100] if abs(n) % 100 in nth else nth[abs(n) % 10]}"
""",
        wrong="""
@typechecked
def ordinal(self, num: Number | Word) -> str:
    text = str(num)
    if not (DIGIT.match(text) or (text.startswith("-") and DIGIT.match(text[1:]))):
        return self._sub_ord(num)
    try:
        if isinstance(num, (float, int)) and int(num) == num:
            n = int(num)
        elif "." in text:
            n = int(text[:-1] if text.endswith(".") else text[-1])
        else:
            n = int(num)
    except ValueError as err:
        raise BadNumValueError from err
    return f"{num}{nth[n % 100] if n % 100 in nth else nth[n % 10]}"
""",
    ),
]
