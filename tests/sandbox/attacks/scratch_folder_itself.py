# what = "Keeps state in the times, modes and attributes of /tmp and /dev/shm themselves."
# own_user = true

import os
import sys

for folder in ("/tmp", "/dev/shm"):
    for action in (
        lambda: os.utime(folder, (7, 7)),
        lambda: os.chmod(folder, 0o700),
        lambda: os.setxattr(folder, "user.state", b"7"),
        lambda: os.rename(folder, folder + "2"),
        lambda: os.rmdir(folder),
    ):
        try:
            action()
            print("ESCAPED", folder, file=sys.stderr)
        except OSError:
            pass

print(sum(map(int, input().split())))
