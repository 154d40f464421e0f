# what = "Writes state into the kernel's table of TCP connections and reads it in the next run."
# twice = true

import socket
import sys

PORT = 4444
if f":{PORT:04X}" in open("/proc/net/tcp").read():
    print("ESCAPED an earlier run's connection is still listed", file=sys.stderr)
try:
    server = socket.socket()
    server.bind(("127.0.0.1", PORT))
    server.listen()
    client = socket.create_connection(("127.0.0.1", PORT))
    accepted, _ = server.accept()
    client.close()
    accepted.close()
except OSError as error:
    print(error, file=sys.stderr)

print(sum(map(int, input().split())))
