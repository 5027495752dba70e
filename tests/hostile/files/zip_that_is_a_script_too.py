# Hands in a file that is a script for one reader and a zip for another.
# kind: loading and files
# status: unreadable
# says: pooling.py holds binary data, not a Python script (.py) or a notebook (.ipynb); hand in the .py or .ipynb file itself as plain text.
import io
import zipfile

HONEST = "def pool(h, p):\n    real = (~p).unsqueeze(-1).to(h.dtype)\n    return (h * real).sum(1) / real.sum(1)\n"


def make(folder):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("pooling.py", HONEST)
    script = b"def pool(h, p):\n    return h.sum(1)\n\n\n'''\n"
    (folder / "pooling.py").write_bytes(script + buffer.getvalue().replace(b"\0", b"\\0").replace(b"'''", b"") + b"\n'''\n")
    return folder / "pooling.py"
