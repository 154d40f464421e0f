# verdict = "AC"

print(6)
