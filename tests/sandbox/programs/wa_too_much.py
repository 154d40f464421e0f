# verdict = "WA"
# detail = "expected the end of the output"

print(6, 6)
