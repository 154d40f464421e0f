# what = "Asks what is in the kernel's cache of files and drops pages from it: a memory that outlives a run."
# machine = "x86_64"

import ctypes
import sys

libc = ctypes.CDLL(None, use_errno=True)

import errno
import mmap
import os

file = os.open(os.__file__, os.O_RDONLY)
size = os.fstat(file).st_size
pages = mmap.mmap(file, size, mmap.MAP_PRIVATE)
address = ctypes.addressof(ctypes.c_char.from_buffer(pages))
answer = ctypes.create_string_buffer(b"?" * 4096)


def call(number, *arguments):
    ctypes.set_errno(0)
    return libc.syscall(number, *map(ctypes.c_void_p, arguments)), ctypes.get_errno()


def changed():
    return answer.raw != b"?" * 4096 + b"\0"


os.read(file, size)
for name, number, arguments in (
    ("mincore", 27, (address, size, ctypes.addressof(answer))),
    ("cachestat", 451, (file, ctypes.addressof(ctypes.create_string_buffer(16)), ctypes.addressof(answer), 0)),
):
    if call(number, *arguments) != (-1, errno.ENOSYS) or changed():
        print("ESCAPED", name, file=sys.stderr)
for flag in (0x8, 0x80, 0x88, 0x9):
    for function, given in ((os.preadv, bytearray(1)), (os.pwritev, b"x")):
        try:
            function(file, [given], 0, flag)
            print("ESCAPED", function, flag, file=sys.stderr)
        except OSError as error:
            if error.errno not in (errno.EOPNOTSUPP, errno.EBADF):
                print("ESCAPED", function, flag, error, file=sys.stderr)
if libc.prctl(67, 1, 0, 0, 0) == 0:
    print("ESCAPED merged pages", file=sys.stderr)
hint = ctypes.c_uint64(3)
libc.fcntl(file, 1036, ctypes.byref(hint))
kept = ctypes.c_uint64(0)
libc.fcntl(file, 1035, ctypes.byref(kept))
if kept.value == 3:
    print("ESCAPED a hint stays with the file", file=sys.stderr)

print(sum(map(int, input().split())))
