# verdict = "MLE"
# limits = { memory_mib = 96, seconds = 20 }

import os
import time

for _ in range(8):
    if os.fork() == 0:
        kept = b"x" * (30 << 20)
        time.sleep(60)
time.sleep(60)
