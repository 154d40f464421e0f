# what = "Hides CPU time in a daemon that the run does not wait for."
# cpu_s = 0.25

import os
import time


def burn(seconds):
    limit = time.process_time() + seconds
    while time.process_time() < limit:
        pass


reader, writer = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.close(reader)
        burn(0.3)
        os.write(writer, b"x")
        time.sleep(60)
    os._exit(0)
os.close(writer)
os.read(reader, 1)

print(sum(map(int, input().split())))
