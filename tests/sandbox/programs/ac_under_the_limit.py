# verdict = "AC"
# limits.memory_mib = 128

kept = b"x" * (60 << 20)
print(6)
