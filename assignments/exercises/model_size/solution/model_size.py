"""A width and a number of heads.

Exercise 3

I take a width of 128 and 4 heads. The parameters of a layer grow with the square of the width: attention
has 4·d² + 4·d, 66,048 here, so doubling the width means four times as many, more that can be expressed, and
on a few thousand texts more that can be learnt by heart. The number of heads adds no parameters at a fixed
width. It says into how many patterns of attention the width is shared: 4 heads can follow 4 relations at
once, each with queries and keys of 32 numbers. With 128 heads each would compare single numbers; with one
there would be one pattern a layer.

Time goes with the parameters, so the width decides it, and the number of heads changes it little; but each
head keeps n × n weights, which counts for long texts. Mine are short and the machine is a laptop, so this
trains in minutes, and I would try 64 and 256 on validation data before anything else.
"""

D_MODEL = 128
NUM_HEADS = 4
