# Copies files and folders with their times and modes.
import os
import shutil


def f():
    os.makedirs("data/deep", exist_ok=True)
    with open("data/deep/a.txt", "w") as file:
        file.write("x")
    os.chmod("data/deep/a.txt", 0o644)
    os.utime("data/deep/a.txt", (1, 1))
    shutil.copy("data/deep/a.txt", "copied.txt")
    shutil.copy2("data/deep/a.txt", "copied with times.txt")
    shutil.copytree("data", "copied", dirs_exist_ok=True)
    shutil.move("copied.txt", "moved.txt")
    return os.stat("copied/deep/a.txt").st_mtime == 1.0 and open("moved.txt").read() == "x"
