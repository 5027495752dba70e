def pair(x): return x, x
