"""Ordered GNN from Python: the C++ engine of the command ``ognn``.

    import ordered_gnn as og
    model = og.OrderedGNNClassifier(layers=4).fit(x, y, graph=edge_index)
    model.predict_proba()            # [N, C], of the graph it was trained on
    model.explain(12)                # a page, shown in a notebook

Importing it registers ``torch.ops.ordered_gnn.*``; docs/python.md tells the rest.
"""
import importlib
from typing import TYPE_CHECKING, Any, List

import torch as _torch  # first: the module below uses the LibTorch it loads

from . import _core
from ._core import Dataset, Error, Interrupted, Trained, UsageError
from . import meta as _meta
from .memory import use_recycling_allocator
from .options import default_options, models, options

__version__: str = _core.version

if TYPE_CHECKING:
    from . import datasets, nn, ops
    from .classifier import OrderedGNNClassifier
    from .datasets import (from_networkx, from_pyg, import_tables, load,
                           make_dataset, to_networkx, to_pyg)
    from .explanation import Explanation, explain
    from .lab import compare, reproduce, sweep
    from .nn import Graph, OrderedGNN, OrderedGNNConv, to_torch
    from .training import load_trained, predict, predictions, train

# Loaded when they are asked for: what they need takes longer to import than torch.
_HOMES = {
    "OrderedGNNClassifier": "classifier",
    "from_networkx": "datasets", "from_pyg": "datasets",
    "import_tables": "datasets", "load": "datasets",
    "make_dataset": "datasets", "to_networkx": "datasets",
    "to_pyg": "datasets",
    "Explanation": "explanation", "explain": "explanation",
    "compare": "lab", "reproduce": "lab", "sweep": "lab",
    "Graph": "nn", "OrderedGNN": "nn", "OrderedGNNConv": "nn",
    "to_torch": "nn",
    "load_trained": "training", "predict": "training",
    "predictions": "training", "train": "training",
}
_MODULES = ("classifier", "datasets", "explanation", "lab", "nn", "ops",
            "training")

__all__ = ["Dataset", "Error", "Interrupted", "Trained", "UsageError",
           "default_options", "models", "options", "num_threads",
           "set_num_threads", "use_recycling_allocator",
           "release_recycled_memory", *_HOMES, *_MODULES]

num_threads = _core.num_threads
set_num_threads = _core.set_num_threads
release_recycled_memory = _core.release_recycled_memory


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module("." + name, __name__)
    if name in _HOMES:
        module = importlib.import_module("." + _HOMES[name], __name__)
        return getattr(module, name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__() -> List[str]:
    return sorted({*globals(), *__all__})
