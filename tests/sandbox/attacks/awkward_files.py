# what = "Leaves deep nesting, folders without permissions and odd names in /tmp and /dev/shm."

import os

for top in ("/tmp", "/dev/shm"):
    os.chdir(top)
    for name in (b"-rf", b" ", b"\n", b"\xff\xfe", b"*", b"a" * 255, b"\x1b[2J", b"..."):
        open(name, "w").close()
    os.mkfifo("fifo")
    os.makedirs("closed/inner")
    open("closed/inner/file", "w").close()
    os.chmod("closed/inner", 0)
    os.chmod("closed", 0)
    for _ in range(400):
        os.mkdir("d")
        os.chdir("d")

print(sum(map(int, input().split())))
