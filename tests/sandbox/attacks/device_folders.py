# what = "Leaves files in every folder of /dev and in its own, and looks for them."
# twice = true
# own_user = true

import os
import sys

folders = {"/box", os.path.dirname(os.path.abspath(__file__)), "/run", "/proc", "/sys", "/"}
folders |= {root for root, _, _ in os.walk("/dev")}
for folder in sorted(folders):
    path = os.path.join(folder, "codeopt_attack_state")
    if os.path.lexists(path):
        print("ESCAPED found", path, file=sys.stderr)
    try:
        open(path, "w").close()
        if folder != "/dev/shm":
            print("ESCAPED wrote", path, file=sys.stderr)
    except OSError:
        pass

print(sum(map(int, input().split())))
