"""Training as `ognn train` does it, in plain PyTorch: Adam on the whole graph,
an average of the weights over epochs, the epoch with the best validation score,
and an end when it has not risen for some epochs.

On a GPU an epoch, with its evaluation, is the replay of one CUDA graph.
"""
import math
import time

import torch
import torch.nn.functional as F

# Epochs between two looks at the scores: the GPU is waited for at each.
BLOCK = 20
# Numbers to whose multiples tensors are aligned in the one that holds them all.
ALIGNMENT = 64


def flattened(model):
    """Moves all numbers of a model into one tensor, which is returned.

    An average over all of them is then an operation or two, not hundreds.
    """
    tensors = [t for t in (*model.parameters(), *model.buffers())
               if t.is_floating_point()]
    rooms = [-(-t.numel() // ALIGNMENT) * ALIGNMENT for t in tensors]
    flat = torch.zeros(sum(rooms), device=tensors[0].device)
    for tensor, place in zip(tensors, flat.split(rooms)):
        place = place[:tensor.numel()].view_as(tensor)
        place.copy_(tensor.detach())
        tensor.data = place
    return flat


def accuracy(logits, labels, nodes):
    return (logits[nodes].argmax(1) == labels[nodes]).float().mean()


class RocAuc:
    """Of two classes: how often a node of the second is ahead of one of the
    first, a tie counting half."""

    def __init__(self, labels, nodes):
        self.second = nodes[labels[nodes] == 1]
        self.first = nodes[labels[nodes] == 0]

    def __call__(self, logits):
        score = logits[:, 1] - logits[:, 0]
        ahead = score[self.second][:, None] - score[self.first]
        return (ahead.sign().mean() + 1) / 2


def scorer(metric, labels, nodes):
    if metric == "roc_auc":
        return RocAuc(labels, nodes)
    if metric != "accuracy":
        raise SystemExit(f"metric {metric} is not known here")
    return lambda logits: accuracy(logits, labels, nodes)


def average_decay(decay, epoch):
    """As `ognn train --average-weights`, epochs counted from 1."""
    return min(decay, (epoch - 1) / (epoch + 9))


class Best:
    """The best of the epochs so far, counted from 1, and whether to go on."""

    def __init__(self, patience):
        self.patience, self.epoch = patience, 0
        self.found = {"val": -1.0, "test": -1.0, "best_epoch": 0}

    def add(self, loss, val, test):
        self.epoch += 1
        if not math.isfinite(loss):
            raise SystemExit(f"the loss became {loss} in epoch {self.epoch}")
        if val > self.found["val"]:
            self.found = {"val": val, "test": test, "best_epoch": self.epoch}

    def is_over(self):
        return self.epoch - self.found["best_epoch"] >= self.patience


class Run:
    """One training; make() gives a new model on the device of the data.

    data: x, labels and the node lists train, val, test. options: lr, l2,
    average_weights, metric, epochs, patience.
    """

    def __init__(self, make, data, options, seed):
        self.data, self.options, self.seed = data, options, seed
        torch.manual_seed(seed)
        self.model, self.averaged = make().train(), make().eval()
        self.parameters = sum(p.numel() for p in self.model.parameters()
                              if p.requires_grad)
        self.own, self.mean = flattened(self.model), flattened(self.averaged)
        on_gpu = data["x"].is_cuda
        switches = {"fused": True, "capturable": True} if on_gpu else {}
        self.optimizer = torch.optim.Adam(
            [p for p in self.model.parameters() if p.requires_grad],
            lr=options.lr, weight_decay=options.l2, **switches)
        self.scorers = [scorer(options.metric, data["labels"], data[part])
                        for part in ("val", "test")]
        self.decay = torch.zeros((), device=data["x"].device)
        # Loss, validation and test score of the last epoch.
        self.outcome = torch.zeros(3, device=data["x"].device)

    def epoch(self):
        data = self.data
        self.optimizer.zero_grad(set_to_none=True)
        logits = self.model(data["x"]).index_select(0, data["train"])
        loss = F.cross_entropy(logits, data["train_labels"])
        loss.backward()
        self.optimizer.step()
        with torch.no_grad():
            self.mean.mul_(self.decay).add_(self.own * (1 - self.decay))
            logits = self.averaged(data["x"])
            scores = [score(logits) for score in self.scorers]
            self.outcome.copy_(torch.stack([loss.detach(), *scores]))

    def captured(self):
        """The epoch as the replay of a CUDA graph; nothing has been learned."""
        start = self.own.clone()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self.epoch()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.epoch()
        self.own.copy_(start)
        for state in self.optimizer.state.values():
            for tensor in state.values():
                tensor.zero_()
        return graph.replay

    def train(self, capture, deadline):
        """Scores of the best epoch; None where time was up before the end."""
        step = self.captured() if capture else self.epoch
        torch.manual_seed(self.seed)
        start = time.monotonic()
        best = Best(self.options.patience)
        while best.epoch < self.options.epochs and not best.is_over():
            if time.monotonic() > deadline:
                return None
            for outcome in self.next_block(step, best.epoch):
                best.add(*outcome)
                if best.is_over():
                    break
        return {**best.found, "epochs": best.epoch,
                "parameters": self.parameters,
                "seconds": time.monotonic() - start}

    def next_block(self, step, done):
        """Outcomes of the next epochs, `done` of them being over."""
        count = min(BLOCK, self.options.epochs - done)
        outcomes = self.outcome.new_zeros(count, 3)
        for i in range(count):
            self.decay.fill_(average_decay(self.options.average_weights,
                                           done + i + 1))
            step()
            outcomes[i].copy_(self.outcome)
        return outcomes.tolist()
