# Hands in files with the names of libraries and of what Python reads when it starts.
# kind: loading and files
# verdicts: passed
# says: pooling.py was graded; what it does not define was looked for in graders.py, inside.py, msgspec.py, reference.py and 6 more.
NAMES = (
    "torch.py numpy.py random.py reference.py graders.py inside.py msgspec.py sitecustomize.py usercustomize.py "
    "conftest.py pytest.ini setup.cfg hostile.pth pyvenv.cfg.txt"
)


def make(folder):
    place = folder / "ada"
    place.mkdir()
    for name in NAMES.split():
        (place / name).write_text("raise SystemExit('shadow')\n")
    (place / "pooling.py").write_text(
        "import random\n\nimport numpy\nimport torch\n\nassert torch.ones(1) == 1 and random.random() and numpy.ones(1)\n\n\n"
        "def pool(h, p):\n    real = (~p).unsqueeze(-1).to(h.dtype)\n    return (h * real).sum(1) / real.sum(1)\n"
    )
    return place
