# verdict = "TLE"
# stop = "time"
# limits.seconds = 0.3

import os
import time

os.close(1)
os.close(2)
time.sleep(1000)
