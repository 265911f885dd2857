"""The commands that faults are injected into, one after the other in one folder:
each step reads what the steps before it have written."""
import json
import os

from ognn_files import files_below, is_temporary, logged_runs, read, sha256, weights

GRAPH = "csbm?nodes=60&classes=3&features=8&degree=4&splits=2"
LARGE = "csbm?nodes=20000&classes=3&features=32&degree=4&splits=1"
SMALL = ["--layers", "2", "--hidden", "16", "--epochs", "3", "--threads", "1", "--quiet"]
TRAIN = ["train", "--data", "graph.npz", "--splits", "0,1", "--save-seconds", "0",
         "--out", "run"] + SMALL
# Made again, they change nothing more.
CHANGES = [{"add_edges": [[1, 2], [3, 4]]},
           {"set_labels": [{"id": 5, "label": 1}], "remove_edges": []},
           {"set_features": [{"id": 6, "features": [1, 2, 3, 4, 5, 6, 7, 8]}]}]
SWEEP = {"fixed": {"data": "graph.npz", "layers": 2, "hidden": 16, "epochs": 2},
         "search": {"lr": [0.1, 0.01]}}


class Step:
    """One command.

    again    what ends it after a fault, as a function of the folder
    results  SHA-256 of what it leaves, by name, as a function of the folder
    kinds    calls that count, all when empty
    killed   begins where the step of this name was killed half-way
    """

    def __init__(self, name, command, results, again=None, kinds="", killed=None):
        self.name, self.command, self.results = name, command, results
        self.again = again or (lambda folder: command)
        self.kinds, self.killed = kinds, killed


def resumed(command, out):
    """The same command with --resume, where there is a run to go on with."""
    def again(folder):
        begun = os.path.exists(os.path.join(folder, out, "run.json"))
        return command + ["--resume"] if begun else command
    return again


def file_results(*names):
    return lambda folder: {name: sha256(read(os.path.join(folder, name))) for name in names}


def folder_results(name):
    def results(folder):
        below = os.path.join(folder, name)
        return {f"{name}/{file}": sha256(read(os.path.join(below, file)))
                for file in files_below(below) if not is_temporary(file)}
    return results


def weight_results(*names):
    return lambda folder: {name: weights(os.path.join(folder, name)) for name in names}


def train_results(out, splits):
    """Weights and the metrics of every epoch, which hold no times."""
    places = [f"{out}/split-{split}" for split in range(splits)]
    found = weight_results(*[f"{place}/model.safetensors" for place in places])
    metrics = file_results(*[f"{place}/metrics.jsonl" for place in places])
    return lambda folder: {**found(folder), **metrics(folder)}


def sweep_results(folder):
    found = logged_runs(os.path.join(folder, "sweep/runs.jsonl"))
    found["best.json"] = sha256(read(os.path.join(folder, "sweep/best.json")))
    return found


def prepare(folder):
    with open(os.path.join(folder, "sweep.json"), "w", encoding="utf-8") as file:
        json.dump(SWEEP, file)
    with open(os.path.join(folder, "changes.jsonl"), "w", encoding="utf-8") as file:
        file.writelines(json.dumps(change) + "\n" for change in CHANGES)


def steps(mirror):
    """mirror: address of a server with the published files; none: no download."""
    model = "split-0/model.safetensors"
    trained = train_results("run", 2)
    large = ["train", "--data", "large.npz", "--out", "large", "--layers", "2", "--hidden", "64",
             "--epochs", "1", "--threads", "1", "--quiet"]
    found = [
        Step("generate", ["data", "generate", GRAPH, "--out", "graph.npz", "--quiet"],
             file_results("graph.npz")),
        Step("convert", ["data", "convert", "graph.npz", "--out", "table", "--quiet"],
             folder_results("table")),
        Step("train", TRAIN, trained, resumed(TRAIN, "run")),
        Step("resume", TRAIN + ["--resume"], trained, resumed(TRAIN, "run"), killed="train"),
        Step("predict", ["predict", "--checkpoint", f"run/{model}", "--out", "predicted.csv",
                         "--logits", "logits.npy", "--gates", "gates.npz", "--quiet"],
             file_results("predicted.csv", "logits.npy", "gates.npz")),
        Step("serve", ["serve", "--checkpoint", f"run/{model}", "--data", "graph.npz", "--apply",
                       "changes.jsonl", "--compact-log", "600", "--export", "served.npz",
                       "--threads", "1", "--quiet"], file_results("served.npz")),
        Step("sweep", ["sweep", "--config", "sweep.json", "--out", "sweep", "--threads", "1",
                       "--quiet", "--retry-failed"], sweep_results),
        Step("generate-large", ["data", "generate", LARGE, "--out", "large.npz", "--quiet"],
             file_results("large.npz"), kinds="memory"),
        Step("train-large", large, train_results("large", 1), resumed(large, "large"),
             kinds="memory"),
        Step("predict-large", ["predict", "--checkpoint", f"large/{model}", "--out",
                                "large.csv", "--threads", "1", "--quiet"],
             file_results("large.csv"), kinds="memory"),
    ]
    if mirror:
        found.append(Step("fetch", ["data", "fetch", "texas", "--data-root", "data",
                                    "--base-url", mirror, "--quiet"], folder_results("data")))
    return found
