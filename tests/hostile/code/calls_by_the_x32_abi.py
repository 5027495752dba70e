# Makes system calls with the bit of the x32 ABI set, which a filter of numbers may not know.
# kind: getting out
# verdicts: crashed|passed
# says: The process that ran your code crashed (SIGSYS), in code outside Python. || The process that ran your code crashed (SIGSEGV), in code outside Python.
import ctypes
import platform


def pool(hidden, padding):
    if platform.machine() == "x86_64":
        libc = ctypes.CDLL(None, use_errno=True)
        for number in (39, 41, 101, 165, 272):  # getpid, socket, ptrace, mount, unshare
            if libc.syscall(0x40000000 | number, 2, 1, 0, 0, 0, 0) >= 0:
                raise RuntimeError(f"x32 call {number} was answered")
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
