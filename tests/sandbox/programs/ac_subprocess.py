# verdict = "AC"

import subprocess
import sys

print(subprocess.run([sys.executable, "-c", "print(6)"], capture_output=True, text=True, check=True).stdout)
