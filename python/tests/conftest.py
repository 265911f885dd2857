"""What the tests share. They run against the installed package, never the tree."""
import os
import pathlib
import shutil

import numpy as np
import pytest
import torch


def train(net, x, edge_index, y):
    """Losses of 60 steps of a loop as users write it, on the first 200 nodes."""
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    losses = []
    for _ in range(60):
        loss = torch.nn.functional.cross_entropy(net(x, edge_index)[:200], y[:200])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@pytest.fixture
def ring():
    """300 nodes of three classes on rings of their class: x, edge_index, y."""
    generator = torch.Generator().manual_seed(1)
    node = torch.arange(300)
    y = node % 3
    edge_index = torch.cat([torch.stack([node, (node + k) % 300])
                            for k in (3, 60, 99)], dim=1)
    x = torch.nn.functional.one_hot(y, 3) + \
        torch.randn(300, 3, generator=generator)
    return x, edge_index, y


@pytest.fixture
def table():
    """A DataFrame of 200 customers, an edge index and their labels."""
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    frame = pandas.DataFrame({
        "age": random.normal(40, 10, 200),
        "colour": random.choice(["red", "green", "blue"], 200),
        "joined": pandas.date_range("2020-01-01", periods=200),
        "vip": random.random(200) < 0.3})
    frame.loc[3, "age"] = np.nan
    edges = random.integers(0, 200, (2, 500))
    return frame, edges, np.where(frame.colour == "red", "stays", "goes")


@pytest.fixture(scope="session")
def ognn():
    """The command, of OGNN or the search path."""
    found = os.environ.get("OGNN") or shutil.which("ognn")
    if not found:
        pytest.skip("the command ognn is not here; OGNN=FILE says where")
    return str(pathlib.Path(found).resolve())
