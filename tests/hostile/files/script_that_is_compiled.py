# Hands in a compiled program and a pickle under the names of scripts.
# kind: loading and files
# status: unreadable
# says: pooling.py is compiled Python, not its source, not a Python script (.py) or a notebook (.ipynb); hand in the .py or .ipynb file itself.
import marshal
import pickle


def make(folder):
    place = folder / "ada"
    place.mkdir()
    (place / "pooling.py").write_bytes(b"\xa7\r\r\n" + bytes(12) + marshal.dumps(compile("x = 1", "x", "exec")))
    (place / "pooling.pkl").write_bytes(pickle.dumps(print))
    return place
