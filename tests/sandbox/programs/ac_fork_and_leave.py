# verdict = "AC"
# limits.seconds = 20

import os
import time

print(6, flush=True)
if os.fork() == 0:
    time.sleep(60)
