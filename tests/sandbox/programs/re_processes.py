# verdict = "RE"
# limits = { seconds = 20, processes = 20 }

import os
import time

for _ in range(100):
    if os.fork() == 0:
        time.sleep(60)
time.sleep(60)
