# verdict = "RE"
# exit = 1
# detail = "SyntaxError"

print(6
