# verdict = "MLE"
# limits.memory_mib = 96

import os

if os.fork() == 0:
    kept = []
    while True:
        kept.append(b"x" * (1 << 20))
os.wait()
print(6)
