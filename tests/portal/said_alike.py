"""Answers as students write them, by what they say: those that stand together say the same, others do not.

Many differ in one word and say the opposite: these are harder than a class's. By `TUNED` the rules and the
threshold of attest.portal.marking.grouping were chosen; `HELD` was written afterwards, for measuring alone.
"""

from __future__ import annotations

Question = tuple[tuple[str, ...], ...]

SHAPE: Question = (
    (
        "(8, 32, 32), because every token attends to every token in each of the 8 sequences.",
        "The shape is (8, 32, 32): in each of the 8 sequences every token attends to every token.",
        "(8,32,32). Each token attends to every other token, for each of the 8 sequences in the batch.",
        "It is `(8, 32, 32)` since for all 8 sequences each token attends to each token",
        "The averaged weights have the shape [8, 32, 32] because every token attends to every token.",
    ),
    (
        "(8, 32, 32). Averaging over heads removes the head axis, and 128 is summed in the dot product.",
        "The heads are averaged, so their axis is removed, and 128 is summed by the dot product: (8, 32, 32)",
        "(8, 32, 32): the dot product sums over 128 and averaging over heads removes the axis of the heads.",
    ),
    (
        "(8, 32, 128), because attention does not change the shape of its input.",
        "The shape is (8, 32, 128) since attention doesn't change the shape of the input.",
        "(8, 32, 128): attention never changes the shape of its input.",
    ),
    (
        "(32, 8, 32), because every token attends to every token in each of the 8 sequences.",
        "The shape is (32, 8, 32): in each of the 8 sequences every token attends to every token.",
    ),
    (
        "(8, 4, 32, 32), because every head has its own weights for every token.",
        "It is (8, 4, 32, 32): each head has weights of its own for each token.",
        "The shape is (8, 4, 32, 32) since every one of the heads has its own weights.",
    ),
    (
        "(8, 32), one weight for each token in each sequence.",
        "The shape is (8, 32): there is one weight for each token of each sequence.",
    ),
    ("(32, 32) because every token attends to every token in the sequence.",),
    ("I do not know.", "i don't know", "No idea, I do not know."),
    ("(8, 128, 128), because features attend to features.",),
    ("The weights are not averaged over the heads, so it is (8, 32, 32) for each head.",),
    ("(8, 32, 32). The columns sum to one because of the softmax.",),
    (
        "(8, 32, 32). The rows sum to one because of the softmax.",
        "(8, 32, 32): by the softmax every row sums to one.",
    ),
)

POOLING: Question = (
    (
        "Padding tokens carry no information, so including them in the mean distorts the result.",
        "Because padding tokens contain no information and would distort the mean if we include them.",
        "The padding tokens have no information, and the mean would be distorted by including them.",
        "If padding tokens are included, the mean is distorted, because they carry no information.",
    ),
    (
        "The sum must be divided by the number of real tokens, not by the padded length.",
        "We have to divide the sum by the number of real tokens and not by the padded length.",
        "Divide the sum by the count of the real tokens, not by the length with padding!",
    ),
    (
        "The sum must be divided by the padded length, not by the number of real tokens.",
        "We have to divide the sum by the padded length and not by the number of real tokens.",
    ),
    (
        "The embedding of the padding token is zero, so it makes no difference to the mean.",
        "It makes no difference to the mean, because the padding token's embedding is zero.",
        "Padding embeddings are zero, so they make no difference to the mean.",
    ),
    (
        "Otherwise the same sentence would get another vector when it is padded to a longer batch.",
        "The same sentence would otherwise get a different vector when the batch is padded longer.",
        "Else the same sentence gets another vector as soon as it is padded to a longer batch.",
    ),
    ("Otherwise the same sentence would get the same vector when it is padded to a longer batch.",),
    (
        "Padding must be masked before the softmax, because it would get weight otherwise.",
        "Because padding would get weight otherwise, it must be masked before the softmax.",
        "You have to mask padding before the softmax or it gets weight.",
    ),
    ("Padding must be masked after the softmax, because it would get weight otherwise.",),
    (
        "An empty sequence has no real tokens, so we would divide by zero without a clamp.",
        "Without a clamp we divide by zero for an empty sequence, which has no real tokens.",
    ),
    ("Longer sequences have larger sums, so the mean makes them comparable.",),
    ("Shorter sequences have larger sums, so the mean makes them comparable.",),
    ("The mean is faster to compute without padding.", "Without padding the mean is faster to compute."),
    ("The mean skips padding because the model ignores it.",),
    ("The mean must not skip padding.", "Padding must not be skipped by the mean."),
    ("The mean must skip padding.", "Padding must be skipped by the mean."),
)

CAUSAL: Question = (
    (
        "A position may only look at itself and earlier positions, so that the model cannot see the future.",
        "So that the model can't see the future, a position may look only at itself and earlier positions.",
        "Each position may look only at itself and the positions before it; the model can't see the future.",
        "The model cannot see the future because a position looks only at itself and at earlier positions.",
    ),
    ("A position may only look at itself and later positions, so that the model cannot see the past.",),
    (
        "The loss of all positions can be computed in one pass, as if each had been predicted on its own.",
        "In one pass the loss of all positions is computed, as if each was predicted on its own.",
        "One pass computes the loss of all positions as if each one were predicted on its own.",
    ),
    (
        "Without the mask the model would copy the next token and learn nothing.",
        "The model would just copy the next token without the mask, and it would learn nothing.",
        "Without a mask it learns nothing, the model would copy the next token.",
    ),
    ("With the mask the model would copy the next token and learn nothing.",),
    (
        "The mask is added as minus infinity before the softmax, so the weights become zero.",
        "Before the softmax minus infinity is added by the mask, so the weights become zero.",
        "The weights become zero because the mask adds -inf before the softmax.",
    ),
    (
        "The mask is multiplied after the softmax, so the weights become zero.",
        "After the softmax the mask is multiplied, so the weights become zero.",
    ),
    (
        "It saves memory, because half of the scores are not computed.",
        "Half of the scores are not computed, so it saves memory.",
        "Because only half of the scores are computed, memory is saved.",
    ),
    ("It saves time, because half of the scores are not computed.",),
    ("The queries are masked, not the keys.",),
    ("The keys are masked, not the queries.", "It is the keys that are masked and not the queries."),
    ("The upper triangle is masked.", "We mask the upper triangle.", "The mask covers the upper triangle."),
    ("The lower triangle is masked.", "We mask the lower triangle."),
    ("The mask has 2 dimensions.", "The mask has two dimensions."),
    ("The mask has 3 dimensions.",),
    ("Every row has at least one entry that is not masked.",),
    ("Every column has at least one entry that is not masked.",),
)

BATCHING: Question = (
    (
        "Sorting by length puts sequences of similar length together, so less padding is needed.",
        "Less padding is needed, because sequences of similar length are put together by sorting.",
        "If we sort by length, sequences with similar lengths come together and we need less padding.",
        "Sequences of similar length come together through sorting, so we need less padding.",
    ),
    ("Sorting by length puts sequences of similar length together, so more padding is needed.",),
    (
        "The batches are always the same, so training is biased.",
        "Training is biased since the batches are always the same.",
        "Because the batches are always the same the training gets biased.",
    ),
    (
        "The order must be shuffled again in every epoch, otherwise the batches are always the same.",
        "In every epoch the order has to be shuffled again, otherwise the batches are always the same.",
    ),
    (
        "25 of 60 positions are padding, so about 42% of the work is wasted.",
        "About 42% of the work is wasted: 25 of 60 positions are padding.",
        "25 out of 60 positions are padding and so 42% of work is wasted",
    ),
    (
        "35 of 60 positions are padding, so about 58% of the work is wasted.",
        "About 58% of the work is wasted because 35 of 60 positions are padding.",
    ),
    (
        "The cost of attention grows with the square of the longest sequence in the batch.",
        "Attention costs grow with the square of the length of the longest sequence in the batch.",
        "The longest sequence in the batch decides: the cost of attention grows with its square.",
    ),
    (
        "The cost of attention grows linearly with the longest sequence in the batch.",
        "Attention's cost grows linearly with the longest sequence in the batch.",
    ),
    (
        "One long sequence makes all the others in its batch be padded to its length.",
        "All others in the batch are padded to the length of the one long sequence.",
    ),
    ("A bigger batch is always faster.", "Bigger batches are always faster."),
    ("A smaller batch is always faster.",),
    (
        "The gradient does not depend on padding if it is masked.",
        "If it is masked, the gradient doesn't depend on the padding.",
    ),
    ("The gradient depends on padding if it is masked.",),
    ("The gradient does not depend on padding if it is not masked.",),
    ("Padding on the left shifts the positions.", "The positions are shifted by padding on the left."),
    ("Padding on the right shifts the positions.",),
)

HEADS: Question = (
    (
        "Each head can attend to something else, for example one to syntax and one to position.",
        "Each head can attend to something different, e.g. one to syntax, one to position.",
        "Every head is able to attend to something else: one to syntax and one to position, for example.",
    ),
    (
        "The number of parameters stays the same, because each head gets d_model / num_heads features.",
        "Because every head gets d_model/num_heads features, the number of parameters stays the same.",
        "The parameter count stays the same as each head gets d_model / num_heads features.",
    ),
    (
        "The number of parameters grows, because each head has its own projections.",
        "Because each head has projections of its own, the number of parameters grows.",
    ),
    (
        "The scores are divided by the root of the head dimension, so that the softmax does not saturate.",
        "So that the softmax does not saturate, we divide the scores by the root of the head dimension.",
        "Dividing the scores by the square root of the head dimension keeps the softmax from saturating.",
        "The softmax would saturate if we did not divide the scores by the root of the head dimension.",
    ),
    (
        "The scores are divided by the root of d_model, so that the softmax does not saturate.",
        "So that the softmax does not saturate, we divide the scores by the root of d_model.",
    ),
    ("The scores are divided by the head dimension, so that the softmax does not saturate.",),
    (
        "The heads are concatenated and go through an output projection.",
        "Heads get concatenated and then go through the output projection.",
        "We concatenate the heads and then they go through an output projection.",
    ),
    ("The heads are averaged and go through an output projection.",),
    ("The heads are concatenated and go through no output projection.",),
    ("8 heads of 16 features.", "There are 8 heads with 16 features each.", "Eight heads, 16 features each"),
    ("16 heads of 8 features.", "There are 16 heads with 8 features each."),
    ("It is faster than one head.", "It's faster than a single head"),
    ("It is slower than one head.",),
    ("The values are split among the heads.", "Among the heads the values are split."),
    ("The keys are split among the heads.",),
)

ROWS: Question = (
    (
        "Every row sums to one because the softmax normalises over the sources.",
        "The softmax normalises over the sources, so every row sums to one.",
        "Because the softmax normalises over sources, each row sums to one.",
        "Each row has the sum one as softmax normalises over the sources",
    ),
    (
        "Every column sums to one because the softmax normalises over the targets.",
        "The softmax normalises over the targets, so each column sums to one.",
    ),
    (
        "A weight says how much one token looks at another token.",
        "How much a token looks at another token is what a weight says.",
        "Each weight tells how much one token looks at another one.",
    ),
    ("A weight says how similar one token is to another token.",),
    (
        "The weights are computed from queries and keys, the values come later.",
        "Weights get computed from the queries and the keys; values come later.",
        "The values come later, the weights are computed from queries and keys only.",
    ),
    ("The weights are computed from queries and values, the keys come later.",),
    (
        "Masked positions get weight zero.",
        "The weight of masked positions is zero.",
        "Positions which are masked have zero weight.",
    ),
    ("Masked positions get weight one.",),
    (
        "If all positions of a row are masked, the softmax gives NaN.",
        "The softmax gives NaN if all the positions of a row are masked.",
        "NaN comes out of the softmax when a row is fully masked.",
    ),
    ("If all positions of a row are masked, the softmax gives zeros.",),
    (
        "The model learns which words belong together.",
        "It learns which words belong together, the model.",
        "Which words belong together is learned by the model.",
    ),
    ("The model does not learn which words belong together.",),
    (
        "A temperature below 1 makes the weights sharper.",
        "With a temperature below 1 the weights become sharper.",
    ),
    ("A temperature above 1 makes the weights sharper.",),
    (
        "Attention has no sense of order, so positions have to be added to the embeddings.",
        "Because attention has no sense of order, positions must be added to the embeddings.",
        "We add positions to the embeddings because attention has no sense of order.",
    ),
    ("Attention has a sense of order, so positions need not be added to the embeddings.",),
)

TUNED = {"shape": SHAPE, "pooling": POOLING, "causal": CAUSAL, "batching": BATCHING, "heads": HEADS}
HELD = {"rows": ROWS}
