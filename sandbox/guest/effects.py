"""What a call reaches for outside of its process, heard by an audit hook. Part of the harness program (caller.py)."""

import os
import sys
from io import StringIO

_SIDE_EFFECTS = {
    "socket.connect": "uses the network", "socket.bind": "uses the network", "socket.sendto": "uses the network",
    "socket.getaddrinfo": "uses the network", "subprocess.Popen": "starts a process", "os.system": "starts a process",
    "os.exec": "starts a process", "os.fork": "starts a process", "os.forkpty": "starts a process",
    "os.posix_spawn": "starts a process", "os.remove": "changes files", "os.rename": "changes files",
    "os.mkdir": "changes files", "os.rmdir": "changes files", "os.chmod": "changes files", "os.link": "changes files",
    "os.symlink": "changes files", "os.truncate": "changes files", "shutil.rmtree": "changes files",
    "os.putenv": "changes the environment", "os.unsetenv": "changes the environment", "os.chdir": "changes the folder",
    "os.kill": "sends signals", "signal.pthread_kill": "sends signals", "sqlite3.connect": "opens a database",
    "ctypes.dlopen": "loads a library", "winreg.SetValue": "changes files",
}  # fmt: skip
os_open, os_unlink, os_dup2, os_fstat = os.open, os.unlink, os.dup2, os.fstat
os_pread, os_ftruncate, os_lseek = os.pread, os.ftruncate, os.lseek
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Effects:
    """Hears while it is armed; `found` has what it heard, in words."""

    def __init__(self):
        self.found = set()
        self.armed = False
        sys.addaudithook(self.hear)

    def arm(self):
        """Listen from here on, to a new call."""
        self.found.clear()
        self.armed = True

    def hear(self, event, arguments):
        """The audit hook."""
        if not self.armed:
            return
        if event in _SIDE_EFFECTS:
            self.found.add(_SIDE_EFFECTS[event])
        elif event == "open" and type(arguments[2]) is int and arguments[2] & _WRITES and arguments[0] != "/dev/null":
            self.found.add("changes files")


class Printed:
    """What a call prints: by sys.stdout, and past it, on the descriptor below."""

    def __init__(self):
        path = f"/tmp/.printed-{os.getpid()}"  # memfd_create is among what no run may call
        self.file = os_open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        os_unlink(path)
        os_dup2(self.file, 1)

    def start(self):
        """Listen to a new call."""
        self.outer, sys.stdout = sys.stdout, StringIO()

    def stop(self):
        """What was printed since; text of sys.stdout first."""
        text, sys.stdout = getattr(sys.stdout, "getvalue", str)(), self.outer
        size = os_fstat(self.file).st_size
        if not size:
            return text
        data = os_pread(self.file, min(size, 1 << 20), 0)
        os_ftruncate(self.file, 0)
        os_lseek(self.file, 0, os.SEEK_SET)
        return text + data.decode("utf-8", "backslashreplace")
