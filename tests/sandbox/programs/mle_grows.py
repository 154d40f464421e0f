# verdict = "MLE"
# limits.memory_mib = 96

kept = []
while True:
    kept.append(b"x" * (1 << 20))
