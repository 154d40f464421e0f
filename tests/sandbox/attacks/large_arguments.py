# what = "Starts itself with as many arguments as the kernel takes, again and again."

import subprocess
import sys

command = [sys.executable, "-S", "-c", "import sys; print(len(sys.argv))"]
for _ in range(5):
    done = subprocess.run([*command, *(["x" * 1000] * 1000)], capture_output=True, text=True, check=True)
    assert done.stdout == "1001\n"

print(sum(map(int, input().split())))
