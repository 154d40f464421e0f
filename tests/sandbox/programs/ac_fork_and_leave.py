# verdict = "AC"
# limits.seconds = 10

import os
import time

print(6, flush=True)
if os.fork() == 0:
    time.sleep(60)
