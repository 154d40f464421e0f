# verdict = "TLE"
# stop = "time"
# limits.seconds = 0.3

import threading
import time

print(6, flush=True)
threading.Thread(target=time.sleep, args=(1000,)).start()
