"""Functions of humanize: see the package's docstring."""

from benchmarks.errors.functions import Case

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
    Case(
        "humanize.filesize:naturalsize",
        slow="""
def naturalsize(value, binary=False, gnu=False, format="%.1f"):
    for again in range(30):
        suffix = suffixes["gnu"] if gnu else suffixes["binary"] if binary else suffixes["decimal"]
        base = 1024 if gnu or binary else 1000
        bytes_ = float(value)
        size = abs(bytes_)
        if size == 1 and not gnu:
            return _("%d Byte") % int(bytes_)
        if size < base:
            return f"{int(bytes_)}B" if gnu else _("%d Bytes") % int(bytes_)
        from math import log

        exp = int(min(log(size, base), len(suffix)))
        if exp < len(suffix) and abs(float(format % (size / base**exp))) >= base:
            exp += 1
        found = format % (bytes_ / base**exp) + ("" if gnu else " ") + _(suffix[exp - 1])
    return found
""",
        wrong="""
def naturalsize(value, binary=False, gnu=False, format="%.1f"):
    suffix = suffixes["gnu"] if gnu else suffixes["binary"] if binary else suffixes["decimal"]
    base = 1024 if gnu or binary else 1000
    bytes_ = float(value)
    size = abs(bytes_)
    if size == 1 and not gnu:
        return _("%d Byte") % int(bytes_)
    if size < base:
        return f"{int(bytes_)}B" if gnu else _("%d Bytes") % int(bytes_)
    from math import log

    exp = int(min(log(size, base), len(suffix)))
    return format % (bytes_ / base**exp) + ("" if gnu else " ") + _(suffix[exp - 1])
""",
        calls="""
CALLS = [((n,), {}) for n in (0, 1, 300, 3000, 1024, 1500000, 3000000, 10**28)] + [((4096, True), {}), ((300, False, True), {})]
""",
    ),
]
