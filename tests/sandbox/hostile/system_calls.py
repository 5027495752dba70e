# Tries the system calls that get out of sandboxes, by number, past the C library.
import ctypes
import platform

# x86-64 numbers; elsewhere the names that differ are not tried.
CALLS = {
    "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "bpf": 321, "perf_event_open": 298,
    "userfaultfd": 323, "io_uring_setup": 425, "io_uring_enter": 426, "keyctl": 250, "add_key": 248, "request_key": 249,
    "mount": 165, "umount2": 166, "unshare": 272, "setns": 308, "memfd_create": 319, "memfd_secret": 447, "shmget": 29,
    "semget": 64, "msgget": 68, "open_by_handle_at": 304, "name_to_handle_at": 303, "personality": 135, "chroot": 161,
    "pivot_root": 155, "init_module": 175, "finit_module": 313, "kexec_load": 246, "reboot": 169, "swapon": 167,
    "sethostname": 170, "mknod": 133, "acct": 163, "settimeofday": 164, "clock_settime": 227, "adjtimex": 159,
    "iopl": 172, "ioperm": 173, "modify_ldt": 154, "syslog": 103, "quotactl": 179, "fanotify_init": 300, "kcmp": 312,
    "pidfd_getfd": 438, "process_madvise": 440, "move_pages": 279, "migrate_pages": 256, "mbind": 237, "fsopen": 430,
    "fsmount": 432, "open_tree": 428, "move_mount": 429, "mount_setattr": 442, "landlock_create_ruleset": 444,
    "seccomp": 317, "mq_open": 240, "lookup_dcookie": 212, "vhangup": 153, "setuid": 105, "setgid": 106, "setresuid": 117,
    "setgroups": 116, "setfsuid": 122, "capset": 126, "chown": 92, "socket": 41, "vmsplice_big": 9999, "uselib": 134,
}  # fmt: skip
NEW = {
    "mnt": 0x20000,
    "uts": 0x4000000,
    "ipc": 0x8000000,
    "user": 0x10000000,
    "pid": 0x20000000,
    "net": 0x40000000,
}


def attempt():
    if platform.machine() != "x86_64":
        return []
    libc = ctypes.CDLL(None, use_errno=True)
    worked = []
    for name, number in CALLS.items():
        ctypes.set_errno(0)
        arguments = (16, 3, 0) if name == "socket" else (0, 0, 0)
        result = libc.syscall(number, *arguments, 0, 0, 0)
        # EFAULT or EINVAL would mean that the kernel had looked at the arguments: it was let through.
        if result >= 0 or ctypes.get_errno() not in (1, 38):
            worked.append((name, result, ctypes.get_errno()))
    for name, flag in NEW.items():
        pid = libc.syscall(56, flag | 17, 0, 0, 0, 0)
        if pid == 0:
            libc.syscall(60, 0)
        if pid > 0:
            worked.append(("clone", name))
    if libc.syscall(435, 0, 0) >= 0 or ctypes.get_errno() != 38:
        worked.append("clone3")
    return worked
