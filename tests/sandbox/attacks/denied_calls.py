# what = "Makes the system calls that a program which computes never needs."
# machine = "x86_64"

import ctypes
import sys

libc = ctypes.CDLL(None, use_errno=True)

import errno

CALLS = {
    "ptrace": 101, "syslog": 103, "personality": 135, "modify_ldt": 154, "pivot_root": 155, "adjtimex": 159,
    "chroot": 161, "acct": 163, "settimeofday": 164, "mount": 165, "umount2": 166, "swapon": 167, "reboot": 169,
    "sethostname": 170, "iopl": 172, "ioperm": 173, "init_module": 175, "quotactl": 179, "sched_setaffinity": 203,
    "io_setup": 206, "clock_settime": 227, "mq_open": 240, "kexec_load": 246, "add_key": 248, "request_key": 249,
    "keyctl": 250, "unshare": 272, "perf_event_open": 298, "fanotify_init": 300, "name_to_handle_at": 303,
    "open_by_handle_at": 304, "clock_adjtime": 305, "setns": 308, "process_vm_readv": 310, "process_vm_writev": 311,
    "kcmp": 312, "finit_module": 313, "memfd_create": 319, "bpf": 321, "execveat": 322, "userfaultfd": 323,
    "io_uring_setup": 425, "io_uring_enter": 426, "open_tree": 428, "move_mount": 429, "fsopen": 430, "clone3": 435,
    "pidfd_getfd": 438, "process_madvise": 440, "mount_setattr": 442, "memfd_secret": 447, "shmget": 29, "semget": 64,
    "msgget": 68,
}  # fmt: skip
for name, number in CALLS.items():
    ctypes.set_errno(0)
    if libc.syscall(number, 0, 0, 0, 0, 0, 0) != -1 or ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS):
        print("ESCAPED", name, errno.errorcode.get(ctypes.get_errno()), file=sys.stderr)
for flag in (0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000, 0x8000):
    if libc.syscall(56, flag | 17, 0, 0, 0, 0) != -1:
        print("ESCAPED clone", hex(flag), file=sys.stderr)

print(sum(map(int, input().split())))
