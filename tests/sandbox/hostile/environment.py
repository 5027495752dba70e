# Tries to read secrets from the environment, the arguments and the memory of the interpreter.
import os
import sys

KNOWN = {
    "HOME", "USER", "LANG", "TZ", "TMPDIR", "TERM", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "MPLBACKEND", "MPLCONFIGDIR",
    "IPYTHONDIR", "PYTHONDONTWRITEBYTECODE", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "ATEN_CPU_CAPABILITY",
    "LD_LIBRARY_PATH", "PWD", "TORCHDYNAMO_DISABLE", "KMP_INIT_AT_FORK", "KMP_DUPLICATE_LIB_OK", "TORCHINDUCTOR_CACHE_DIR", "LC_CTYPE",
}  # fmt: skip


def attempt():
    found = sorted(set(os.environ) - KNOWN)
    found += [
        value
        for value in [*os.environ.values(), *sys.orig_argv, sys.prefix, sys.executable]
        if "/root" in value or "/home" in value or "venv" in value
    ]
    return found
