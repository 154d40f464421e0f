# what = "Leaves named shared memory and a named semaphore behind and looks for them."
# twice = true

import ctypes
import sys

libc = ctypes.CDLL(None, use_errno=True)

try:
    for name in (b"/codeopt_attack_shm",):
        if libc.shm_open(name, 0, 0) != -1:
            print("ESCAPED found", name, file=sys.stderr)
        libc.shm_open(name, 0o102, 0o600)
    libc.sem_open.restype = ctypes.c_void_p
    if libc.sem_open(b"/codeopt_attack_sem", 0):
        print("ESCAPED found a semaphore", file=sys.stderr)
    libc.sem_open(b"/codeopt_attack_sem", 0o100, 0o600, 1)
except AttributeError:
    pass

print(sum(map(int, input().split())))
