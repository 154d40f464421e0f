# verdict = "RE"
# exit = 1
# detail = "RecursionError"

print(6)


def f():
    return f()


f()
