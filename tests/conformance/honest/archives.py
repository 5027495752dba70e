# Packs and unpacks a zip and a tar.
import os
import shutil
import tarfile


def f():
    os.makedirs("run", exist_ok=True)
    with open("run/a", "w") as file:
        file.write("x")
    for kind in ("zip", "gztar"):
        shutil.unpack_archive(shutil.make_archive("packed", kind, "run"), f"unpacked-{kind}")
    with tarfile.open("packed.tar.gz") as archive:
        archive.extractall("whole")
    return all(open(f"{place}/a").read() == "x" for place in ("unpacked-zip", "unpacked-gztar", "whole"))
