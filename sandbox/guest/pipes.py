"""Frames over two pipes, between the processes of the harness program (caller.py). Names are bound before the code
under test can patch them."""

import os

os_read, os_write, os_fork, os_exit, os_kill, waitpid = os.read, os.write, os.fork, os._exit, os.kill, os.waitpid


class Channel:
    """Frames over two pipes: four bytes of length, one letter, the data."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    def send(self, letter, text=""):
        data = text.encode("utf-8", "surrogatepass")
        data = len(data).to_bytes(4, "big") + letter + data
        while data:
            data = data[os_write(self.writer, data) :]

    def receive(self):
        """The next (letter, text); ("", "") when the other side is gone."""
        head = self.exactly(5)
        if len(head) < 5:
            return b"", ""
        return head[4:], self.exactly(int.from_bytes(head[:4], "big")).decode("utf-8", "surrogatepass")

    def exactly(self, size):
        parts = []
        while size:
            part = os_read(self.reader, min(size, 1 << 20))
            if not part:
                break
            parts.append(part)
            size -= len(part)
        return b"".join(parts)
