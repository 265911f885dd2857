"""Datasets: names, tables, PyG, networkx, shared memory."""
import numpy as np
import pytest
import torch

import ordered_gnn as og


def test_arrays_are_shared_not_copied(ring):
    x, edge_index, y = ring
    x = x.abs()
    data = og.make_dataset(x, edge_index, y, features="raw")
    assert data.features.data_ptr() == x.data_ptr()
    from ordered_gnn.inputs import edges_from, features_from
    assert edges_from(edge_index).ends.data_ptr() == edge_index.data_ptr()
    array = np.random.rand(5, 3).astype(np.float32)
    assert features_from(array).data_ptr() == array.ctypes.data
    assert features_from(array.astype(np.float64)).dtype == torch.float32
    said = og.predict(og.train(data, layers=1, hidden=8, epochs=1), data)
    assert said.logits.numpy().ctypes.data == said.logits.data_ptr()


def test_load_by_name_says_where_it_looked(tmp_path, monkeypatch):
    # The other places that are searched may hold the real files.
    monkeypatch.delenv("OGNN_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(og.Error, match=str(tmp_path)):
        og.datasets.load("cora", root=tmp_path)
    assert "cora" in [entry["name"] for entry in og.datasets.names()]


def test_generated_graphs_load():
    data = og.datasets.load("synthetic:csbm?nodes=200&homophily=0.8")
    assert (data.num_nodes, len(data.splits)) == (200, 10)
    assert data.edge_index.shape == (2, data.num_edges)


def test_tables_are_imported_as_by_the_command(table, tmp_path, ognn):
    import subprocess
    pandas = pytest.importorskip("pandas")
    frame, edges, labels = table
    nodes = frame.assign(label=labels)
    nodes.insert(0, "id", [f"n{i}" for i in range(len(nodes))])
    links = pandas.DataFrame({"from": [f"n{i}" for i in edges[0]],
                              "to": [f"n{i}" for i in edges[1]]})
    data = og.import_tables(nodes, links, id="id", label="label")
    nodes.to_csv(tmp_path / "nodes.csv", index=False)
    links.to_csv(tmp_path / "edges.csv", index=False)
    subprocess.run([ognn, "data", "import", "--nodes", tmp_path / "nodes.csv",
                    "--edges", tmp_path / "edges.csv", "--id", "id", "--label",
                    "label", "--out", tmp_path / "g.npz", "--quiet"], check=True)
    same = og.datasets.load(str(tmp_path / "g.npz"))
    assert data.fingerprint == same.fingerprint
    assert data.node_names[:2] == ["n0", "n1"]
    # The frame given as features has the same treatment.
    direct = og.make_dataset(frame, edges, labels)
    assert direct.columns == same.columns
    assert direct.feature_names == same.feature_names
    torch.testing.assert_close(og.datasets.dense_features(direct),
                               og.datasets.dense_features(same), rtol=0, atol=0)


def test_networkx_there_and_back():
    networkx = pytest.importorskip("networkx")
    club = networkx.karate_club_graph()
    data = og.from_networkx(club, label="club", edge_weights="ignore")
    assert (data.num_nodes, data.class_names) == (34, ["Mr. Hi", "Officer"])
    assert data.num_edges == 2 * club.number_of_edges() + 34
    back = og.to_networkx(data)
    assert back.nodes[0]["label"] == "Mr. Hi"
    assert back.has_edge(1, 0) and back.has_edge(0, 0)


def test_scipy_matrices(ring):
    sparse = pytest.importorskip("scipy.sparse")
    x, edge_index, y = ring
    ends = edge_index.numpy()
    matrix = sparse.coo_matrix((np.ones(ends.shape[1]), (ends[0], ends[1])),
                               shape=(300, 300))
    rows = x.numpy() * (x.numpy() > 0)
    one = og.make_dataset(sparse.csr_matrix(rows), matrix, y)
    two = og.make_dataset(rows, edge_index, y)
    assert one.features_kind == "sparse"
    assert torch.equal(one.edge_index, two.edge_index)
    torch.testing.assert_close(og.datasets.dense_features(one),
                               og.datasets.dense_features(two))


def test_geometric_data_without_geometric(ring):
    x, edge_index, y = ring

    class Data:
        pass
    data = Data()
    data.x, data.edge_index, data.y = x, edge_index, y
    data.train_mask = torch.arange(300) < 150
    data.val_mask = (torch.arange(300) >= 150) & (torch.arange(300) < 200)
    data.test_mask = torch.arange(300) >= 200
    made = og.from_pyg(data)
    assert [len(part) for part in made.splits[0]] == [150, 50, 100]


def test_geometric_data_there_and_back(ring):
    pytest.importorskip("torch_geometric", reason="PyTorch Geometric is not here")
    x, edge_index, y = ring
    data = og.make_dataset(x, edge_index, y, features="raw", self_loops="keep")
    back = og.from_pyg(og.to_pyg(data), features="raw", self_loops="keep")
    assert torch.equal(back.edge_index, data.edge_index)
    assert og.to_pyg(data).x.data_ptr() == x.data_ptr()


def test_wrong_arrays_are_refused(ring):
    x, edge_index, y = ring
    with pytest.raises(og.Error, match="give graph.t()"):
        og.make_dataset(x, edge_index.t(), y)
    with pytest.raises(og.Error, match="got 5 for 300 nodes"):
        og.make_dataset(x, edge_index, y[:5])
    with pytest.raises(og.Error, match="give both"):
        og.make_dataset(x, edge_index, y, train=[0, 1])
    with pytest.raises(og.Error, match="300"):
        og.make_dataset(x, edge_index + 1, y)
