"""Options by their names in Python; the table itself is the C++ library's.

An option ``--dropout-theta`` of the command is ``dropout_theta`` here. Two have other
names: ``--lambda`` is ``layer_lambda``, for Python keeps the word to itself, and
``--transform`` is ``layer_transform``, for an estimator with a ``transform`` is a
transformer to scikit-learn.
"""
import functools
from typing import Any, Dict, List, Mapping, Tuple

from . import _core


_RENAMED = {"lambda": "layer_lambda", "transform": "layer_transform"}
_COMMANDS = {name: option for option, name in _RENAMED.items()}


def python_name(option: str) -> str:
    """The name of an option of the command in Python."""
    return _RENAMED.get(option, option.replace("-", "_"))


def option_name(name: str) -> str:
    """The name in the command of an option in Python."""
    return _COMMANDS.get(name, name.replace("_", "-"))


def options() -> List[Dict[str, Any]]:
    """Every option: name, group, help, kind, choices, values, default.

    ``python_name`` is what functions of this package call it. Defaults are those of
    Ordered GNN; ``default_options(model)`` has those of another model.
    """
    return [dict(row) for row in _table()]


@functools.lru_cache(maxsize=None)
def _table() -> Tuple[Dict[str, Any], ...]:
    return tuple({**row, "python_name": python_name(row["name"])}
                 for row in _core.option_table())


def models() -> List[Dict[str, Any]]:
    """Every model: name, summary, paper, the options it reads, its defaults."""
    return _core.models()


def default_options(model: str = "ordered_gnn") -> Dict[str, Any]:
    """All options as the model's paper has them, by their names in Python.

    Raises ``Error`` naming the known models when there is no such model.
    """
    return {python_name(name): value
            for name, value in _core.default_options(model).items()}


def to_core(values: Mapping[str, Any]) -> Dict[str, Any]:
    """Given options by their names in the command; None is: not given."""
    return {option_name(name): value for name, value in values.items()
            if value is not None}


def effective_options(values: Mapping[str, Any]) -> Dict[str, Any]:
    """All options of a run, those not given at the defaults of their model.

    Raises ``Error`` for an unknown name, with the nearest known one, and for values
    that do not fit.
    """
    found = _core.effective_options(to_core(values))
    return {python_name(name): value for name, value in found.items()}
