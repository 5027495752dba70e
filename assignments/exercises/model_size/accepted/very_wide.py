"""As wide as a large language model."""

D_MODEL: int = 12_288
NUM_HEADS: int = 96
