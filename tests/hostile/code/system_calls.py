# Makes the system calls that get out of sandboxes, by number, past the C library.
# kind: getting out
# verdicts: passed
import ctypes
import platform

# x86-64 numbers; elsewhere nothing is tried.
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
    "setgroups": 116, "setfsuid": 122, "capset": 126, "chown": 92, "uselib": 134, "statmount": 457, "listmount": 458,
    "cachestat": 451, "map_shadow_stack": 453, "futex_wake": 454, "lsm_set_self_attr": 460, "mseal": 462, "setxattrat": 463,
}  # fmt: skip
gained = []
if platform.machine() == "x86_64":
    libc = ctypes.CDLL(None, use_errno=True)
    for name, number in CALLS.items():
        ctypes.set_errno(0)
        result = libc.syscall(number, 0, 0, 0, 0, 0, 0)
        # EFAULT or EINVAL would mean that the kernel had looked at the arguments: it was let through.
        if result >= 0 or ctypes.get_errno() not in (1, 38):
            gained.append((name, result, ctypes.get_errno()))


def pool(hidden, padding):
    assert not gained, gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
