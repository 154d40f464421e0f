# verdict = "WA"
# detail = "token 1: expected '6', got '7'"

print(7)
