"""Where the time of an epoch with OrderedGNNConv goes; `python_package profile`.

An epoch takes the longer of two times: the host's, which makes the calls, and the device's,
which works them off. Waiting for a GPU keeps a processor busy, so that processor time does
not tell them apart; the time until all calls are made does.
"""
import statistics
import time

WIDTH, GATES, LAYERS = 256, 64, 8
_LAUNCHES = ("cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernel",
             "cuLaunchKernelEx")
_ANNOTATIONS = ("Optimizer.", "ProfilerStep")


def median_ms(values):
    return 1e3 * statistics.median(values)


def phases(torch, forward, optimizer, loss_of, epochs, wait):
    """Milliseconds of the host in the parts of an epoch, then of the epoch."""
    names = ("forward", "backward", "optimizer", "all calls", "epoch")
    times = {name: [] for name in names}
    for epoch in range(epochs + 3):
        wait()
        marks = [time.perf_counter()]
        loss = loss_of(forward())
        marks.append(time.perf_counter())
        optimizer.zero_grad()
        loss.backward()
        marks.append(time.perf_counter())
        optimizer.step()
        marks.append(time.perf_counter())
        wait()
        end = time.perf_counter()
        if epoch >= 3:
            parts = [b - a for a, b in zip(marks, marks[1:])]
            for name, value in zip(names, (*parts, marks[-1] - marks[0],
                                           end - marks[0])):
                times[name].append(value)
    return {name: median_ms(values) for name, values in times.items()}


def layer_calls(torch, og, edge_index, nodes, device, wait, turns):
    """Microseconds of the host for a layer, forward and backward, and without the rest of
    a call of autograd: chains of one and of eight layers are told apart."""
    convs = torch.nn.ModuleList(og.OrderedGNNConv(WIDTH, gates=GATES)
                                for _ in range(LAYERS)).to(device)
    x = torch.randn(nodes, WIDTH, device=device, requires_grad=True)
    ones = torch.ones(nodes, WIDTH, device=device)

    def once(count):
        h, gate = x, None
        # As a loop's optimizer leaves them: adding to gradients is no part of a layer.
        for leaf in (x, *convs.parameters()):
            leaf.grad = None
        wait()
        start = time.perf_counter()
        for conv in convs[:count]:
            h, gate = conv(h, edge_index, gate)
        middle = time.perf_counter()
        wait()
        again = time.perf_counter()
        h.backward(ones)
        end = time.perf_counter()
        return middle - start, end - again

    found = {}
    for count in (1, LAYERS):
        runs = [once(count) for _ in range(turns + 3)][3:]
        found[count] = [1e3 * median_ms(column) for column in zip(*runs)]
    one, all_of_them = found[1], found[LAYERS]
    return [(b - a) / (LAYERS - 1) for a, b in zip(one, all_of_them)], one, convs, x, ones


def recorded(torch, run, device, wait):
    """What torch.profiler says of a call: counts, and microseconds of the device."""
    from torch.profiler import ProfilerActivity, profile
    kinds = [ProfilerActivity.CPU]
    if device == "cuda":
        kinds.append(ProfilerActivity.CUDA)
    run()
    wait()
    with profile(activities=kinds) as trace:
        run()
        wait()
    counts = {"launches": 0, "copies and fills": 0, "waits": 0, "cudaMalloc": 0,
              "aten calls": 0, "own ops": 0}
    for row in trace.key_averages():
        name = row.key
        if name in _LAUNCHES:
            counts["launches"] += row.count
        elif name in ("cudaMemcpyAsync", "cudaMemsetAsync"):
            counts["copies and fills"] += row.count
        elif "Synchronize" in name:
            counts["waits"] += row.count
        elif name == "cudaMalloc":
            counts["cudaMalloc"] += row.count
        elif name.startswith("aten::"):
            counts["aten calls"] += row.count
        elif name.startswith("ordered_gnn::"):
            counts["own ops"] += row.count
    busy = sum(event.time_range.elapsed_us() for event in trace.events()
               if str(event.device_type).endswith("CUDA")
               and not event.name.startswith(_ANNOTATIONS))
    return counts, busy, trace


def table(trace, device, rows):
    """The longest rows, by the host's time and by the device's."""
    found = trace.key_averages()
    said = found.table(sort_by="self_cpu_time_total", row_limit=rows,
                       max_name_column_width=48)
    if device == "cuda":
        by = "self_device_time_total" if hasattr(found[0], "self_device_time_total") \
            else "self_cuda_time_total"
        said += "\n" + found.table(sort_by=by, row_limit=rows,
                                   max_name_column_width=48)
    return said


def chain(convs, x, edge_index, ones):
    h, gate = x, None
    for conv in convs:
        h, gate = conv(h, edge_index, gate)
    h.backward(ones)


def print_counts(title, counts, share=1):
    print(f"{title}: " + ", ".join(f"{value / share:g} {name}"
                                   for name, value in counts.items()), flush=True)


def profile_layer(options, edge_index, nodes):
    """Prints what a call of the layer costs the host."""
    import torch
    import ordered_gnn as og
    device = options.device
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    for count, name in ((64, "64 nodes"), (nodes, f"{nodes} nodes")):
        index = edge_index if count == nodes else \
            torch.randint(count, (2, 4 * count), device=device)
        (forward, backward), one, convs, x, ones = layer_calls(
            torch, og, index, count, device, wait,
            30 if device == "cuda" or count < nodes else 2)
        print(f"a layer, {name}: {forward:.1f} us of the host forward, {backward:.1f} "
              f"backward; a call of one layer alone {one[0]:.1f} and {one[1]:.1f}",
              flush=True)
    counts, busy, _ = recorded(torch, lambda: chain(convs, x, index, ones), device, wait)
    print_counts("a layer, forward and backward", counts, LAYERS)
    if device == "cuda":
        print(f"a layer keeps the GPU busy for {busy / LAYERS:.1f} us")


def profile_epoch(options, make, shape, nodes):
    """Prints the parts of an epoch of one variant, and what is recorded of it."""
    import torch
    device = options.device
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    sender, receiver, x, y = (t.to(device) for t in shape)
    torch.manual_seed(0)
    net, forward = make(options, sender, receiver)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.005, weight_decay=5e-4)
    chosen = torch.arange(0, nodes, 2, device=device)
    labels = y[chosen]

    def loss_of(logits):
        return torch.nn.functional.cross_entropy(logits[chosen], labels)
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
    found = phases(torch, lambda: forward(x), optimizer, loss_of, options.epochs, wait)
    said = ", ".join(f"{name} {value:.2f}" for name, value in found.items())
    if device == "cuda":
        peak = torch.cuda.max_memory_allocated()
        said += f"; peak {peak / 2**20:.0f} MiB, of which epochs " \
                f"{(peak - before) / 2**20:.0f}"
    print(f"{options.variant}: ms of the host: {said}", flush=True)

    def epoch():
        loss = loss_of(forward(x))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    counts, busy, trace = recorded(torch, epoch, device, wait)
    print_counts(f"{options.variant}: an epoch", counts)
    if device == "cuda":
        print(f"{options.variant}: an epoch keeps the GPU busy for {busy / 1e3:.2f} ms",
              flush=True)
    if options.variant == "ours" and options.rows > 0:
        print(table(trace, device, options.rows))
