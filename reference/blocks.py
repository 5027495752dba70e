"""One block of a transformer encoder, with the norms after the sublayers or before them."""

from torch import Tensor, nn

from reference.multihead import MultiHeadSelfAttention


class EncoderBlock(nn.Module):
    """Self-attention and a feed-forward network, each with a residual and a layer normalization.

    With `norm_first`, x = x + Sublayer(Norm(x)), else x = Norm(x + Sublayer(x)).

    Vaswani et al. (2017), "Attention Is All You Need", section 3.1 (norms after);
    Xiong et al. (2020), "On Layer Normalization in the Transformer Architecture" (norms before).
    """

    def __init__(self, d_model: int, num_heads: int, dim_feedforward: int, norm_first: bool) -> None:
        super().__init__()
        self.norm_first = norm_first
        self.attention = MultiHeadSelfAttention(d_model, num_heads)
        self.feed_forward = nn.Sequential(
            nn.Linear(d_model, dim_feedforward), nn.ReLU(), nn.Linear(dim_feedforward, d_model)
        )
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)

    def forward(
        self, x: Tensor, attn_mask: Tensor | None = None, key_padding_mask: Tensor | None = None
    ) -> Tensor:
        """Return (batch, length, d_model) for `x` of the same shape.

        `attn_mask` (target, source) and `key_padding_mask` (batch, source) are boolean and True where a
        target must not look.
        """
        if self.norm_first:
            x = x + self.attention(self.norm1(x), attn_mask, key_padding_mask)[0]
            return x + self.feed_forward(self.norm2(x))  # type: ignore[no-any-return]
        x = self.norm1(x + self.attention(x, attn_mask, key_padding_mask)[0])
        return self.norm2(x + self.feed_forward(x))  # type: ignore[no-any-return]
