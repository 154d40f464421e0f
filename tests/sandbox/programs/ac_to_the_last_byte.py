# verdict = "AC"
# limits.output_mib = 1
# stdout = 1048576

print(" " * ((1 << 20) - 1) + "6", end="")
