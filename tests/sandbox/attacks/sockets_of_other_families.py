# what = "Opens sockets that reach the kernel or the hypervisor."

import socket
import sys

for family in set(range(64)) - {1, 2, 10}:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        for protocol in (0, 3, 9, 15, 16):
            try:
                socket.socket(family, kind, protocol).close()
                if (family, protocol) != (16, 0):
                    print("ESCAPED", family, kind, protocol, file=sys.stderr)
            except OSError:
                pass
for family in (2, 10):
    try:
        socket.socket(family, socket.SOCK_RAW, 1)
        print("ESCAPED raw", family, file=sys.stderr)
    except OSError:
        pass

print(sum(map(int, input().split())))
