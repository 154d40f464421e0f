# verdict = "RE"
# exit = 1
# detail = "EOFError"

print(6)
input()
input()
