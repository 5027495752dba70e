"""What an author of checks needs, and nothing else.

    from graders import cases, close, points
    import reference

    @points(4, hint="Divide by the number of real tokens, not by the sequence length.")
    @cases(batches(), n=25)
    def test_mean_over_real_tokens(student, batch):
        '''The pooled vector is the mean over real tokens only.'''
        close(student.masked_mean_pool(batch.x, batch.mask), reference.masked_mean_pool(batch.x, batch.mask))

The names are imported on first use: reading Results (`graders.result`) needs no torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graders.checks import cases, points
    from graders.comparing import CheckFailure, close, fail, raises, same, tensor, unpack
    from graders.fresh import fresh_tensor
    from graders.integers import integer, integer_lists
    from graders.pictures import attention_map, batches_picture, influence_map, moved_by
    from graders.printed import printed_row, printed_shape
    from graders.recording import RecordedCall, Recording
    from graders.rejecting import judge_test
    from graders.remote_module import RemoteModule
    from graders.stated import stated_shape
    from sandbox.lending import held

_HOMES = {
    "points": "graders.checks",
    "cases": "graders.checks",
    "close": "graders.comparing",
    "same": "graders.comparing",
    "tensor": "graders.comparing",
    "unpack": "graders.comparing",
    "fail": "graders.comparing",
    "raises": "graders.comparing",
    "CheckFailure": "graders.comparing",
    "fresh_tensor": "graders.fresh",
    "integer": "graders.integers",
    "integer_lists": "graders.integers",
    "judge_test": "graders.rejecting",
    "attention_map": "graders.pictures",
    "batches_picture": "graders.pictures",
    "influence_map": "graders.pictures",
    "moved_by": "graders.pictures",
    "printed_row": "graders.printed",
    "printed_shape": "graders.printed",
    "RecordedCall": "graders.recording",
    "Recording": "graders.recording",
    "stated_shape": "graders.stated",
    "RemoteModule": "graders.remote_module",
    "held": "sandbox.lending",
}

__all__ = [
    "CheckFailure",
    "RecordedCall",
    "Recording",
    "RemoteModule",
    "attention_map",
    "batches_picture",
    "cases",
    "close",
    "fail",
    "fresh_tensor",
    "held",
    "influence_map",
    "integer",
    "integer_lists",
    "judge_test",
    "moved_by",
    "points",
    "printed_row",
    "printed_shape",
    "raises",
    "same",
    "stated_shape",
    "tensor",
    "unpack",
]


def __getattr__(name: str) -> Any:
    """Import an exported name from its module."""
    if name not in _HOMES:
        raise AttributeError(f"module 'graders' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
