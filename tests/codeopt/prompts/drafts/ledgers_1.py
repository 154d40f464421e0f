def parse(text, strict=True):
    balances = {}
    left_out = []
    seen = set()
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
        value = amount(figure, currency)
        if value < 0:
            raise LineError(number, "a negative amount")
        if (account, currency) not in seen:
            seen.add((account, currency))
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
                seen.add((other, currency))
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
