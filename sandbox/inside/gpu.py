"""A guest on a GPU: where its tensors and modules go.

CUDA cannot be used in a process that was forked after it was initialised, so the zygote never touches it: a
guest begins here, before it runs any student code. `begin` is not called on the CPU, and the rest then does
nothing.
"""

from __future__ import annotations

import os

import torch

_device: torch.device | None = None


class NoDevice(RuntimeError):
    """CUDA does not work here: no fault of a student's."""


def begin(visible: str) -> None:
    """Initialise CUDA on the one GPU that `visible` names, and let tensors be made there. Raises NoDevice."""
    os.environ["CUDA_VISIBLE_DEVICES"] = visible
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # the same results each time
    try:
        torch.zeros(1, device="cuda")
    except Exception as error:
        raise NoDevice(f"{type(error).__name__}: {error}") from None
    # What a student sees on a CPU; TF32 would be three digits worse than float32 there.
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    set_device(torch.device("cuda"))


def set_device(device: torch.device | None) -> None:
    """Where tensors are made and arguments go from now on; None: on the CPU."""
    global _device  # noqa: PLW0603  one guest has one device
    _device = device
    torch.set_default_device(device)


def default_device() -> torch.device | None:
    """Where tensors are made that do not say where; None is the CPU."""
    return _device


def placed(tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    """The tensors of a frame where the student's code expects them."""
    return tensors if _device is None else [tensor.to(_device) for tensor in tensors]


def moved(value: object) -> object:
    """An object that was asked for again; a module with all that it holds on the device."""
    if _device is not None and isinstance(value, torch.nn.Module):
        value.to(_device)
    return value
