# what = "Allocates in a process whose first thread has ended."
# verdict = ["MLE"]

import ctypes
import os
import threading
import time


def grow():
    time.sleep(0.1)
    kept = []
    while True:
        kept.append(b"x" * (1 << 20))


if os.fork() == 0:
    threading.Thread(target=grow).start()
    ctypes.CDLL(None).syscall(60 if os.uname().machine == "x86_64" else 93, 0)
time.sleep(60)
