# verdict = "WA"
# check = "exact"

print("6 ")
