"""Directs the passes of the harness program (caller.py), times them and writes down what they did; its last part."""

import os
import sys
import time
import types

START_SECONDS = 60.0
LATER = "takes longer than %g s"
NEVER = "is not made: the calls before it hang or take all the time"


class Warden:
    """Directs the passes and writes down what they did."""

    def __init__(self, channel, keeper_pid):
        self.channel, self.keeper_pid = channel, keeper_pid
        self.buffer = b""
        self.cpu, self.wall, self.delay, self.outcomes, self.cover = [], [], [], [], "null"
        self.import_cpu = 0.0
        self.state = "state: not known"
        self.took = []
        self.lost = 0

    def run(self, header, calls):
        self.header = header
        letter, text = self.wait(START_SECONDS)
        if letter != b"I":
            fail("the module cannot be imported: " + text if letter == b"X" else "the process ended during the import")
        self.import_cpu = time.clock_gettime(cpu_clock(self.keeper_pid))
        if header["mode"] == "time":
            for _ in range(header["passes"]):
                self.timed_pass(calls)
        else:
            self.checked(calls)

    def start(self, calls):
        """A new caller with its calls; returns its process number."""
        self.channel.send(b"P")
        letter, text = self.wait(START_SECONDS)
        if letter != b"P":
            fail("the module ended its process after it was imported")
        self.channel.send(b"C", "\n".join(["# " + repr(self.header), *calls]))
        return int(text)

    def checked(self, calls):
        """Each call by itself; after one that hangs or ends the process a new caller goes on with the next."""
        listing = self.header["mode"] == "list"
        while True:
            how = self.listen(self.start(calls if listing else calls[len(self.outcomes) :]), len(calls))
            if not how:
                break
            if listing:
                fail("the calls file " + how)
            del self.took[len(self.outcomes) :]
            self.took.append(self.header["seconds"])
            self.outcomes.append(how)
            self.lost += 1
            if self.lost > self.header["lost"] or len(self.outcomes) >= len(calls) or self.spent():
                break
        left = 0 if listing else len(calls) - len(self.outcomes)
        self.outcomes += [NEVER] * left
        self.took += [0.0] * left

    def spent(self):
        """Whether all calls together have taken what they may."""
        return sum(self.took) > self.header["budget"]

    def listen(self, pid, count):
        """Write down what a caller does; returns how it hung or ended, empty when all is made or enough time is
        spent."""
        seconds, letter = self.header["seconds"], b""
        while True:
            # A quick call is made again before its outcome is shown: see checking.py.
            letter, text = self.wait((min(seconds, 1.0) if letter == b"T" else seconds) + 0.3)
            if letter == b"T":
                self.took.append(float(text))
            elif letter == b"O":
                self.outcomes.append(text)
                if self.spent() and len(self.outcomes) < count:
                    self.kill(pid)
                    return ""
            elif letter == b"V":
                self.cover = text
            elif letter == b"S":
                self.state = text
            elif letter == b"F":
                self.wait(START_SECONDS)
                return ""
            elif letter:
                return "ends the process" + end(int(text))
            else:
                self.kill(pid)
                return LATER % seconds

    def kill(self, pid):
        """End a caller; what it still said is dropped."""
        os_kill(pid, 9)
        while self.wait(START_SECONDS)[0] not in (b"E", b""):
            pass

    def timed_pass(self, calls):
        """All calls between two readings of the caller's clock."""
        pid = self.start(calls)
        clock = cpu_clock(pid)
        self.expect(b"R", pid, START_SECONDS)
        cpu, wall, delay = time.clock_gettime(clock), time.monotonic(), waited(pid)
        self.channel.send(b"G")
        self.expect(b"D", pid, self.header["pass_seconds"])
        wall_end = time.monotonic()
        self.cpu.append(time.clock_gettime(clock) - cpu)
        self.wall.append(wall_end - wall)
        self.delay.append(waited(pid) - delay)
        self.channel.send(b"A")
        found = []
        while (message := self.wait(START_SECONDS))[0] == b"O":
            found.append(message[1])
        if message[0] != b"F":
            fail("the process ended while its results were read")
        self.wait(START_SECONDS)
        if not self.outcomes:
            self.outcomes = found
        elif found != self.outcomes:
            at = next(at for at in range(len(found)) if found[at] != self.outcomes[at])
            self.outcomes[at] += " | and in another run: " + found[at]

    def expect(self, wanted, pid, seconds):
        letter, text = self.wait(seconds)
        if not letter:
            fail(f"the timed calls take longer than {seconds:g} s")
        if letter != wanted:
            fail("a timed call ends the process" + (end(int(text)) if letter == b"E" else ""))

    def wait(self, seconds):
        """The next message, or (b"", "") after that long."""
        import select

        limit = time.monotonic() + seconds
        while True:
            if len(self.buffer) >= 5:
                size = int.from_bytes(self.buffer[:4], "big") + 5
                if len(self.buffer) >= size:
                    message, self.buffer = self.buffer[:size], self.buffer[size:]
                    return message[4:5], message[5:].decode("utf-8", "surrogatepass")
            left = limit - time.monotonic()
            if left <= 0 or not select.select([self.channel.reader], [], [], left)[0]:
                return b"", ""
            part = os.read(self.channel.reader, 1 << 20)
            if not part:
                return b"", ""
            self.buffer += part

    def answer(self):
        """Everything, in one write."""
        parts = (self.cpu, self.wall, self.delay, self.took, self.import_cpu, self.cover)
        meta = '{"cpu": %r, "wall": %r, "delay": %r, "took": %r, "import": %r, "cover": %s}' % parts  # noqa: UP031  braces
        lines = [meta, *self.outcomes]
        if self.header["mode"] in ("check", "cover"):
            lines.append(self.state)
        data = "".join([line.replace("\n", "\\n") + "\n" for line in lines]).encode("utf-8", "backslashreplace")
        while data:
            data = data[os.write(1, data) :]

    def end(self):
        try:
            os.kill(self.keeper_pid, 9)
        except ProcessLookupError:
            pass
        os.waitpid(self.keeper_pid, 0)


def cpu_clock(pid):
    """The clock of a process's CPU time: CPUCLOCK_SCHED in the kernel's posix-timers.h."""
    return (~pid << 3) | 2


def waited(pid):
    """Seconds that a process was ready to run while others had its core; 0 where the kernel does not say."""
    try:
        with open(f"/proc/{pid}/schedstat") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def end(status):
    """How a process ended, in words."""
    return f" (signal {status & 127})" if status & 127 else f" (exit status {status >> 8})"


def fail(text):
    """The run cannot go on because of the code under test."""
    os.write(2, (text + "\n").encode("utf-8", "backslashreplace"))
    warden.end()
    os._exit(1)


def hide():
    """The code under test runs as the same user: it may not look into this process or at its descriptors."""
    import ctypes

    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)


def read_all():
    parts = []
    while part := os.read(0, 1 << 20):
        parts.append(part)
    return b"".join(parts).decode("utf-8", "surrogatepass")


def start_keeper():
    """Fork the keeper, with nothing of ours but its end of the pipes."""
    down_r, down_w = os.pipe()
    up_r, up_w = os.pipe()
    pid = os.fork()
    if pid:
        os.close(down_r)
        os.close(up_w)
        return Channel(up_r, down_w), pid
    os.close(down_w)
    os.close(up_r)
    null = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    sys.modules["__main__"] = types.ModuleType("__main__")
    keeper(Channel(down_r, up_w))
    raise SystemExit


def main():
    global warden
    channel, pid = start_keeper()
    hide()
    warden = Warden(channel, pid)
    header, *calls = read_all().rstrip("\n").split("\n")
    warden.run(eval(header[2:]), calls)
    warden.end()
    warden.answer()


if SPEC.get("run", True):
    main()
