# what = "Leaves shared memory, semaphores and a queue of System V behind."
# twice = true

import ctypes
import sys

libc = ctypes.CDLL(None, use_errno=True)

for name, arguments in (("shmget", (77, 4096, 0o1666)), ("semget", (77, 1, 0o1666)), ("msgget", (77, 0o1666))):
    if getattr(libc, name)(*arguments) != -1:
        print("ESCAPED", name, file=sys.stderr)

print(sum(map(int, input().split())))
