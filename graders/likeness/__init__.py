"""Which submissions share code that neither the starter files nor most of the cohort have."""

from graders.likeness.compare import LEAST, Comparison, Pair, compare
from graders.likeness.labels import Label, labels_of
from graders.likeness.texts import Text, text_of

__all__ = ["LEAST", "Comparison", "Label", "Pair", "Text", "compare", "labels_of", "text_of"]
