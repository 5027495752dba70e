# Asks a name server for an address, and the cloud's metadata service for keys.
# kind: getting out
# verdicts: passed
import socket
import urllib.request

gained = []
for address in ("http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/latest/"):
    try:
        urllib.request.urlopen(address, timeout=0.2)
        gained.append(address)
    except OSError:
        pass
try:
    gained.append(socket.getaddrinfo("host.invalid", 80))
except OSError:
    pass


def pool(hidden, padding):
    assert not gained, gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
