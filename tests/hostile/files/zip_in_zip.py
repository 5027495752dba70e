# Hands in a zip in a zip in a zip, as deep as a program that unpacks them all would follow.
# kind: loading and files
# status: unreadable
# says: ada.zip holds nothing that can be read: ada.zip is a zip inside the submission, which is not opened; hand in the .py or .ipynb file itself.
import io
import zipfile


def make(folder):
    data = b"def pool(h, p):\n    return h.sum(1)\n"
    name = "pooling.py"
    for _ in range(200):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(name, data)
        data, name = buffer.getvalue(), "ada.zip"
    (folder / name).write_bytes(data)
    return folder / name
