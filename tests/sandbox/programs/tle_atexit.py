# verdict = "TLE"
# stop = "time"
# limits.seconds = 0.3

import atexit
import time

print(6, flush=True)
atexit.register(time.sleep, 1000)
