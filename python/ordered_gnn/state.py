"""Results of layers in training."""
from typing import Any, Callable, Dict, Optional, Tuple

import torch
import torch.nn.functional as F

from . import _core

#: A context in which a LayerState is treated as any tensor.
plainly = getattr(torch._C, "DisableTorchFunctionSubclass",
                  torch._C.DisableTorchFunction)
_is_capturing: Callable[[], bool] = getattr(
    torch._C, "_cuda_isCurrentStreamCapturing", lambda: False)
_STEPS = 2 ** 47  # that masks tell apart


class LayerState(torch.Tensor):
    """The result of a layer in training: a tensor like any other, whose dropout is ours.

    PyTorch keeps the mask of a dropout for the gradient and, on the CPU, draws it on one
    thread. That of a layer's result, by F.dropout, nn.Dropout or torch.dropout, runs on
    all threads and keeps nothing; its seed is drawn from PyTorch's generator of the CPU.
    Whatever else is done with the result gives plain tensors.
    """
    on_gpu = False

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Tuple[Any, ...] = (),
                           kwargs: Optional[Dict[str, Any]] = None) -> Any:
        given = kwargs or {}
        if func is F.dropout:
            return _dropout(*args, **given)
        if func is torch.dropout:
            return _dropout_of_aten(*args, **given)
        with plainly():
            return func(*args, **given)


class GpuLayerState(LayerState):
    """The same on a GPU."""
    on_gpu = True


def drawn_step(device: torch.device) -> torch.Tensor:
    """A number [1] that a captured CUDA graph draws anew whenever it runs."""
    return torch.empty((1,), dtype=torch.int64, device=device).random_(_STEPS)


def _dropout(input: LayerState, p: float = 0.5, training: bool = True,
             inplace: bool = False) -> torch.Tensor:
    if training and not inplace and 0 < p < 1:
        if input.on_gpu and _is_capturing():  # the seed alone would stay the same
            with plainly():
                return _core.drawn_dropout(input, p, drawn_step(input.device))
        return _core.drawn_dropout(input, p)
    with plainly():
        return F.dropout(input.as_subclass(torch.Tensor),  # type: ignore[arg-type]
                         p, training, inplace)


def _dropout_of_aten(input: LayerState, p: float, train: bool) -> torch.Tensor:
    return _dropout(input, p, train)


def as_state(h: torch.Tensor) -> torch.Tensor:
    """The result of a layer, which nobody else has yet, as LayerState where gradients
    come: the same object, since a view would be a node more for autograd."""
    if h.requires_grad:
        if h.is_cuda:
            h.__class__ = GpuLayerState  # type: ignore[assignment]
        elif h.device.type == "cpu":
            h.__class__ = LayerState  # type: ignore[assignment]
    return h
