"""Large blocks of torch are kept while a layer trains, and given back afterwards."""
import subprocess
import sys

import pytest

START = """
import gc, os, torch
import ordered_gnn as og

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

def keeps():
    before = resident()
    block = torch.ones(1 << 24)  # more than malloc() ever keeps
    del block
    return resident() - before > 1 << 25

def train(conv, rows):
    edges = torch.randint(rows, (2, 2 * rows))
    conv(torch.randn(rows, 64), edges)[0].sum().backward()

assert not keeps()
conv = og.OrderedGNNConv(64)
"""


@pytest.mark.parametrize("code", [
    "train(conv, 10); assert not keeps()",
    "with torch.no_grad(): conv(torch.randn(5000, 64), torch.ones(2, 1).long())\n"
    "assert not keeps()",
    "train(conv, 5000); assert keeps()\n"
    "other = og.OrderedGNNConv(64); train(other, 5000)\n"
    "del conv; gc.collect(); assert keeps()\n"
    "before = resident(); del other; gc.collect()\n"
    "assert before - resident() > 1 << 25 and not keeps()",
    "og.use_recycling_allocator(False); train(conv, 5000); assert not keeps()",
    "og.use_recycling_allocator(); assert keeps()\n"
    "train(conv, 5000); del conv; gc.collect(); assert keeps()",
    # A process that was forked goes on.
    "train(conv, 5000); child = os.fork()\n"
    "if child == 0: train(conv, 5000); os._exit(0)\n"
    "assert os.waitpid(child, 0)[1] == 0",
], ids=["small", "no gradients", "lifetime", "never", "always", "fork"])
def test_blocks_are_kept_while_a_layer_trains(code):
    subprocess.run([sys.executable, "-c", START + code], check=True, timeout=120)
