"""Bookkeeping lines: the target is a function of 60 lines that raises exceptions."""

from __future__ import annotations

from decimal import Decimal

CURRENCIES = {"EUR": 2, "JPY": 0, "BHD": 3}
KINDS = ("in", "out", "move")


class LineError(ValueError):
    """A line that cannot be read, with its number."""

    def __init__(self, number, reason):
        super().__init__(f"line {number}: {reason}")
        self.number = number


def amount(text, currency):
    """A number with as many places as the currency has."""
    value = Decimal(text)
    return value.quantize(Decimal(1).scaleb(-CURRENCIES[currency]))


def parse(text, strict=True):
    """Balances by account, and the lines that were left out.

    A line is `kind account amount currency [to account]`; a `#` begins a comment.

    >>> parse("in cash 3 EUR")
    ({('cash', 'EUR'): Decimal('3.00')}, [])
    """
    balances = {}
    left_out = []
    seen = []
    for number, line in enumerate(text.split("\n"), 1):
        if "#" in line:
            line = line[: line.index("#")]
        line = line.strip()
        if not line:
            continue
        parts = line.split(" ")
        parts = [part for part in parts if part != ""]
        if parts[0] not in KINDS:
            if strict:
                raise LineError(number, f"unknown kind {parts[0]!r}")
            left_out.append(number)
            continue
        if len(parts) < 4:
            if strict:
                raise LineError(number, "too short")
            left_out.append(number)
            continue
        kind, account, figure, currency = parts[:4]
        if currency not in CURRENCIES.keys():
            raise LineError(number, f"unknown currency {currency!r}")
        value = amount(figure, currency)
        if value < 0:
            raise LineError(number, "a negative amount")
        if (account, currency) not in seen:
            seen.append((account, currency))
            balances[(account, currency)] = Decimal(0)
        if kind == "in":
            balances[(account, currency)] = balances[(account, currency)] + value
        elif kind == "out":
            balances[(account, currency)] = balances[(account, currency)] - value
        else:
            if len(parts) != 6 or parts[4] != "to":
                if strict:
                    raise LineError(number, "a move needs `to account`")
                left_out.append(number)
                continue
            other = parts[5]
            if (other, currency) not in seen:
                seen.append((other, currency))
                balances[(other, currency)] = Decimal(0)
            balances[(account, currency)] = balances[(account, currency)] - value
            balances[(other, currency)] = balances[(other, currency)] + value
    for account, currency in seen:
        places = CURRENCIES[currency]
        balance = balances[(account, currency)]
        if balance == 0:
            del balances[(account, currency)]
        else:
            balances[(account, currency)] = balance.quantize(Decimal(1).scaleb(-places))
    return balances, left_out
