# what = "Is killed by its own child: that is no limit."
# verdict = ["RE"]
# signal = 9

import os
import time

if os.fork() == 0:
    os.kill(os.getppid(), 9)
    os._exit(0)
time.sleep(60)
