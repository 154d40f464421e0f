def lines(count, accounts=5):
    kinds = ("in", "out", "move")
    rows = []
    for n in range(count):
        row = f"{kinds[n % 3]} a{n * 7 % accounts} {n % 13}.5 {('EUR', 'JPY', 'BHD')[n % 2]}"
        rows.append(row + (f" to a{n % accounts}" if n % 3 == 2 else "") + ("  # note" if n % 5 == 0 else ""))
    return "\n".join(rows)


CALLS = [((lines(count),), {}) for count in range(8)]
CALLS += [
    ((text,), {}) for text in ("", "pay a 1 EUR", "in a 1", "in a 1 XXX", "in a -1 EUR", "move a 1 EUR b", "in a x EUR")
]
CALLS += [(("pay a 1 EUR\nin b 2 JPY",), {"strict": False}), (("move a 1 EUR by b\nin c 2 BHD", False), {})]
BIG = [((lines(500, 150),), {}), ((lines(450, 200), False), {})]
