"""The front door: train, predict, and what keeps a model."""
import copyreg
import os
import tempfile
import warnings
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, \
    Tuple

import numpy as np
import torch

from . import _core
from ._core import Dataset, Trained
from .datasets import load
from .inputs import classes_of
from .options import to_core


class Prediction(NamedTuple):
    """What a model says of every node."""
    logits: torch.Tensor  #: [N, C] float32
    probabilities: torch.Tensor  #: [N, C], rows sum to 1
    labels: torch.Tensor  #: [N] int64, the most probable class
    embeddings: Optional[torch.Tensor] = None  #: [N, D], when asked for
    gates: Optional[List[torch.Tensor]] = None  #: per layer [N, G]


class Run(NamedTuple):
    """How a training run ended."""
    trained: Optional[Trained]  #: None: stopped before an epoch was over
    stopped: bool  #: by a callback or Ctrl-C
    interrupted: bool  #: by Ctrl-C
    history: Dict[str, np.ndarray]  #: epoch, loss, train, val, test (metric)


def run(data: Dataset, split: int, values: Mapping[str, Any], folder: str,
        resume: bool, on_epoch: Optional[Callable[[Dict[str, Any]], Any]],
        every_seconds: float = 0.0) -> Run:
    """Trains with the GIL released; see train()."""
    trained, ended, interrupted, history = _core.train(
        data, split, to_core(values), folder, resume, on_epoch, every_seconds,
        _warn)
    return Run(trained, ended == "stopped", interrupted,
               {name: column.numpy() for name, column in history.items()})


def _warn(note: str) -> None:
    warnings.warn(note, stacklevel=3)


def train(data: Any, split: int = 0, *, folder: Optional[Any] = None,
          resume: bool = False,
          callback: Optional[Callable[[Dict[str, Any]], Any]] = None,
          **options: Any) -> Trained:
    """Trains a model on one split, with the trainer of ``ognn train``.

    Args:
        data: a Dataset, or what datasets.load() takes.
        split: which of ``data.splits``.
        folder: for checkpoint, metrics and state; None: nothing is written.
        resume: go on from the state in the folder.
        callback: called after every epoch with a dict (epoch, loss, val, ...); True
            stops the run.
        options: any of ordered_gnn.options(), by their names in Python.

    The GIL is released. Raises ``Error`` as the command would say it, and
    KeyboardInterrupt on Ctrl-C; with a folder the state is saved there first.
    """
    if not isinstance(data, Dataset):
        data = load(data, **{name: options[name] for name in _DATA_OPTIONS
                             if name in options})
    with _folder(folder) as place:
        done = run(data, split, options, place, resume, callback)
    if done.interrupted:
        raise KeyboardInterrupt
    if done.trained is None:
        raise _core.Interrupted("the run was stopped before its first epoch was "
                                "over; there is no model")
    return done.trained


_DATA_OPTIONS = ("data_root", "format", "direction", "self_loops", "features",
                 "edge_weights", "split_set", "split_seed", "split_file")


class _folder:
    """The folder given, or one that is gone afterwards: a run that is stopped keeps
    its best model in a folder."""

    def __init__(self, folder: Optional[Any]) -> None:
        self.given = folder
        self.own: Optional["tempfile.TemporaryDirectory[str]"] = None

    def __enter__(self) -> str:
        if self.given is not None:
            return os.fspath(self.given)
        self.own = tempfile.TemporaryDirectory(prefix="ordered_gnn-")
        return self.own.name

    def __exit__(self, *_: Any) -> None:
        if self.own is not None:
            self.own.cleanup()


def load_trained(file: Any) -> Trained:
    """The model of a checkpoint, of ``Trained.save()`` or ``ognn train``."""
    return _core.load_trained(file)


def predict(trained: Trained, data: Any, *, embeddings: bool = False,
            gates: bool = False, threads: int = 0) -> Prediction:
    """What a trained model says of the nodes of a graph, on the CPU.

    Classes and named features are matched by name. The same bits as
    ``ognn predict``.
    """
    if not isinstance(data, Dataset):
        data = load(data, for_training=False)
    said = _core.predict(trained, data, embeddings, gates, threads)
    return Prediction(said["logits"], said["probabilities"], said["labels"],
                      said["embeddings"], said["gates"] or None)


def predictions(trained: Trained, data: Any) -> Any:
    """A pandas DataFrame: node, label, confidence, and prob_CLASS for each class."""
    import pandas
    if not isinstance(data, Dataset):
        data = load(data, for_training=False)
    said = predict(trained, data)
    return prediction_frame(said, classes_of(trained), data.node_names)


def prediction_frame(said: Prediction, classes: np.ndarray,
                     node_names: List[str]) -> Any:
    """predictions() of what was said before."""
    import pandas
    shares = said.probabilities.numpy()
    columns: Dict[str, Any] = {
        "node": node_names or np.arange(len(shares)),
        "label": classes[said.labels.numpy()],
        "confidence": shares.max(axis=1),
    }
    for c, of in enumerate(classes):
        columns[f"prob_{of}"] = shares[:, c]
    return pandas.DataFrame(columns)


def _trained_bytes(trained: Trained) -> bytes:
    with tempfile.TemporaryDirectory(prefix="ordered_gnn-") as folder:
        file = os.path.join(folder, "model.safetensors")
        trained.save(file)
        with open(file, "rb") as stored:
            return stored.read()


def _trained_from(content: bytes) -> Trained:
    with tempfile.TemporaryDirectory(prefix="ordered_gnn-") as folder:
        file = os.path.join(folder, "model.safetensors")
        with open(file, "wb") as stored:
            stored.write(content)
        return _core.load_trained(file)


def _dataset_parts(data: Dataset) -> Tuple[Any, ...]:
    features = None if data.features_kind == "identity" else data.features
    return (data.edge_index, data.edge_weight, features, data.num_nodes,
            data.labels, data.splits,
            {"name": data.name, "node_names": data.node_names,
             "class_names": data.class_names, "columns": data.columns,
             "feature_names": data.feature_names})


def _dataset_from(index: torch.Tensor, weight: Any, features: Any,
                  num_nodes: int, labels: torch.Tensor, splits: Any,
                  about: Dict[str, Any]) -> Dataset:
    kind = "raw" if features is not None else "identity"
    if features is None:
        features = torch.ones(num_nodes, 1)
    # Loops were added and rows normalised before.
    treatment = {"direction": "as_stored", "self-loops": "keep",
                 "features": kind, "edge-weights": "use"}
    return _core.make_dataset(index, features, labels, {
        **about, "treatment": treatment, "undirected": False,
        "edge_weights": weight, "splits": [list(s) for s in splits],
        "split_set": "none", "split_seed": 0})


copyreg.pickle(Trained, lambda t: (_trained_from, (_trained_bytes(t),)))
copyreg.pickle(Dataset, lambda d: (_dataset_from, _dataset_parts(d)))
