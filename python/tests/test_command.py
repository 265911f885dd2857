"""The command and the package are one engine."""
import json
import subprocess

import numpy as np
import torch

import ordered_gnn as og

DATA = "synthetic:csbm?nodes=300&homophily=0.8"


def run(ognn, *words):
    return subprocess.run([ognn, *map(str, words)], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def test_predictions_of_one_checkpoint_have_the_same_bits(ognn, tmp_path):
    run(ognn, "train", "--data", DATA, "--layers", 3, "--hidden", 32, "--epochs", 20,
        "--out", tmp_path / "run", "--quiet")
    file = tmp_path / "run" / "split-0" / "model.safetensors"
    run(ognn, "predict", "--checkpoint", file, "--logits", tmp_path / "logits.npy",
        "--quiet")
    theirs = np.load(tmp_path / "logits.npy")
    trained = og.load_trained(file)
    ours = og.predict(trained, DATA).logits.numpy()
    assert (theirs.view(np.int32) == ours.view(np.int32)).all()
    model = og.OrderedGNNClassifier.from_checkpoint(file)
    assert (model.predict_proba() ==
            og.predict(trained, DATA).probabilities.numpy()).all()


def test_a_run_has_the_bits_of_the_command(ognn, tmp_path):
    said = json.loads(run(ognn, "train", "--data", DATA, "--model", "gcn",
                          "--epochs", 15, "--out", tmp_path / "run", "--quiet",
                          "--json"))
    theirs = og.load_trained(tmp_path / "run" / "split-0" / "model.safetensors")
    ours = og.train(DATA, model="gcn", epochs=15)
    for name, value in theirs.state().items():
        assert torch.equal(ours.state()[name], value)
    assert ours.result["best_epoch"] == said["runs"][0]["best_epoch"]


def test_a_checkpoint_of_python_is_read_by_the_command(ognn, tmp_path):
    trained = og.train(DATA, layers=2, hidden=16, epochs=5)
    trained.save(tmp_path / "model.safetensors")
    run(ognn, "predict", "--checkpoint", tmp_path / "model.safetensors", "--data",
        DATA, "--logits", tmp_path / "logits.npy", "--quiet")
    assert (np.load(tmp_path / "logits.npy") ==
            og.predict(trained, DATA).logits.numpy()).all()
