# what = "A daemon whose first thread has ended looks like a zombie, and lives on in another thread."

import ctypes
import os
import threading
import time

if os.fork() == 0:
    os.setsid()
    threading.Thread(target=time.sleep, args=(60,)).start()
    ctypes.CDLL(None).syscall(60 if os.uname().machine == "x86_64" else 93, 0)
time.sleep(0.2)

print(sum(map(int, input().split())))
