# what = "Turns the clock, patches the time module and ends behind its back."
# wall_s = 0.3

import os
import sys
import time

for clock in range(12):
    try:
        time.clock_settime(clock, 1)
        print("ESCAPED", clock, file=sys.stderr)
    except OSError:
        pass
time.sleep(0.3)
for name in ("monotonic", "perf_counter", "time", "process_time", "monotonic_ns"):
    setattr(time, name, lambda: 0)
print(sum(map(int, input().split())), flush=True)
os._exit(0)
