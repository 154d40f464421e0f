# verdict = "AC"
# check = "exact"

print(6)
