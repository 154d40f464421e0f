def is_quiet(year):
    if year < 2:
        return False
    kind = 2
    while kind * kind <= year:
        if year % kind == 0:
            return False
        kind += 1
    return True


visitors = int(input())
for _ in range(visitors):
    first, last = map(int, input().split())

    quiet = 0
    for year in range(first, last + 1):
        if is_quiet(year):
            quiet += 1
    print(quiet)
