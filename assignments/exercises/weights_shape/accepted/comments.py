"""Words in comments."""

# Exercise 1
#
# The averaged weights have shape (8, 32, 32): one weight for each target and source of a sequence. Rows sum to one.
# The width is gone in the dot product, and the heads, (8, H, 32, 32), are averaged.

WIDTH = 128
