"""What each backend does not defend from, and why. Read by the self-test and by the conformance suite.

What is not named here is claimed: the self-test and the suite hold a backend to it. A machine may have more
than the worst that these words allow for: `user` on a kernel with Landlock opens no files but its own.
"""

from __future__ import annotations

import os

# Each kind, and what a guest tries.
KINDS = {
    "secrets": "reading tests, references, and other submissions",
    "host files": "reading other files of the machine",
    "host writes": "writing outside its own folders",
    "processes": "looking into other processes",
    "process names": "seeing which other processes there are",
    "signals": "signalling other processes",
    "network": "connecting to the machine, or sending to it",
    "system calls": "making namespaces and mounts, tracing, becoming root",
    "process count": "starting processes without end",
    "memory": "taking memory without end",
    "disk": "writing files without end",
    "leftovers": "leaving a process behind",
    "counts": "using up what the kernel counts for each user, so that neighbours have none",
}

# Of bubblewrap and docker: only root can give each guest, or each container, a user of its own.
_ONE_USER = {
    "counts": "all guests are the user who started Attest, who is not root, so one takes from another what "
    "the kernel counts by user: descriptors on their way between sockets, pages in pipes, timers. In the "
    "other, a DataLoader with workers then fails. Under root each is a user of its own"
}
_OF_NAMESPACES = {} if os.geteuid() == 0 else _ONE_USER
_RIGHTS = "it has the rights of whoever started Attest"

UNDEFENDED: dict[str, dict[str, str]] = {
    "bubblewrap": _OF_NAMESPACES,
    "docker": _OF_NAMESPACES,
    "user": {
        "host files": "files that every user may read, where the kernel has no Landlock; where it has, those "
        "in /dev/shm, and of all others that they exist",
        "host writes": "folders that every user may write, until the guest ends and what it left is removed, "
        "where the kernel has no Landlock; where it has, files in /dev/shm that every user may write",
        "process names": "without a namespace, /proc says which processes there are; where the kernel has no "
        "Landlock, also with which arguments",
        "disk": "what is written between two looks, five a second; then it is ended, and all of it removed",
    },
    "none": {
        "secrets": _RIGHTS,
        "host files": _RIGHTS,
        "host writes": _RIGHTS,
        "processes": _RIGHTS,
        "process names": _RIGHTS,
        "signals": _RIGHTS,
        "network": _RIGHTS,
        "system calls": _RIGHTS,
        "process count": "no limit binds root",
        "disk": "its folder has no size of its own; it is ended when it is seen to hold too much",
        "counts": _RIGHTS,
    },
}
