# what = "Looks for what tells of an earlier run: the group's counters, and times of the folders that runs write to."
# twice = true

import os
import sys

for folder, _, names in os.walk("/sys"):
    for name in names:
        if name.startswith(("memory.", "cpuacct.", "cpu.", "pids.", "io.", "blkio.")):
            try:
                open(os.path.join(folder, name)).read()
                print("ESCAPED", folder, name, file=sys.stderr)
            except OSError:
                pass
placed = os.stat(__file__)
for folder in ("/tmp", "/dev/shm", os.path.dirname(__file__)):
    status = os.stat(folder)
    if status.st_mtime or status.st_atime or status.st_ctime_ns < placed.st_mtime_ns:
        print("ESCAPED times of", folder, status, file=sys.stderr)
for folder in ("/tmp", "/dev/shm"):
    os.listdir(folder)
    with open(folder + "/left", "w") as file:
        file.write("here I was")

print(sum(map(int, input().split())))
