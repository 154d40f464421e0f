# verdict = "AC"
# check = "tokens"

print(6, end="")
