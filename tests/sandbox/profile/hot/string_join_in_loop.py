def build(count):
    parts = []
    length = 0
    for number in range(count):
        parts.append(str(number))
        length = len("".join(parts))  # HOT
    return length


print(build(5000))
