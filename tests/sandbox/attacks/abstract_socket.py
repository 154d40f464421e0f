# what = "Keeps an abstract socket open in a daemon and calls it in the next run."
# twice = true

import os
import socket
import sys
import time

server = socket.socket(socket.AF_UNIX)
try:
    server.bind("\0codeopt_attack")
    server.listen()
except OSError as error:
    print("ESCAPED", error, file=sys.stderr)
if os.fork() == 0:
    os.setsid()
    for descriptor in range(3):
        os.close(descriptor)
    time.sleep(60)
    os._exit(0)

print(sum(map(int, input().split())))
