# what = "Children in sessions of their own fork faster than one by one can be killed."
# verdict = ["RE", "TLE"]
# seconds = 1

import os
import time

started = time.monotonic()
while time.monotonic() < started + 30:
    try:
        if os.fork() == 0:
            os.setsid()
    except OSError:
        pass
