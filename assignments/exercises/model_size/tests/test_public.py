"""What a student may run before handing in: are there two sizes?"""

import pytest

from graders import fail, integer, points

LARGEST = 65_536  # the width for which one layer would take more memory than any machine here has


@pytest.fixture
def sizes(student):
    """The two sizes as ints."""
    return {name: integer(student.value(name), f"`{name}`") for name in ("D_MODEL", "NUM_HEADS")}


@points(1, hint="Write two whole numbers at the top level of the program: D_MODEL = ... and NUM_HEADS = ...")
def test_positive_integers(sizes):
    """D_MODEL and NUM_HEADS are positive integers."""
    for name, size in sizes.items():
        if size < 1:
            fail(f"`{name}` is {size}; a positive number was expected.")
        if size > LARGEST:
            fail(f"`{name}` is {size:,}; at most {LARGEST:,} was expected, so that the layer can be built.")
