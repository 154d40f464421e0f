# verdict = "AC"

try:
    1 / 0
except ZeroDivisionError:
    print(6)
