"""The shape of averaged attention weights.

Exercise 1

The averaged attention weights have the shape (8, 32, 32): batch, target, source.

Each of the 8 sequences has one weight for each pair of a target and a source, and it has 32 of either. A
row belongs to a target; it says how much that token takes from each of the 32 sources, comes from a softmax
over them, and sums to one. The mean of such rows over the heads sums to one as well.

The width of 128 does not appear because a score is the dot product of a query and a key: the features,
whether 128 or the share of one head, are summed away. They come back in the output, which has the shape of
the input. The heads do not appear because each has weights of its own, (8, H, 32, 32), and averaging over
the heads removes that axis.
"""

AVERAGED_WEIGHTS_SHAPE = (8, 32, 32)
