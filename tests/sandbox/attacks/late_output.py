# what = "A child holds the pipe and prints another answer once the program has ended."
# verdict = ["AC", "WA"]

import os
import time

print(sum(map(int, input().split())), flush=True)
if os.fork() == 0:
    os.setsid()
    parent = os.getppid()
    while os.getppid() == parent:
        pass
    while True:
        os.write(1, b"7 ")
        time.sleep(0.001)
