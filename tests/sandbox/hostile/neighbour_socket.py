# Tries to meet a neighbour over an abstract unix socket, and in shared memory, message queues and files.
import ctypes
import os
import socket


def leave():
    left = []
    try:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind("\0attest-meeting")
        listener.listen()
        leave.listener = listener
        left.append("socket")
    except OSError:
        pass
    for folder in ("/work", "/tmp", "/dev/shm"):
        with open(f"{folder}/meeting", "w") as file:
            file.write("here")
        left.append(folder)
    return left


def attempt():
    found = []
    try:
        socket.socket(socket.AF_UNIX).connect("\0attest-meeting")
        found.append("socket")
    except OSError:
        pass
    found += [folder for folder in ("/work", "/tmp", "/dev/shm") if os.path.exists(f"{folder}/meeting")]
    if ctypes.CDLL(None).shmget(0x617474, 4096, 0o1666) >= 0:
        found.append("shm")
    for pid in range(2, 2000):
        try:
            os.kill(pid, 0)
            found.append(pid)
        except OSError:
            pass
    return found
