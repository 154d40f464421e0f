# verdict = "AC"

import os

if os.fork() == 0:
    print(6, flush=True)
    os._exit(3)
os.wait()
