"""Values on the wire: into nodes and tensor bytes, and back into plain values.

Both ends use this module. What is encoded in a guest may be built to lie (tensor subclasses, objects
with their own `__class__` or `__eq__`), so types are asked of `type(x)` only and contents are read with
the built-in types' own methods. What is decoded in the grader comes from a guest, so depth, number and
size are bounded and nothing but plain values and plain `torch.Tensor`s is ever built.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import msgspec
import torch

from .questions import (
    BytesNode,
    DictNode,
    DtypeNode,
    ExceptionNode,
    HeldNode,
    ListNode,
    Node,
    OpaqueNode,
    TensorNode,
    TupleNode,
)
from .wire import MAX_BODY, FrameError

OUT_OF_MEMORY = 97  # the exit status of a guest that had no memory left to say so

MAX_DEPTH = 32
MAX_NODES = 100_000
MAX_TEXT = 2**20
MAX_LABEL = 300
MAX_DIMENSIONS = 64
MAX_TABLE = 16 * 2**20


@dataclass(frozen=True)
class Opaque:
    """An object that stays in the guest. It may be passed back as an argument.

    `text` describes it without its repr: "numpy.ndarray of shape (2, 3)".
    """

    id: int
    type_name: str
    is_module: bool
    text: str


@dataclass(frozen=True)
class RemoteException:
    """An exception object that the student's code returned as a value."""

    type_name: str
    message: str


_T = TypeVar("_T")
Value: TypeAlias = (
    Any  # None, bool, int, float, str, bytes, list, tuple, dict, Tensor, dtype, RemoteException, Opaque
)

# What every version of safetensors can carry; other dtypes stay in the guest.
_DTYPES: dict[str, torch.dtype] = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "I64": torch.int64,
    "I32": torch.int32,
    "I16": torch.int16,
    "I8": torch.int8,
    "U8": torch.uint8,
    "BOOL": torch.bool,
}


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tensor's line in the table of a safetensors document; offsets are in bytes, after the table."""

    dtype: str
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]


_write_table = msgspec.json.Encoder().encode
_read_table = msgspec.json.Decoder(dict[str, _Entry]).decode
_CODES = {dtype: code for code, dtype in _DTYPES.items()}
_ALL_DTYPES = {
    str(value).removeprefix("torch."): value for value in vars(torch).values() if type(value) is torch.dtype
}
_FUNCTIONS_OFF = torch._C.DisableTorchFunctionSubclass


class TooLarge(ValueError):
    """A value that does not fit in a frame."""


class Encoder:
    """Encodes the values of one frame; `keep` answers for an object that cannot cross.

    In a guest `keep` registers the object and returns its handle; in the grader it raises TypeError.
    """

    def __init__(self, keep: Callable[[object], Node]) -> None:
        self._keep = keep
        self._nodes = 0
        self._size = 0
        self._tensors: list[torch.Tensor] = []
        self.handles: list[int] = []  # those met; they mean nothing in another guest

    def encode(self, value: object, depth: int = 0) -> Node:
        kind = type(value)
        if value is None or kind is bool or kind is float:
            return value  # type: ignore[return-value]
        if depth > MAX_DEPTH:
            return self._keep(value)
        if issubclass(kind, torch.Tensor):
            plain = plain_tensor(value)  # type: ignore[arg-type]
            return self._keep(value) if plain is None else self._tensor(plain)
        return self._scalar(kind, value) if _is_scalar(kind) else self._container(kind, value, depth)

    def _scalar(self, kind: type, value: Any) -> Node:
        if issubclass(kind, int):
            number = int.__int__(value)
            return number if -(2**63) <= number < 2**63 else self._keep(value)
        if issubclass(kind, float):
            return float.__float__(value)
        if issubclass(kind, str):
            text = str.__str__(value)
            if len(text) > MAX_TEXT:
                return self._keep(value)
            # Lone surrogates are a str to Python and no text to anyone else.
            return text.encode("utf-8", "replace").decode() if not text.isascii() else text
        if issubclass(kind, bytes):
            return (
                BytesNode(bytes.__getitem__(value, slice(None)))
                if len(value) <= MAX_TEXT
                else self._keep(value)
            )
        return DtypeNode(str(value).removeprefix("torch."))

    def _container(self, kind: type, value: Any, depth: int) -> Node:
        deeper = depth + 1
        if kind is Opaque:
            self.handles.append(value.id)
            return OpaqueNode(value.id, value.type_name, value.is_module, value.text)
        if issubclass(kind, tuple):
            return TupleNode([self.encode(item, deeper) for item in self._counted(tuple.__iter__(value))])
        if issubclass(kind, list):
            return ListNode([self.encode(item, deeper) for item in self._counted(list.__iter__(value))])
        if issubclass(kind, dict) and all(issubclass(type(key), str) for key in dict.keys(value)):
            items = list(dict.items(value))
            keys = [str.__str__(key).encode("utf-8", "replace").decode() for key, _ in items]
            return DictNode(keys, [self.encode(item, deeper) for _, item in self._counted(items)])
        if issubclass(kind, BaseException):
            return ExceptionNode(kind.__name__[:MAX_LABEL], _message(value))
        return self._keep(value)

    def _counted(self, items: Iterable[_T]) -> list[_T]:
        found = list(items)
        self._nodes += len(found)
        if self._nodes > MAX_NODES:
            raise TooLarge(f"more than {MAX_NODES} values in lists, tuples and dicts")
        return found

    def _tensor(self, tensor: torch.Tensor) -> TensorNode:
        self._size += tensor.numel() * tensor.element_size()
        if self._size > MAX_BODY - MAX_TEXT:
            raise TooLarge(f"tensors of more than {(MAX_BODY - MAX_TEXT) // 2**20} MiB together")
        self._tensors.append(tensor)
        return TensorNode(len(self._tensors) - 1)

    def body(self) -> list[bytes | memoryview]:
        """The tensors met so far, as the parts of one safetensors document."""
        if not self._tensors:
            return []
        table: dict[str, _Entry] = {}
        parts: list[bytes | memoryview] = []
        end = 0
        for index, tensor in enumerate(self._tensors):
            data = _bytes(tensor)
            parts.append(data)
            table[str(index)] = _Entry(_CODES[tensor.dtype], tuple(tensor.shape), (end, end + len(data)))
            end += len(data)
        header = _write_table(table)
        header += b" " * (-len(header) % 8)
        return [len(header).to_bytes(8, "little") + header, *parts]


def without_sets(value: object, depth: int = 3) -> object:
    """The value with each set of texts or numbers in it as a sorted list, which has a form on the wire."""
    kind = type(value)
    if kind is set or kind is frozenset:
        items = list(value)  # type: ignore[call-overload]
        if all(type(item) in (str, int, float) for item in items):
            return sorted(items, key=str)
    elif depth and kind is dict:
        return {key: without_sets(item, depth - 1) for key, item in value.items()}  # type: ignore[attr-defined]
    elif depth and (kind is list or kind is tuple):
        return kind(without_sets(item, depth - 1) for item in value)  # type: ignore[attr-defined]
    return value


def _is_scalar(kind: type) -> bool:
    return issubclass(kind, (int, float, str, bytes)) or kind is torch.dtype


def _message(error: BaseException) -> str:
    try:
        return str(error)[:2000].encode("utf-8", "replace").decode()
    except Exception:
        return "(its message could not be read)"


def _bytes(tensor: torch.Tensor) -> bytes | memoryview:
    if tensor.numel() == 0:
        return b""
    flat = tensor.view(-1)
    if tensor.dtype is torch.bfloat16:  # numpy has no such type
        flat = flat.view(torch.uint8)
    array: Any = flat.numpy()
    return memoryview(array).cast("B")


def plain_tensor(value: torch.Tensor) -> torch.Tensor | None:
    """A plain, contiguous, detached CPU tensor with the same contents; None when there is no such thing.

    A subclass's own `__torch_function__` is not asked. Sparse, quantized, nested and meta tensors, and
    dtypes that safetensors does not know, have no plain form.
    """
    try:
        with _FUNCTIONS_OFF():
            plain = value
            if type(value) is not torch.Tensor:
                if torch._C._dispatch_keys(value).has(torch._C.DispatchKey.Python):
                    return None
                # Asked of the plain tensor from here on: a subclass may have a `dtype` or `shape` of its own.
                plain = torch.Tensor.as_subclass(value, torch.Tensor)
            plain = plain.detach()
            if (
                plain.layout is not torch.strided
                or plain.is_quantized
                or plain.is_nested
                or plain.is_meta
                or plain.dtype not in _CODES
            ):
                return None
            if plain.numel() * plain.element_size() > MAX_BODY:
                raise TooLarge(f"a tensor of {plain.numel() * plain.element_size() / 2**20:.0f} MiB")
            return plain.cpu().resolve_conj().resolve_neg().contiguous()
    except (RuntimeError, NotImplementedError, TypeError):
        return None


def tensors_of(body: bytearray) -> list[torch.Tensor]:
    """The tensors of a frame's body, in order, in the body's own memory.

    Reads what `Encoder.body` writes and nothing else: FrameError unless every name, dtype, shape and offset
    is as it must be, so that a body cannot ask for more memory than it has, or let two tensors overlap.
    """
    if not body:
        return []
    size = int.from_bytes(body[:8], "little")
    if len(body) < 8 or size > min(MAX_TABLE, len(body) - 8):
        raise FrameError("tensors without a table")
    try:
        table = _read_table(memoryview(body)[8 : 8 + size])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FrameError(f"tensors that cannot be read ({str(error)[:200]})") from None
    found, end = [], 8 + size
    for index in range(len(table)):
        entry = table.get(str(index))
        if entry is None:
            raise FrameError("a tensor with an unknown name")
        found.append(_rebuild(entry, body, end, 8 + size))
        end += entry.data_offsets[1] - entry.data_offsets[0]
    if end != len(body):
        raise FrameError("tensors that leave a part of the frame over")
    return found


def _rebuild(entry: _Entry, body: bytearray, start: int, base: int) -> torch.Tensor:
    dtype = _DTYPES.get(entry.dtype)
    if dtype is None:
        raise FrameError(f"a tensor of an unknown dtype, {entry.dtype[:20]}")
    if len(entry.shape) > MAX_DIMENSIONS or any(not 0 <= size < 2**40 for size in entry.shape):
        raise FrameError("a tensor of an impossible shape")
    count = math.prod(entry.shape)
    length = count * dtype.itemsize
    if entry.data_offsets != (start - base, start - base + length) or start + length > len(body):
        raise FrameError("a tensor whose shape and size disagree")
    try:
        if not count:
            return torch.empty(entry.shape, dtype=dtype)
        if dtype is torch.bool:
            # Bytes other than 0 and 1 are undefined behaviour as bools; torch would compute wrong with them.
            raw = torch.frombuffer(body, dtype=torch.uint8, count=count, offset=start)
            return raw.ne(0).reshape(entry.shape)
        if start % dtype.itemsize:
            aligned = bytearray(memoryview(body)[start : start + length])
            return torch.frombuffer(aligned, dtype=dtype).reshape(entry.shape)
        return torch.frombuffer(body, dtype=dtype, count=count, offset=start).reshape(entry.shape)
    except (RuntimeError, ValueError, TypeError, OverflowError):
        raise FrameError("a tensor of an impossible shape") from None


class Decoder:
    """Rebuilds the values of one frame; `find` turns a handle into what is put in its place.

    `lent` does so for what the grader holds; there is none in a frame from a guest.
    """

    def __init__(
        self,
        tensors: Sequence[torch.Tensor],
        find: Callable[[OpaqueNode], object],
        lent: Callable[[HeldNode], object] | None = None,
    ) -> None:
        self._tensors = tensors
        self._find = find
        self._lent = lent
        self._left = MAX_NODES + 1000

    def decode(self, node: Node, depth: int = 0) -> Value:
        kind = type(node)
        if node is None or kind in (bool, int, float, str):
            return node
        if depth > MAX_DEPTH + 2:
            raise FrameError("a value that is too deep")
        if isinstance(node, TensorNode):
            if not 0 <= node.index < len(self._tensors):
                raise FrameError("a tensor that is not in the frame")
            return self._tensors[node.index]
        if isinstance(node, TupleNode):
            return tuple(self._items(node.items, depth))
        if isinstance(node, ListNode):
            return self._items(node.items, depth)
        if isinstance(node, DictNode):
            if len(node.keys) != len(node.items):
                raise FrameError("a dict whose keys and items disagree")
            return dict(zip(node.keys, self._items(node.items, depth), strict=True))
        return self._leaf(node)

    def _items(self, items: list[Node], depth: int) -> list[Value]:
        self._left -= len(items)
        if self._left < 0:
            raise FrameError("a value that is too large")
        return [self.decode(item, depth + 1) for item in items]

    def _leaf(self, node: Node) -> Value:
        if isinstance(node, BytesNode):
            return node.data
        if isinstance(node, DtypeNode):
            dtype = _ALL_DTYPES.get(node.name)
            if dtype is None:
                raise FrameError("an unknown dtype")
            return dtype
        if isinstance(node, ExceptionNode):
            return RemoteException(node.type_name[:MAX_LABEL], node.message[:4000])
        if isinstance(node, OpaqueNode):
            return self._find(node)
        if isinstance(node, HeldNode) and self._lent is not None:
            return self._lent(node)
        raise FrameError("an unknown kind of value")
