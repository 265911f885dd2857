"""A loop as PyTorch Geometric users write it: OrderedGNNConv beside their SAGEConv."""
import sys

import torch
import torch.nn.functional as F

import ordered_gnn as og

try:
    from torch_geometric.nn import SAGEConv
except ImportError:
    class SAGEConv(torch.nn.Module):
        """The same where PyTorch Geometric is not installed."""

        def __init__(self, channels, out_channels):
            super().__init__()
            self.lin_l = torch.nn.Linear(channels, out_channels)
            self.lin_r = torch.nn.Linear(channels, out_channels, bias=False)

        def forward(self, x, edge_index):
            sender, receiver = edge_index
            total = torch.zeros_like(x).index_add(0, receiver, x[sender])
            degree = torch.bincount(receiver, minlength=len(x)).clamp(min=1)
            return self.lin_l(total / degree[:, None]) + self.lin_r(x)


class Net(torch.nn.Module):
    def __init__(self, conv, layers, features, width, classes):
        super().__init__()
        self.first = torch.nn.Linear(features, width)
        self.convs = torch.nn.ModuleList(conv(width) for _ in range(layers))
        self.last = torch.nn.Linear(width, classes)

    def forward(self, x, edge_index):
        x, gate = self.first(x).relu(), None
        for conv in self.convs:
            x = F.dropout(x, 0.1, self.training)
            if isinstance(conv, og.OrderedGNNConv):
                x, gate = conv(x, edge_index, gate)  # the gate goes from layer to layer
            else:
                x = conv(x, edge_index).relu()
        return self.last(x)


def accuracy(conv, data):
    torch.manual_seed(0)
    train, _, test = data.splits[0]
    x, edge_index = og.datasets.dense_features(data), data.edge_index
    net = Net(conv, 8, x.shape[1], 64, data.num_classes)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.005)
    for _ in range(60):
        loss = F.cross_entropy(net(x, edge_index)[train], data.labels[train])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    said = net.eval()(x, edge_index)[test].argmax(1)
    return (said == data.labels[test]).float().mean().item()


graph = og.load("synthetic:csbm?nodes=600&homophily=0.8")
ours = accuracy(og.OrderedGNNConv, graph)
print(f"eight OrderedGNNConv: {ours:.3f}")
theirs = accuracy(lambda width: SAGEConv(width, width), graph)
print(f"eight SAGEConv: {theirs:.3f}")
sys.exit(0 if ours > 0.6 else 1)
