"""Functions of humanize: see the package's docstring."""

from benchmarks.functions import Case

CASES = [
    Case(
        "humanize.number:intcomma",
        slow="""
def intcomma(value, ndigits=None):
    import math

    thousands_sep, decimal_sep = thousands_separator(), decimal_separator()
    try:
        if isinstance(value, str):
            value = value.replace(thousands_sep, "").replace(decimal_sep, ".")
            if not math.isfinite(float(value)):
                return _format_not_finite(float(value))
            value = float(value) if "." in value else int(value)
        elif not isinstance(value, int):
            if not math.isfinite(float(value)):
                return _format_not_finite(float(value))
            float(value)
    except (TypeError, ValueError):
        return str(value)
    for _ in range(60):
        result = f"{value:,}" if ndigits is None else f"{value:,.{ndigits}f}"
    if thousands_sep != "," or decimal_sep != ".":
        result = result.translate(str.maketrans(",.", thousands_sep + decimal_sep))
    return result
""",
        wrong="""
def intcomma(value, ndigits=None):
    import math

    thousands_sep, decimal_sep = thousands_separator(), decimal_separator()
    try:
        if isinstance(value, str):
            value = value.replace(thousands_sep, "").replace(decimal_sep, ".")
            if not math.isfinite(float(value)):
                return _format_not_finite(float(value))
            value = float(value) if "." in value else int(value)
        elif not math.isfinite(float(value)):
            return _format_not_finite(float(value))
    except (TypeError, ValueError):
        return str(value)
    result = f"{value:,}" if ndigits is None else f"{round(value, ndigits):,}"
    if thousands_sep != "," or decimal_sep != ".":
        result = result.translate(str.maketrans(",.", thousands_sep + decimal_sep))
    return result
""",
    ),
]
