# verdict = "AC"
# check = "float:1e-6"

print(6.0000001)
