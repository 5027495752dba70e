"""A width and a number of heads. Hand in this file; see handout.md for what counts.

Exercise 3

Your reasons: TODO
"""

D_MODEL = None  # TODO: a positive integer
NUM_HEADS = None  # TODO: a positive integer, of which D_MODEL is a multiple
