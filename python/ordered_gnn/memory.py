"""Memory of large tensors on the CPU, kept from one step of training to the next.

Every step asks for the same sizes again, and fresh pages cost more than most loops over
them: the dropout of wide features takes most of its time to get some. While a layer lives
that trains on the CPU, torch therefore keeps large blocks that are freed for the next
ones; with the last such layer the blocks go back to the system.
"""
import weakref
from typing import Optional

import torch

from . import _core

_LARGE = 2 ** 18  # numbers; blocks below a MiB are not kept
_wanted: Optional[bool] = None  # None: while layers train
_layers: "weakref.WeakSet[torch.nn.Module]" = weakref.WeakSet()
_alive = 0


def use_recycling_allocator(on: bool = True) -> None:
    """Lets torch keep large blocks of freed tensors for the rest of the process, or, with
    False, never; unless it is called, while a layer lives that trains on the CPU."""
    global _wanted
    _wanted = on
    if on:
        _core.begin_recycling()
    else:
        _core.end_recycling()


def recycle_while_alive(layer: torch.nn.Module, rows: torch.Tensor) -> None:
    """Lets torch keep large blocks as long as `layer` lives, which trains on `rows`."""
    global _alive
    if rows.is_cuda or _wanted is not None or rows.numel() < _LARGE or \
            layer in _layers or rows.device.type != "cpu" or \
            not torch.is_grad_enabled() or not _core.begin_recycling():
        return
    _layers.add(layer)
    _alive += 1
    weakref.finalize(layer, _gone).atexit = False


def _gone() -> None:
    global _alive
    _alive -= 1
    if _alive == 0 and _wanted is None:
        _core.end_recycling()
