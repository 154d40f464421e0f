import re


def matches(lines):
    count = 0
    for line in lines:
        if re.search(r"(a+)+b$", line):  # HOT
            count += 1
    return count


print(matches(["a" * 17] * 12))
