"""Exercise 1

The averaged weights have shape (8, 32, 32). The input is (8, 32, 128); its width is summed away in the dot product,
and the heads, (8, H, 32, 32), are averaged.
"""
