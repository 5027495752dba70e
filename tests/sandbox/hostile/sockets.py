# Tries to open a socket of every family, and to reach the loopback, a name server and the metadata service.
import socket
import urllib.request


def attempt():
    reached = []
    for family in range(46):
        if family == socket.AF_UNIX:
            continue
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
            try:
                socket.socket(family, kind)
                reached.append((family, int(kind)))
            except OSError:
                pass
    for address in ("http://127.0.0.1:80/", "http://169.254.169.254/latest/meta-data/", "http://[::1]/"):
        try:
            urllib.request.urlopen(address, timeout=0.2)
            reached.append(address)
        except OSError:
            pass
    try:
        reached.append(socket.getaddrinfo("example.org", 80))
    except OSError:
        pass
    return reached
