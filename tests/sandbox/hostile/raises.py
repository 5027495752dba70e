# Raises exceptions whose message, type and traceback are hostile.
class Quiet(Exception):
    def __str__(self):
        raise RuntimeError("no message")


class Long(Exception):
    def __str__(self):
        return "x" * 10**8


def attempt(kind):
    if kind == "quiet":
        raise Quiet
    if kind == "long":
        raise Long
    if kind == "name":
        raise type("N" * 10**6, (Exception,), {})("<b>\x1b[31m")
    if kind == "deep":
        return deeper(0)
    raise BaseException("base")


def deeper(n):
    return deeper(n + 1)
