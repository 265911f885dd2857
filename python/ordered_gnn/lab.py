"""Searches and tables of many runs; results are pandas DataFrames."""
import json
import os
import tempfile
from typing import Any, Callable, Dict, Mapping, Optional, Sequence

from . import _core
from ._core import UsageError
from .options import to_core

Told = Optional[Callable[[str], Any]]


def sweep(search: Any, out: Any, data: Optional[str] = None, *,
          method: Optional[str] = None, trials: Optional[int] = None,
          seeds: Sequence[int] = (), retry_failed: bool = False,
          progress: Told = None, **options: Any) -> Any:
    """``ognn sweep``: searches for the settings with the best validation score.

    Args:
        search: a dict of options to search, {"lr": [0.01, 0.005], "layers": {"min":
            2, "max": 8, "step": 2}}; or a sweep file or built-in name.
        out: folder of the sweep; one that was stopped there goes on.
        data: dataset, where the file does not name it.
        method: "grid", "random" or "halving".
        trials: settings to draw.
        progress: called with a line of text now and then, on any thread.
        options: options of every run, such as splits="all", workers=0.

    Returns a DataFrame, a row per trial, best first; ``frame.attrs`` has "best" (all
    options of the best trial), "best_test_mean" and "dataset". Ctrl-C raises
    KeyboardInterrupt; what was run is kept.
    """
    if data is not None:
        options["data"] = data
    chosen = to_core({"method": method, "trials": trials})
    with tempfile.TemporaryDirectory(prefix="ordered_gnn-") as folder:
        if isinstance(search, Mapping):
            file = os.path.join(folder, "sweep.json")
            content: Dict[str, Any] = {"search": to_core(search)}
            if seeds:
                content["seeds"] = list(seeds)
            with open(file, "w", encoding="utf-8") as written:
                json.dump(content, written)
            search = file
        elif seeds:
            raise UsageError("seeds of a sweep file are in the file")
        found = _core.sweep(search, to_core(options), chosen, out, retry_failed,
                            progress)
    return _frame(found["trials"], first=("trial",), attrs={
        name: found[name] for name in ("best", "best_test_mean", "dataset")})


def compare(models: Sequence[str], data: str, out: Any, *,
            splits: str = "all", seeds: Sequence[int] = (), trials: int = 16,
            retry_failed: bool = False, progress: Told = None,
            **options: Any) -> Any:
    """``ognn compare``: models on the same splits after the same effort of tuning.

    Returns a DataFrame, a row per model; ``frame.attrs`` has "conclusion" and
    "comparison" (all that compare.json holds).
    """
    found = _core.compare(list(models), to_core({**options, "data": data}),
                          splits, list(seeds), trials, out, retry_failed,
                          progress)
    return _frame(found["models"], first=("model",), attrs={
        "conclusion": found["conclusion"], "comparison": found})


def reproduce(experiment: str, out: Any, *, datasets: Sequence[str] = (),
              models: Sequence[str] = (), seeds: Sequence[int] = (),
              splits: str = "", quick: bool = False,
              retry_failed: bool = False, progress: Told = None,
              **options: Any) -> Any:
    """``ognn reproduce``: a table or figure of the paper, or "all".

    Returns a DataFrame, a row per number; ``frame.attrs["experiments"]`` has all that
    results.json holds. Data that is not there is a row with status "missing".
    """
    choices = {"datasets": list(datasets), "models": list(models),
               "seeds": list(seeds), "splits": splits, "quick": quick}
    found = _core.reproduce(experiment, choices, to_core(options), out,
                            retry_failed, progress)
    rows = [{"experiment": result["experiment"], **cell}
            for result in found for cell in result["cells"]]
    return _frame(rows, first=("experiment", "row", "column"),
                  attrs={"experiments": found})


def _frame(rows: Sequence[Dict[str, Any]], first: Sequence[str],
           attrs: Dict[str, Any]) -> Any:
    import pandas
    frame = pandas.DataFrame(list(rows))
    rest = [name for name in frame.columns if name not in first]
    frame = frame[[name for name in first if name in frame.columns] + rest]
    frame.attrs.update(attrs)
    return frame
