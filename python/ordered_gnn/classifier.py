"""OrderedGNNClassifier: the trainer of ``ognn train`` with scikit-learn's manners."""
import inspect
import warnings
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import _core
from ._core import Dataset, Trained, UsageError
from .datasets import load, make_labelled_dataset
from .explanation import Explanation, Nodes, describe_nodes, explain
from .inputs import classes_of, edges_from, is_frame, labels_from
from .options import effective_options, options
from .progress import Progress
from .training import Prediction, _folder, load_trained, predict, \
    prediction_frame, run

try:
    from sklearn.base import BaseEstimator, ClassifierMixin  # type: ignore[import]
    from sklearn.exceptions import NotFittedError  # type: ignore[import]
except ImportError:  # everything but scikit-learn's own tools works without it
    from .estimator import BaseEstimator, ClassifierMixin, NotFittedError

# Options that say where data of files is; arrays are given to fit() instead.
_FILE_OPTIONS = {"data", "data-root", "format", "split-file", "unlabelled",
                 "splits", "workers"}


def _option_rows() -> List[Dict[str, Any]]:
    return [row for row in options() if row["name"] not in _FILE_OPTIONS
            and row["name"] not in ("model", "missing-columns")]


_OWN = {"folder": None, "resume": False, "callbacks": None, "progress": "auto",
        "unlabelled": -1, "columns": None, "missing_columns": "error",
        "validation_fraction": 0.2}


def _signature() -> inspect.Signature:
    kind = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD),
        inspect.Parameter("model", inspect.Parameter.POSITIONAL_OR_KEYWORD,
                          default="ordered_gnn")]
    names = [(row["python_name"], None) for row in _option_rows()]
    for name, default in [*names, *_OWN.items()]:
        parameters.append(inspect.Parameter(name, kind, default=default))
    return inspect.Signature(parameters)


def _options_help() -> str:
    lines = []
    for row in _option_rows():
        lines.append(f"    {row['python_name']}: {row['help']} "
                     f"({row['values']}; default {row['default']!r})")
    return "\n".join(lines)


class OrderedGNNClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Node classification with the Ordered GNN or any other model of the table.

    An option that is None has the default of the model, see
    ``ordered_gnn.default_options(model)``; after fit() ``options_`` has them all.

    Parameters:
        model: name of the model, see ``ordered_gnn.models()``.
        folder: for checkpoint, metrics and state of the run; None: nothing is kept.
        resume: go on with the run that was stopped in the folder.
        callbacks: functions called after every epoch with a dict (epoch, epochs,
            loss, lr, train, val, test, best_epoch, best_score, seconds,
            seconds_left); one that returns True stops the fit.
        progress: True, False, or "auto": in a notebook or on a terminal.
        unlabelled: label that means none, beside None and NaN; None: there is none.
        columns: of a DataFrame: kinds of columns, such as {"zip": "category"}.
        missing_columns: "error", or "fill": a DataFrame of predict() may lack columns.
        validation_fraction: share of the labelled nodes by which the best epoch is
            chosen, where fit() is given no masks and split_set is None.

    Attributes after fit(): classes_ [C], n_features_in_, options_ (all options),
    trained_ (the model), data_ (the graph it was trained on), result_ (scores),
    history_ (arrays epoch, loss, train, val, test), interrupted_ (by Ctrl-C).
    """
    classes_: np.ndarray
    trained_: Trained
    data_: Optional[Dataset]

    def __init__(self, model: str = "ordered_gnn", **values: Any) -> None:
        known = type(self).__init__.__signature__.parameters  # type: ignore[attr-defined]
        for name in values:
            if name not in known:
                effective_options({name: values[name]})  # says what is near
                raise TypeError(f"'{name}' is no parameter of "
                                "OrderedGNNClassifier: arrays are given to fit()")
        self.model = model
        for name, parameter in list(known.items())[2:]:
            setattr(self, name, values.get(name, parameter.default))

    def _given_options(self) -> Dict[str, Any]:
        given = {row["python_name"]: getattr(self, row["python_name"])
                 for row in _option_rows()}
        return {"model": self.model,
                **{name: v for name, v in given.items() if v is not None}}

    # -- fitting

    def fit(self, X: Any, y: Any = None, graph: Any = None, *,
            train: Any = None, val: Any = None, test: Any = None,
            split: int = 0) -> "OrderedGNNClassifier":
        """Trains on the labelled nodes.

        Args:
            X: features [N, F]: NumPy, SciPy sparse, torch or a DataFrame, whose columns
                are treated as ``ognn data import`` does; or a Dataset.
            y: labels [N] of any kind; see `unlabelled`.
            graph: edge index [2, E], SciPy sparse adjacency, networkx graph or PyG
                Data; None: no edges, every node by itself.
            train, val, test: masks [N] or node numbers. Without any, part of the
                labelled nodes is drawn for validation.
            split: of a Dataset that has several.

        Ctrl-C ends the fit with a warning and the best model so far; before the first
        epoch is over it raises KeyboardInterrupt.
        """
        given = self._given_options()
        self.options_ = effective_options(given)
        data, classes = self._training_data(X, y, graph, train, val, test)
        progress = Progress(self.progress, self.options_["metric"])
        told, seconds = self._told(progress)
        try:
            with _folder(self.folder) as place:
                done = run(data, split, given, place, self.resume, told, seconds)
        finally:
            progress.close()
        if done.trained is None:
            if done.interrupted:
                raise KeyboardInterrupt
            raise _core.Interrupted("the fit was stopped before its first epoch was "
                                    "over; there is no model")
        self.interrupted_ = done.interrupted
        self._keep(done.trained, data, classes)
        if self.folder is None:
            self.result_["checkpoint"] = ""  # it was only there for Ctrl-C
        self.history_ = done.history
        if done.stopped:  # a checkpoint does not say how far its run had come
            self.n_iter_ = int(done.history["epoch"][-1])
            self.result_["epochs"] = self.n_iter_
        if done.interrupted:
            warnings.warn("the fit was interrupted after epoch "
                          f"{self.n_iter_}; the model is that of the "
                          f"best epoch so far, {self.result_['best_epoch']}",
                          stacklevel=2)
        return self

    def _told(self, progress: Progress
              ) -> Tuple[Optional[Callable[[Dict[str, Any]], Any]], float]:
        callbacks: Sequence[Callable[[Dict[str, Any]], Any]] = \
            [self.callbacks] if callable(self.callbacks) else \
            list(self.callbacks or [])
        if not callbacks:
            return (progress if progress.active else None), Progress.EVERY_SECONDS

        def told(report: Dict[str, Any]) -> bool:
            progress(report)
            return any([bool(call(report)) for call in callbacks])
        return told, 0.0

    def _training_data(self, X: Any, y: Any, graph: Any, train: Any, val: Any,
                       test: Any) -> Tuple[Dataset, np.ndarray]:
        if isinstance(X, (str, Dataset)):
            if y is not None or graph is not None:
                raise UsageError("a Dataset has labels and a graph of its own; give "
                                 "it alone")
            data = load(X) if isinstance(X, str) else X
            names: Any = data.class_names
            return data, np.array(names) if names else np.arange(data.num_classes)
        if y is None:
            raise UsageError("labels: fit requires y to be passed, but the target y "
                             "is None")
        return self._from_arrays(X, y, graph, train, val, test)

    def _from_arrays(self, X: Any, y: Any, graph: Any, train: Any, val: Any,
                     test: Any) -> Tuple[Dataset, np.ndarray]:
        shares = round(100 * float(self.validation_fraction), 6)
        drawn = self.split_set or \
            f"stratified:{100 - shares:g}/{shares:g}/0x1"
        data, classes = make_labelled_dataset(
            X, graph, y, train=train, val=val, test=test, name="arrays",
            undirected=False, unlabelled=self.unlabelled,
            split_set="none" if train is not None else drawn,
            split_seed=self.split_seed or 0, columns=self.columns,
            node_names=None, **self._treatment())
        if len(classes) < 2:
            raise UsageError("labels: the classifier tells 2 classes or more apart, "
                             f"but the data has {len(classes)} class")
        return data, classes

    def _treatment(self) -> Dict[str, Any]:
        return {name: getattr(self, name) for name in
                ("direction", "self_loops", "features", "edge_weights")}

    def _keep(self, trained: Trained, data: Optional[Dataset],
              classes: np.ndarray) -> None:
        self.trained_ = trained
        self.data_ = data
        self.classes_ = classes
        self.n_features_in_ = trained.num_features
        if trained.columns:
            self.n_features_in_ = len(trained.columns)
            self.feature_names_in_ = np.array(
                [column["name"] for column in trained.columns], dtype=object)
        self.result_ = trained.result
        self.n_iter_ = int(self.result_["epochs"])

    @classmethod
    def from_checkpoint(cls, file: Any) -> "OrderedGNNClassifier":
        """A fitted classifier of a checkpoint, of save() or ``ognn train``.

        Its data_ is None unless the data it was trained on is found again.
        """
        trained = load_trained(file)
        known = {row["name"]: row["python_name"] for row in _option_rows()}
        given = {known[name]: value for name, value in trained.options.items()
                 if name in known}
        out = cls(trained.options["model"], **given)
        out.options_ = effective_options(out._given_options())
        data: Optional[Dataset] = None
        if trained.options.get("data"):
            try:
                data = _core.training_data(trained)
            except _core.Error as error:
                warnings.warn(str(error), stacklevel=2)
        out.interrupted_ = False
        out.history_ = {}
        out._keep(trained, data, classes_of(trained))
        return out

    def save(self, file: Any) -> None:
        """Writes a checkpoint that ``ognn predict`` and from_checkpoint() read."""
        self._fitted().save(file)

    # -- using

    def _fitted(self) -> Trained:
        if not hasattr(self, "trained_"):
            raise NotFittedError("This OrderedGNNClassifier is not fitted yet; call "
                                 "fit() first")
        return self.trained_

    def _data(self, X: Any, graph: Any) -> Dataset:
        trained = self._fitted()
        if isinstance(X, Dataset):
            return X
        if isinstance(X, str):
            return load(X, for_training=False)
        if X is None:
            if graph is not None:
                raise UsageError("features: a graph without features; give both")
            if self.data_ is None:
                raise UsageError("the data that the model was trained on is not here; "
                                 "give features and a graph")
            return self.data_
        had_edges = self.data_ is not None and edges_besides_loops(self.data_)
        if graph is None and had_edges and not hasattr(X, "edge_index"):
            raise UsageError("graph: the model was trained with one; give the graph of "
                             "these nodes, or no features for the nodes of the "
                             "training")
        return self._new_data(trained, X, graph)

    def _new_data(self, trained: Trained, X: Any, graph: Any) -> Dataset:
        if trained.columns and not is_frame(X):
            raise UsageError("features: the model was trained on a DataFrame; give one "
                             "with its columns")
        treatment = {name: trained.options[name] for name in
                     ("direction", "self-loops", "features", "edge-weights")}
        if self.direction is None and self.data_ is None:
            treatment["direction"] = "auto"
        data, _ = make_labelled_dataset(
            X, graph if graph is not None else
            (X if hasattr(X, "edge_index") else None), None, train=None,
            val=None, test=None, name="arrays", undirected=False,
            unlabelled=None, split_set="none", split_seed=0,
            columns=trained.columns or None, node_names=None,
            missing_columns=self.missing_columns,
            **{name.replace("-", "_"): v for name, v in treatment.items()})
        if data.num_features != trained.num_features:
            raise UsageError(f"X has {data.num_features} features, but "
                             "OrderedGNNClassifier is expecting "
                             f"{trained.num_features} features as input")
        return data

    def _predicted(self, X: Any, graph: Any, **wanted: Any) -> Prediction:
        data = self._data(X, graph)
        return predict(self._fitted(), data, threads=self.threads or 0, **wanted)

    def predict(self, X: Any = None, graph: Any = None) -> np.ndarray:
        """The most probable class of every node, [N].

        Args:
            X, graph: as fit() takes them; None: the graph of the training.
        """
        labels = self._predicted(X, graph).labels.numpy()
        return self.classes_[labels]

    def predict_proba(self, X: Any = None, graph: Any = None) -> np.ndarray:
        """Probabilities of the classes, [N, C], rows sum to 1."""
        return self._predicted(X, graph).probabilities.numpy()

    def predict_frame(self, X: Any = None, graph: Any = None) -> Any:
        """A DataFrame: node, label, confidence, prob_CLASS."""
        data = self._data(X, graph)
        said = predict(self._fitted(), data, threads=self.threads or 0)
        return prediction_frame(said, self.classes_, data.node_names)

    def score(self, X: Any = None, y: Any = None, graph: Any = None,
              sample_weight: Any = None) -> float:
        """Share of the labelled nodes that are predicted right.

        Without arguments: of the test nodes of the training, or of the validation
        nodes where there are none.
        """
        if X is None and y is None:
            test = self.result_["test"]["accuracy"]
            return float(self.result_["val"]["accuracy"] if test is None else test)
        classes, numbers = labels_from(y, self.unlabelled)
        known = numbers >= 0
        right = (self.predict(X, graph)[known] ==
                 classes[numbers[known]]).astype(float)
        if sample_weight is None:
            return float(right.mean())
        weight = np.asarray(sample_weight)[known]
        return float((right * weight).sum() / weight.sum())

    def embeddings(self, X: Any = None, graph: Any = None) -> np.ndarray:
        """States of the nodes before the output layer, [N, D]."""
        found = self._predicted(X, graph, embeddings=True).embeddings
        return np.empty(0) if found is None else found.numpy()

    def gates(self, X: Any = None, graph: Any = None) -> np.ndarray:
        """Gates of every layer, [K, N, G]; raises ``Error`` for a model without."""
        found = self._predicted(X, graph, gates=True).gates
        if not found:
            raise UsageError(f"{self.model} has no gates")
        return np.stack([gate.numpy() for gate in found])

    def hop_shares(self, X: Any = None, graph: Any = None) -> np.ndarray:
        """Share of a node's neurons that each hop owns, [N, K + 1]."""
        found = describe_nodes(self._fitted(), self._data(X, graph))["hop_shares"]
        if found is None:
            raise UsageError(f"{self.model} has no hop shares")
        return found

    def explain(self, nodes: Nodes = None, X: Any = None, graph: Any = None, *,
                importance: int = 0, page: bool = True) -> Explanation:
        """What the model does, for the graph and the nodes named; shows its page in a
        notebook. `importance` attributes are measured for how much they matter."""
        return explain(self._fitted(), self._data(X, graph), nodes,
                       importance=importance, page=page)

    def to_torch(self) -> Any:
        """A torch module of the trained model, see ordered_gnn.to_torch()."""
        from .nn import to_torch
        return to_torch(self._fitted())

    def _more_tags(self) -> Dict[str, Any]:
        return {"requires_y": True, "non_deterministic": False}


def edges_besides_loops(data: Dataset) -> bool:
    """Whether a node hears another one."""
    index = data.edge_index
    return bool((index[0] != index[1]).any())


OrderedGNNClassifier.__init__.__signature__ = _signature()  # type: ignore[attr-defined]
if OrderedGNNClassifier.__doc__:
    OrderedGNNClassifier.__doc__ += "\n    Options:\n" + _options_help()
