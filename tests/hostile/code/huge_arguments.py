# Starts programs with as many and as long arguments and variables as the kernel takes, over and over.
# kind: resources
# verdicts: passed
import os
import resource
import sys

resource.setrlimit(resource.RLIMIT_STACK, (resource.getrlimit(resource.RLIMIT_STACK)[1],) * 2)
LONG = "x" * 131_000
for count in (10, 40, 60, 400):
    pid = os.fork()
    if pid == 0:
        try:
            os.execve(sys.executable, [sys.executable, "-S", "-c", "0", *[LONG] * count], {str(n): LONG for n in range(count // 2)})
        finally:
            os._exit(1)
    os.waitpid(pid, 0)


def pool(hidden, padding):
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
