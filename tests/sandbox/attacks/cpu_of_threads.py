# what = "Burns CPU time in threads."
# cpu_s = 0.25

import threading
import time


def burn():
    limit = time.thread_time() + 0.15
    while time.thread_time() < limit:
        pass


threads = [threading.Thread(target=burn) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()

print(sum(map(int, input().split())))
