# what = "Counts failed connections up, which need no interface, for the next run to read."
# twice = true

import contextlib
import socket
import sys


def failed():
    rows = [line.split() for line in open("/proc/net/snmp") if line.startswith("Ip:")]
    return int(dict(zip(*rows, strict=True))["OutNoRoutes"])


if failed():
    print("ESCAPED an earlier run's attempts are still counted", file=sys.stderr)
tried = socket.socket()
for _ in range(50):
    with contextlib.suppress(OSError):
        tried.connect(("192.0.2.1", 80))

print(sum(map(int, input().split())))
