"""The shape of the averaged weights, from a name or from the student's words; near misses are told apart."""

from graders import fail, points, stated_shape
from graders.guests import LoadDied
from graders.stated import Rank

NAME = "AVERAGED_WEIGHTS_SHAPE"
INPUT = (8, 32, 128)
RIGHT = (8, 32, 32)  # batch, target, source
BATCHES = {"b", "n", "bs", "batch", "batch_size"}
TOKENS = {
    "t",
    "s",
    "l",
    "q",
    "k",
    "tq",
    "tk",
    "tgt",
    "src",
    "target",
    "targets",
    "source",
    "sources",
    "query",
    "queries",
}
TOKENS |= {
    "key",
    "keys",
    "seq",
    "seq_len",
    "seqlen",
    "seq_length",
    "sequence",
    "length",
    "len",
    "tokens",
    "token",
}
TOKENS |= {"tgt_len", "src_len", "target_len", "source_len"}

NEAR_MISSES = {
    (
        8,
        32,
        128,
    ): "That is the shape of the output, one vector of 128 for each token. Weights say how much each "
    "token attends to each token.",
    (
        32,
        8,
        8,
    ): "Those would be weights between the 8 sequences: batch and tokens have changed places, as happens "
    "without batch_first=True.",
    (32, 8, 32): "The axes have changed places: the batch comes first.",
    (32, 32, 8): "The axes have changed places: the batch comes first.",
    (32, 32): "Those are the weights of one sequence; the input holds 8.",
    (8, 32): "That is one number for each token; each token has a whole row of weights, one for each source.",
    (
        8,
        32,
        1,
    ): "That is one number for each token; each token has a whole row of weights, one for each source.",
    (
        8,
        128,
        128,
    ): "Those would be weights between features; attention is between tokens, of which there are 32.",
    (8, 1, 32, 32): "Averaging over the heads removes their axis; it does not leave one of size 1.",
    (8, 128): "That is one vector for each sequence; weights say how much each token attends to each token.",
    (
        128,
        128,
    ): "Those would be weights between features; attention is between tokens, of which there are 32.",
}


def per_head(sizes):
    """Return whether these are the weights of each head: (8, H, 32, 32), or with the heads first."""
    return len(sizes) == 4 and sizes[-2:] == (32, 32) and 8 in sizes[:2]


def read(student):
    """Return (what is stated, where it stands)."""
    try:
        value = student.value(NAME) if student.has(NAME) else None
    except LoadDied:  # words count whatever becomes of a program
        value = None
    if value is None:
        return stated_shape(student.written, INPUT), "your text"
    return stated_shape(value, INPUT), f"`{NAME}`"


def favoured(stated):
    """Return whether the right shape stands beside others of which none is claimed to be the answer."""
    sizes = {shape.sizes for shape in stated.rivals}
    return (
        RIGHT in sizes
        and all(shape.rank < Rank.SAID for shape in stated.rivals)
        and all(other in (RIGHT, INPUT, (32, 32)) or per_head(other) for other in sizes)
    )


def in_letters(sizes):
    """Return whether these are the right axes by name: (batch, target, source)."""
    return len(sizes) == 3 and sizes[0] in {*BATCHES, 8} and all(size in {*TOKENS, 32} for size in sizes[1:])


@points(
    2,
    requires=["test_a_shape_is_given"],
    hint="A weight belongs to a target and a source of one sequence. Print the shape that PyTorch returns.",
)
def test_shape_of_averaged_weights(student):
    """The shape is that of the weights averaged over the heads."""
    stated, where = read(student)
    if favoured(stated):
        student.fact("the answer that was read", f"{RIGHT}, from {where}")
        return
    if stated.rivals:
        several = " and ".join(dict.fromkeys(shape.text for shape in stated.rivals))
        fail(f"More than one shape is given as the answer: {several}. One was expected.")
    sizes = stated.sizes
    student.fact("the answer that was read", f"{stated.text}, from {where}")
    if sizes == RIGHT:
        return
    if in_letters(sizes or ()):
        fail(
            f"The axes are right, but {stated.text} names them only; put in the numbers of this input.",
            earned=0.5,
        )
    if sizes not in NEAR_MISSES and per_head(sizes or ()):
        fail(
            f"{stated.text} came. Those are the weights of each head by itself; what is left of the axis of "
            "the heads when they are averaged?"
        )
    why = NEAR_MISSES.get(
        sizes, "One axis was expected for the batch, one for the targets and one for the sources."
    )
    fail(f"{stated.text} came. {why}")
