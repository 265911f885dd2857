"""What a trained model does, for a graph or some of its nodes."""
import html
import os
from typing import Any, Dict, Iterable, List, Optional, Union

import numpy as np

from . import _core
from ._core import Dataset, Trained, UsageError
from .datasets import load

Nodes = Union[int, str, Iterable[Union[int, str]], None]


class Explanation:
    """A page about a model and the numbers on it; shown in a notebook.

    Attributes:
        html: the page of ``ognn explain --out``: one file, no network needed.
        data: what ``ognn explain --json`` prints, as a dict.
        nodes: the explained nodes of it, a dict each.
    """

    def __init__(self, page: str, data: Dict[str, Any]) -> None:
        self.html = page
        self.data = data

    @property
    def nodes(self) -> List[Dict[str, Any]]:
        return list(self.data.get("nodes", []))

    def save(self, file: Any) -> None:
        """Writes the page."""
        with open(os.fspath(file), "w", encoding="utf-8") as out:
            out.write(self.html)

    def _repr_html_(self) -> str:
        # A frame of its own, so that styles and scripts of page and notebook do
        # not meet.
        inside = html.escape(self.html, quote=True)
        return (f'<iframe srcdoc="{inside}" style="width:100%;height:700px;'
                'border:0" title="Explanation"></iframe>')

    def __repr__(self) -> str:
        return (f"<Explanation of {self.data['dataset']}, "
                f"{len(self.nodes)} nodes in detail>")


def node_numbers(data: Dataset, nodes: Nodes) -> List[int]:
    """Numbers of nodes that are given by number or name."""
    if nodes is None:
        return []
    if isinstance(nodes, (int, str, np.integer)):
        nodes = [nodes]
    place = {name: i for i, name in enumerate(data.node_names)}
    found = []
    for node in nodes:
        if isinstance(node, str):
            if node not in place:
                raise UsageError(f"there is no node '{node}' in '{data.name}'")
            found.append(place[node])
        else:
            found.append(int(node))
    return found


def explain(trained: Trained, data: Any, nodes: Nodes = None, *,
            split: int = -1, importance: int = 0,
            page: bool = True) -> Explanation:
    """Explains a model on a graph, and some nodes one by one.

    Args:
        data: a Dataset, or what datasets.load() takes.
        nodes: numbers or names of nodes.
        split: which of ``data.splits`` is scored; -1: that of the training.
        importance: of so many attributes it is measured how much they matter.
        page: make the page, which takes a moment on large graphs.
    """
    if not isinstance(data, Dataset):
        data = load(data, for_training=False)
    made, found = _core.explain(trained, data, node_numbers(data, nodes), split,
                                importance, None, page)
    return Explanation(made, found)


def describe_nodes(trained: Trained, data: Dataset,
                   split: int = -1) -> Dict[str, Optional[np.ndarray]]:
    """Arrays of what is known of every node: label, predicted, confidence, degree,
    homophily, part, hop_shares [N, K + 1], open_gates [N, layers]."""
    found = _core.describe_nodes(trained, data, split)
    return {name: None if values is None else
            np.array(values) if isinstance(values, list) else values.numpy()
            for name, values in found.items()}
