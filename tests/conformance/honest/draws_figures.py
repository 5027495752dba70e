# Draws figures and saves them.
import os

import matplotlib.pyplot as plt


def f():
    plt.imshow([[1, 2], [3, 4]])
    for kind in ("png", "pdf", "svg"):
        plt.savefig(f"figure.{kind}")
    plt.close("all")
    return all(os.path.getsize(f"figure.{kind}") > 0 for kind in ("png", "pdf", "svg"))
