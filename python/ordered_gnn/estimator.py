"""What scikit-learn's base classes do, for machines without it."""
import inspect
from typing import Any, Dict, List


class NotFittedError(ValueError, AttributeError):
    """A model was asked before it was fitted."""


class ClassifierMixin:
    """Marks a classifier."""
    _estimator_type = "classifier"


class BaseEstimator:
    """Parameters by name, as constructors take them."""

    @classmethod
    def _get_param_names(cls) -> List[str]:
        return [name for name in inspect.signature(cls.__init__).parameters
                if name != "self"]

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """The parameters of the constructor."""
        return {name: getattr(self, name) for name in self._get_param_names()}

    def set_params(self, **values: Any) -> "BaseEstimator":
        """Sets parameters of the constructor."""
        known = self._get_param_names()
        for name, value in values.items():
            if name not in known:
                raise ValueError(f"there is no parameter '{name}'; known: {known}")
            setattr(self, name, value)
        return self
