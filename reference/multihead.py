"""Multi-head self-attention, written like the formula."""

from torch import Tensor, nn

from reference.attention import scaled_dot_product_attention


class MultiHeadSelfAttention(nn.Module):
    """MultiHead(X) = Concat(head_1, ..., head_H) W_O, with head_h = Attention(X W_Q, X W_K, X W_V).

    Each head has its own d_model / num_heads columns of W_Q, W_K and W_V.

    Vaswani et al. (2017), "Attention Is All You Need", section 3.2.2.
    """

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model = {d_model} is not divisible by num_heads = {num_heads}")
        self.num_heads = num_heads
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.output = nn.Linear(d_model, d_model)

    def forward(
        self, x: Tensor, attn_mask: Tensor | None = None, key_padding_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return the output (batch, length, d_model) and the weights (batch, heads, target, source).

        `x` is (batch, length, d_model). `attn_mask` (target, source) and `key_padding_mask` (batch, source)
        are boolean and True where a target must not look.
        """
        query = self.split(self.query(x))  # (batch, heads, length, head_dim)
        key = self.split(self.key(x))
        value = self.split(self.value(x))
        mask = None
        if attn_mask is not None:
            mask = attn_mask[None, None]  # (1, 1, target, source)
        if key_padding_mask is not None:
            padding = key_padding_mask[:, None, None]  # (batch, 1, 1, source)
            mask = padding if mask is None else mask | padding
        context, weights = scaled_dot_product_attention(query, key, value, mask)
        return self.output(self.merge(context)), weights

    def split(self, x: Tensor) -> Tensor:
        """(batch, length, d_model) to (batch, heads, length, head_dim)."""
        batch, length, d_model = x.shape
        return x.view(batch, length, self.num_heads, d_model // self.num_heads).transpose(1, 2)

    def merge(self, heads: Tensor) -> Tensor:
        """(batch, heads, length, head_dim) to (batch, length, d_model)."""
        return heads.transpose(1, 2).flatten(2)
