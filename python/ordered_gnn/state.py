"""Results of layers on the CPU."""
from typing import Any, Dict, Optional, Tuple

import torch
import torch.nn.functional as F

from . import ops

_plainly = getattr(torch._C, "DisableTorchFunctionSubclass",
                   torch._C.DisableTorchFunction)


class LayerState(torch.Tensor):
    """The result of a layer on the CPU, in training: a tensor like any other, whose
    dropout is ours.

    PyTorch draws the mask of a dropout on one thread and keeps it for the gradient. That
    of a layer's result, by F.dropout, nn.Dropout or torch.dropout, runs on all threads and
    keeps nothing; its seed is drawn from PyTorch's generator. Whatever else is done with
    the result gives plain tensors.
    """

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Tuple[Any, ...] = (),
                           kwargs: Optional[Dict[str, Any]] = None) -> Any:
        given = kwargs or {}
        with _plainly():
            if func is F.dropout:
                return _dropout(*args, **given)
            if func is torch.dropout:
                return _dropout_of_aten(*args, **given)
            return func(*args, **given)


def _dropout(input: torch.Tensor, p: float = 0.5, training: bool = True,
             inplace: bool = False) -> torch.Tensor:
    x = input.as_subclass(torch.Tensor)  # type: ignore[arg-type]
    if inplace or not training or not 0 < p < 1:
        return F.dropout(x, p, training, inplace)
    seed = int(torch.empty((), dtype=torch.int64).random_().item())
    return ops.dropout(x, p, ops.DropoutKey(seed))


def _dropout_of_aten(input: torch.Tensor, p: float, train: bool) -> torch.Tensor:
    return _dropout(input, p, train)


def as_state(h: torch.Tensor) -> torch.Tensor:
    """The result of a layer, as LayerState where dropout follows and gradients come."""
    if h.device.type != "cpu" or not h.requires_grad:
        return h
    return h.as_subclass(LayerState)  # type: ignore[arg-type]
