# what = "Is left waiting by a child that shares its memory until it ends (vfork)."
# verdict = ["TLE"]
# seconds = 1
# machine = "x86_64"

import ctypes
import mmap

# mov eax, 58 (vfork); syscall; test eax, eax; jnz +9; mov eax, 34 (pause); syscall; jmp -9; ret
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(bytes.fromhex("b83a0000000f0585c07509b8220000000f05ebf7c3"))
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
