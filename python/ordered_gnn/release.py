"""Names and order of parameters in the authors' released code.

That sums its gates from the other side, so that neurons are in the opposite order.
"""
from typing import Dict, Mapping

import torch


def _turned_gate(weight: torch.Tensor) -> torch.Tensor:
    h, m = weight.flip(0).chunk(2, dim=1)
    return torch.cat([h.flip(1), m.flip(1)], dim=1)


def _turned(name: str, value: torch.Tensor, last_input: int) -> torch.Tensor:
    """A parameter with the neurons of the state in the opposite order."""
    parts = name.split(".")
    if parts[-2] == "gate":
        return _turned_gate(value) if parts[-1] == "weight" else value.flip(0)
    if parts[0] == "output":
        return value.flip(1) if parts[-1] == "weight" else value
    if parts[0].startswith("input") and int(parts[1]) != last_input:
        return value
    return value.flip(0)


_RELEASE = (("linear_trans_in.", "input."), ("norm_input.", "input_norm."),
            ("linear_trans_out.", "output."))


def from_release(state: Mapping[str, torch.Tensor],
                 tied: bool) -> Dict[str, torch.Tensor]:
    """Our parameters of those of the authors' code."""
    out: Dict[str, torch.Tensor] = {}
    for name, value in state.items():
        if name.startswith("convs."):
            continue  # the same tensors again
        parts = name.split(".")
        if parts[0] == "tm_net":
            name = f"gate.{parts[2]}" if tied else f"layers.{parts[1]}.gate.{parts[2]}"
        elif parts[0] == "tm_norm":
            name = f"layers.{parts[1]}.norm.{parts[2]}"
        for theirs, ours in _RELEASE:
            if name.startswith(theirs):
                name = ours + name[len(theirs):]
        out[name] = value
    last = max(int(name.split(".")[1]) for name in out if name.startswith("input."))
    return {name: _turned(name, value, last) for name, value in out.items()}


def to_release(state: Mapping[str, torch.Tensor], layers: int,
               tied: bool) -> Dict[str, torch.Tensor]:
    """The parameters of the authors' code of ours."""
    last = max(int(name.split(".")[1]) for name in state
               if name.startswith("input."))
    out: Dict[str, torch.Tensor] = {}
    for name, value in state.items():
        value = _turned(name, value, last)
        parts = name.split(".")
        if parts[0] == "gate":
            for k in range(layers):
                out[f"tm_net.{k}.{parts[1]}"] = value
        elif parts[0] == "layers":
            kind = {"gate": "tm_net", "norm": "tm_norm"}[parts[2]]
            out[f"{kind}.{parts[1]}.{parts[3]}"] = value
        else:
            for theirs, ours in _RELEASE:
                if name.startswith(ours):
                    name = theirs + name[len(ours):]
                    break
            out[name] = value
    for name in list(out):
        parts = name.split(".")
        if parts[0] in ("tm_net", "tm_norm"):
            out[f"convs.{parts[1]}.{parts[0]}.{parts[2]}"] = out[name]
    return out
