# Raises an exception whose name and message have no end.
# kind: resources
# verdicts: error
# says: NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN…: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…


class Long(Exception):
    def __str__(self):
        return "x" * 10**7


def pool(hidden, padding):
    raise type("N" * 10**6, (Long,), {})
