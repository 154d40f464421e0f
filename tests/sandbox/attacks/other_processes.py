# what = "Reads memory, environment and descriptors of the supervisor and the warm interpreter."

import os
import sys

seen = 0
for pid in filter(str.isdigit, os.listdir("/proc")):
    if int(pid) == os.getpid():
        continue
    seen += 1
    for name in ("mem", "environ", "maps", "smaps", "auxv", "syscall", "stack", "pagemap", "io", "exe", "fd", "ns"):
        path = f"/proc/{pid}/{name}"
        try:
            if name == "exe":
                os.readlink(path)
            elif name in ("fd", "ns"):
                [os.readlink(f"{path}/{entry}") for entry in os.listdir(path)]
            else:
                open(path, "rb").read(64)
            print("ESCAPED", path, file=sys.stderr)
        except OSError:
            pass
if seen < 2:
    print("ESCAPED nothing was tried", file=sys.stderr)

print(sum(map(int, input().split())))
