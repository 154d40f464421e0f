import functools


def counted(function):
    calls = 0

    @functools.wraps(function)
    def wrapper(*arguments):
        nonlocal calls
        calls += 1
        return function(*arguments)

    return wrapper


@counted
def norm(vector):
    return sum(map(pow, vector, [2] * len(vector)))  # HOT


def main():
    vector = list(range(300))
    total = 0
    for _ in range(6000):
        total += norm(vector)
    print(total)


main()
