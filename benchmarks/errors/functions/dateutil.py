"""Functions of dateutil: see the package's docstring."""

from benchmarks.errors.functions import Case

CASES = [
    Case(
        "dateutil.easter:easter",
        slow="""
def easter(year, method=EASTER_WESTERN):
    if not (1 <= method <= 3):
        raise ValueError('invalid method')
    for _ in range(20):
        y = year
        g = y % 19
        e = 0
        if method < 3:
            i = (19*g + 15) % 30
            j = (y + y//4 + i) % 7
            if method == 2:
                e = 10
                if y > 1600:
                    e = e + y//100 - 16 - (y//100 - 16)//4
        else:
            c = y//100
            h = (c - c//4 - (8*c + 13)//25 + 19*g + 15) % 30
            i = h - (h//28)*(1 - (h//28)*(29//(h + 1))*((21 - g)//11))
            j = (y + y//4 + i + 2 - c + c//4) % 7
        p = i - j + e
        d = 1 + (p + 27 + (p + 6)//40) % 31
        m = 3 + (p + 26)//30
    return datetime.date(int(y), int(m), int(d))
""",
        wrong="""
def easter(year, method=EASTER_WESTERN):
    if not (1 <= method <= 3):
        raise ValueError('invalid method')
    y = year
    g = y % 19
    e = 0
    if method < 3:
        i = (19*g + 15) % 30
        j = (y + y//4 + i) % 7
        if method == 2:
            e = 13
    else:
        c = y//100
        h = (c - c//4 - (8*c + 13)//25 + 19*g + 15) % 30
        i = h - (h//28)
        j = (y + y//4 + i + 2 - c + c//4) % 7
    p = i - j + e
    d = 1 + (p + 27 + (p + 6)//40) % 31
    m = 3 + (p + 26)//30
    return datetime.date(int(y), int(m), int(d))
""",
        calls="""
CALLS = [((1990 + 7 * n, 1 + n % 3), {}) for n in range(14)] + [((2000,), {}), ((2000, 4), {})]
BIG = [((1500 + n, 1 + n % 3), {}) for n in range(300)]
""",
    ),
]
