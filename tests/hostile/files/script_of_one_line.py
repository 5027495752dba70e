# Hands in a script of one line of fifty megabytes.
# kind: loading and files
# status: unreadable
# says: pooling.py holds 50.0 MB, more than the 20.0 MB that one file may hold; hand in only the code that you wrote.


def make(folder):
    (folder / "pooling.py").write_text("x = '" + "x" * (50 * 2**20) + "'\n")
    return folder / "pooling.py"
