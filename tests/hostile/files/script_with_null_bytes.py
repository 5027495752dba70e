# Hands in a script with null bytes in it, at which some readers stop.
# kind: loading and files
# verdicts: failed
# says: Wrong values in the output: the largest difference is 32.67 at [0, 0]; 34.67 came, 2 was expected.
# says: pooling.py holds 3 null bytes, which were left out; save it as plain text.


def make(folder):
    (folder / "pooling.py").write_bytes(b"def pool(h, p):\n    return h.mean(1)\n\0\0\0import os\n")
    return folder / "pooling.py"
