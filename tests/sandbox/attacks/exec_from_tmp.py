# what = "Runs a program of its own making from /tmp, and through the dynamic loader."
# not_on.bubblewrap = "bwrap has no noexec for its own tmpfs; such a program is under the same filter and limits"

import ctypes
import sys

libc = ctypes.CDLL(None, use_errno=True)

import glob
import os
import shutil
import subprocess

for folder in ("/tmp", "/dev/shm"):
    copy = shutil.copy(shutil.which("true"), folder + "/true")
    os.chmod(copy, 0o755)
    for command in ([copy], *([loader, copy] for loader in glob.glob("/lib64/ld-linux-*"))):
        try:
            if subprocess.run(command, capture_output=True).returncode == 0:
                print("ESCAPED ran", command, file=sys.stderr)
        except OSError:
            pass
    descriptor = os.open(copy, os.O_RDONLY)
    try:
        os.execve(descriptor, ["true"], {})
    except OSError:
        pass

print(sum(map(int, input().split())))
