# Is handed in a zip under names that would steer where the report is written.
# kind: documents
import zipfile


def make(cohort):
    for name in ("..", "...", "CON", "reports", "index", "~root", "%2e%2e%2fx", ".hidden", "a" * 200):
        with zipfile.ZipFile(cohort / f"{name}.zip", "w") as archive:
            archive.writestr("pooling.py", "def pool(h, p):\n    return h.sum(1)\n")
