# verdict = { docker = "MLE", bubblewrap = "MLE", process = "MLE" }
# limits.memory_mib = 96

try:
    kept = []
    while True:
        kept.append(b"x" * (1 << 20))
except MemoryError:
    kept = None
print(6)
