# verdict = "WA"

print(6.0)
