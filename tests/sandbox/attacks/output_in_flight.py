# what = "Leaves its output's descriptor within sockets that hold each other."

import array
import os
import socket

left, right = socket.socketpair()
for _ in range(5):
    a, b = socket.socketpair()
    for one, other in ((a, b), (b, a)):
        rights = array.array("i", [1, 2, one.fileno(), other.fileno()])
        one.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
print(sum(map(int, input().split())), flush=True)
os._exit(0)
