# Makes system calls by the 32-bit gate, whose numbers mean other calls, from code that it writes itself.
# kind: getting out
# verdicts: crashed|passed
# says: The process that ran your code crashed (SIGSYS), in code outside Python. || The process that ran your code crashed (SIGSEGV), in code outside Python.
import ctypes
import mmap
import platform

# mov eax, 20 (getpid there, writev here); int 0x80; ret
CODE = b"\xb8\x14\x00\x00\x00\xcd\x80\xc3"


def pool(hidden, padding):
    if platform.machine() == "x86_64":
        area = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        area.write(CODE)
        address = ctypes.addressof(ctypes.c_char.from_buffer(area))
        answer = ctypes.CFUNCTYPE(ctypes.c_long)(address)()
        raise RuntimeError(f"the 32-bit gate answered {answer}")
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
