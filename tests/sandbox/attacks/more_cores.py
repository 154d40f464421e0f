# what = "Takes more than the one core that it has."

import os
import sys

for cores in ({0, 1}, range(os.cpu_count() or 1), {0}, {1}):
    for pid in (0, os.getppid()):
        try:
            os.sched_setaffinity(pid, cores)
            print("ESCAPED", cores, file=sys.stderr)
        except OSError:
            pass
if len(os.sched_getaffinity(0)) != 1:
    print("ESCAPED", os.sched_getaffinity(0), file=sys.stderr)

print(sum(map(int, input().split())))
