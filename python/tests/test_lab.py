"""Searches and tables of many runs."""
import pytest

import ordered_gnn as og

pytest.importorskip("pandas")
DATA = "synthetic:csbm?nodes=100"
FAST = {"epochs": 4, "hidden": 16}


def test_sweep(tmp_path):
    lines = []
    frame = og.sweep({"lr": [0.01, 0.005], "layers": [1, 2]}, tmp_path / "sweep",
                     DATA, progress=lines.append, **FAST)
    assert len(frame) == 4 and frame.columns[0] == "trial"
    assert frame.val_mean.is_monotonic_decreasing
    assert frame.attrs["best"]["lr"] == frame.lr[0]
    assert any("4/4 runs" in line for line in lines)
    with pytest.raises(og.Error, match="unknown"):
        og.sweep({"lrr": [1]}, tmp_path / "other", DATA)


def test_compare(tmp_path):
    frame = og.compare(["ordered_gnn", "mlp"], DATA, tmp_path, trials=1,
                       splits="0,1", epochs=4)
    assert set(frame.model) == {"ordered_gnn", "mlp"}
    assert "csbm" in frame.attrs["conclusion"]


def test_reproduce_says_what_is_missing(tmp_path):
    frame = og.reproduce("table2", tmp_path / "out", datasets=["texas"],
                         models=["ordered_gnn"], quick=True,
                         data_root=str(tmp_path / "nothing"))
    assert set(frame.column) == {"texas"}
    assert set(frame.status) <= {"missing", "done"}
