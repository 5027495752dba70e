# Makes temporary files and folders.
import tempfile


def f():
    with (
        tempfile.NamedTemporaryFile("w") as file,
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryFile() as other,
    ):
        file.write("x")
        file.flush()
        other.write(b"x")
        with open(f"{folder}/a", "w"):
            return open(file.name).read() == "x"
