# what = "Raises its own limits and those of others."

import os
import resource
import sys

for name in dir(resource):
    if name.startswith("RLIMIT_"):
        number = getattr(resource, name)
        _, hard = resource.getrlimit(number)
        for pid in (0, os.getppid(), 1):
            if hard == resource.RLIM_INFINITY and pid == 0:
                continue
            try:
                resource.prlimit(pid, number, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
                print("ESCAPED", name, pid, file=sys.stderr)
            except (OSError, ValueError):
                pass
for action in (lambda: os.nice(-5), lambda: os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)):
    try:
        action()
        print("ESCAPED priority", file=sys.stderr)
    except OSError:
        pass

print(sum(map(int, input().split())))
