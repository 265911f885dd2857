"""The C++ models as torch modules."""
from typing import Any, Dict, Tuple

from torch import Tensor, nn

from . import _core
from ._core import Dataset, Trained


class EngineModule(nn.Module):
    """Any model of the table as a module: its forward pass is the C++ model's, with
    gradients; parameters are the C++ model's own tensors.

    Unlike OrderedGNN it takes a Dataset, which knows how the data was treated, and runs
    where the dataset is: on the CPU.
    """

    def __init__(self, trained: Trained) -> None:
        super().__init__()
        self.network = _core.network_of(trained)
        self.seed = int(trained.options["seed"])
        self.split = int(trained.result["split"])
        self.step = 0
        for name, value in self.network.parameters.items():
            # The tensor itself, not a copy: the C++ model computes with it.
            value.__class__ = nn.Parameter
            _place(self, name).register_parameter(
                name.split(".")[-1], value)  # type: ignore[arg-type]
        for name, value in self.network.buffers.items():
            _place(self, name).register_buffer(name.split(".")[-1], value)

    def forward(self, data: Dataset) -> Tensor:
        """Logits [N, C]; a training pass drops out."""
        if self.training:
            self.step += 1
        return self.network.forward(data, self.training, self.seed, self.step,
                                    self.split)

    def to_trained(self) -> Trained:
        """A checkpoint of the parameters as they are; its scores are the old ones."""
        return self.network.trained()

    def __deepcopy__(self, memo: Dict[int, Any]) -> "EngineModule":
        out = EngineModule(self.to_trained())
        out.train(self.training)
        out.step = self.step
        return out

    def __reduce__(self) -> Tuple[Any, ...]:
        from . import training  # noqa: F401  knows how to pickle a Trained
        return EngineModule, (self.to_trained(),)


def _place(module: nn.Module, name: str) -> nn.Module:
    for part in name.split(".")[:-1]:
        if part not in module._modules:
            module.add_module(part, nn.Module())
        module = module._modules[part]  # type: ignore[assignment]
    return module
