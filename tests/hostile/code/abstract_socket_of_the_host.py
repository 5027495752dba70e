# Connects to an abstract unix socket of the machine, which no file protects.
# kind: getting out
# verdicts: passed
import socket

gained = []
for name in ("\0attest-host-canary", "\0/tmp/.X11-unix/X0", "/run/docker.sock", "/var/run/docker.sock", "/run/dbus/system_bus_socket"):
    try:
        socket.socket(socket.AF_UNIX).connect(name)
        gained.append(name)
    except OSError:
        pass


def pool(hidden, padding):
    assert not gained, gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
