"""What a student may run before handing in: is there a shape in the answer at all?"""

import torch

from graders import fail, points, stated_shape
from graders.guests import LoadDied

NAME = "AVERAGED_WEIGHTS_SHAPE"
INPUT = (8, 32, 128)


def named(student):
    """Return the value of NAME; None where there is none, or only words can be read."""
    try:
        return student.value(NAME) if student.has(NAME) else None
    except LoadDied:
        if student.written.strip():
            return None
        raise


@points(
    1, hint="Write a tuple of numbers to AVERAGED_WEIGHTS_SHAPE, or a shape such as (2, 3, 4) into your text."
)
def test_a_shape_is_given(student):
    """The answer gives a shape."""
    value = named(student)
    if value is None and not student.written.strip():
        fail(f"Neither `{NAME}` nor words for this exercise were found.")
    stated = stated_shape(student.written if value is None else value, INPUT)
    if stated.sizes is None and not stated.rivals:
        if value is None:
            fail("Words were found, but no shape in them: write one such as (2, 3, 4), with your numbers.")
        if isinstance(value, torch.Tensor):
            fail(f"`{NAME}` holds a tensor; its shape was expected, such as weights.shape.", got=value)
        fail(f"`{NAME}` holds no shape; a tuple of numbers was expected.", got=value)
