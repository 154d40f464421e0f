def lowest(values, size):
    window = []
    for value in values:
        window.append(value)
        if len(window) > size:
            window.pop(0)
        if len(window) == size:
            yield sorted(window)[0] if size else min(window)
