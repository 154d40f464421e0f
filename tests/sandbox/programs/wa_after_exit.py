# verdict = "WA"
# limits.seconds = 20

import os
import time

if os.fork() == 0:
    time.sleep(30)
    print(6, flush=True)
