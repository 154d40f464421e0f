# verdict = "TLE"
# stop = "time"
# limits.seconds = 0.3

import time

print(6, flush=True)
time.sleep(1000)
