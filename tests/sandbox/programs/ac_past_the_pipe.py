# verdict = "AC"
# expected = "6"
# stdout = 3000001
# limits.output_mib = 4

print(" " * 3_000_000 + "6", end="")
