"""Sums up the runs of compare_peer and prints its tables."""
import collections
import statistics

import bench_support as support

# From the strictest: a peer may compute more exactly than we do and still be
# the one to beat.
MATHS = ("fp32", "tf32", "bf16")


def middle(results, value_of):
    values = [value_of(result) for result in results]
    values = [value for value in values if value is not None]
    return statistics.median(values) if values else None


def over_floor(result):
    # Divided within a process: its parts met the same machine. The floor of a
    # GPU holds more than products.
    return support.ratio(result.get("ms_per_epoch"),
                         result.get("ms_floor") or result.get("ms_gemm_floor"))


def settings_of(runs):
    """One row per side, math and thread count: medians over its rounds."""
    groups = collections.defaultdict(list)
    for run in runs:
        groups[run["side"], run["math"], run["threads"]].append(run)
    rows = []
    for (side, math, threads), members in groups.items():
        results = [run["result"] for run in members if "result" in run]
        errors = [run["error"] for run in members if "error" in run]
        row = {"side": side, "math": math, "threads": threads,
               "runs": len(results), "errors": errors}
        for key in ("ms_per_epoch", "peak_bytes", "base_bytes", "loss"):
            row[key] = middle(results, lambda result: result.get(key))
        row["over_floor"] = middle(results, over_floor)
        row["unfused_over"] = middle(results, lambda result: support.ratio(
            result.get("ms_unfused"), result.get("ms_per_epoch")))
        rows.append(row)
    return rows


def fastest(rows):
    timed = [row for row in rows if row["ms_per_epoch"] is not None]
    return min(timed, key=lambda row: row["ms_per_epoch"], default=None)


def first_error(rows):
    return next((error for row in rows for error in row["errors"]), None)


def net_bytes(row):
    if row["peak_bytes"] is None or row["base_bytes"] is None:
        return None
    return row["peak_bytes"] - row["base_bytes"]


def summary_of(name, math, rows, missing):
    """Ours in one math mode and the best peer in that mode or a stricter."""
    ours_rows = [row for row in rows
                 if row["side"] == "ours" and row["math"] == math]
    allowed = MATHS[:MATHS.index(math) + 1]
    peer_rows = [row for row in rows
                 if row["side"] != "ours" and row["math"] in allowed]
    ours, peer = fastest(ours_rows), fastest(peer_rows)
    summary = {"case": name, "math": math, "ours": ours, "peer": peer,
               "ours_error": first_error(ours_rows),
               "peer_error": missing or first_error(peer_rows)}
    if ours and peer:
        summary["speedup"] = support.ratio(peer["ms_per_epoch"],
                                           ours["ms_per_epoch"])
        summary["memory_ratio"] = support.ratio(ours["peak_bytes"],
                                                peer["peak_bytes"])
        summary["net_memory_ratio"] = support.ratio(net_bytes(ours),
                                                    net_bytes(peer))
    return summary


def summarize(runs, missing):
    """Per case its settings, and one summary per math mode of ours."""
    summaries = []
    for name in dict.fromkeys(run["case"] for run in runs):
        rows = settings_of([run for run in runs if run["case"] == name])
        maths = dict.fromkeys(row["math"] for row in rows
                              if row["side"] == "ours")
        summaries.append({"case": name, "rows": rows, "modes": [
            summary_of(name, math, rows, missing) for math in maths]})
    return summaries


def graph_notes(name, runs):
    """What the two sides do not agree on about the graph, if anything."""
    ours = next((run["result"] for run in runs
                 if run["side"] == "ours" and "result" in run), None)
    peer = next((run["result"] for run in runs
                 if run["side"] != "ours" and "result" in run), None)
    if not ours or not peer:
        return []
    notes = [f"{name}: {key} differ, ours {ours.get(key)}, peer {peer[key]}"
             for key in ("nodes", "edges", "features", "classes")
             if ours.get(key) != peer[key]]
    if ours.get("edges") == peer["edges"] - peer["self_loops"]:
        notes.append(f"{name}: the difference is the {peer['self_loops']} "
                     "self loops")
    return notes


def notes_on(about, summaries, runs):
    notes = [f"The peer was not run: {about['missing']}"
             ] if about["missing"] else []
    for summary in summaries:
        name = summary["case"]
        for mode in summary["modes"]:
            place = f"{name}, {mode['math']}"
            if not mode["ours"]:
                notes.append(f"{place}: ours failed: {mode['ours_error']}")
            if not mode["peer"] and not about["missing"]:
                notes.append(f"{place}: the peer failed: "
                             f"{mode['peer_error']}")
        notes += graph_notes(name, [run for run in runs
                                    if run["case"] == name])
    return notes


def label_of(row):
    threads = "thread" if row["threads"] == 1 else "threads"
    side = "" if row["side"] == "ours" else row["side"] + ", "
    return f"{side}{row['threads']} {threads}"


def time_row(mode):
    ours, peer = mode["ours"], mode["peer"]
    return [
        mode["case"],
        label_of(peer) if peer else "none",
        support.milliseconds_text(peer and peer["ms_per_epoch"]),
        label_of(ours) if ours else "failed",
        support.milliseconds_text(ours and ours["ms_per_epoch"]),
        support.number_text(mode.get("speedup")),
        support.number_text(ours and ours["over_floor"]),
        support.number_text(ours and ours["unfused_over"]),
    ]


def memory_row(mode):
    ours, peer = mode["ours"], mode["peer"]
    return [
        mode["case"],
        support.bytes_text(ours and ours["peak_bytes"]),
        support.bytes_text(peer and peer["peak_bytes"]),
        support.number_text(mode.get("memory_ratio"), 3),
        support.bytes_text(ours and net_bytes(ours)),
        support.bytes_text(peer and net_bytes(peer)),
        support.number_text(mode.get("net_memory_ratio"), 3),
    ]


def gpu_row(mode):
    ours, peer = mode["ours"], mode["peer"]
    return [
        mode["case"], mode["math"],
        f"{peer['side']}, {peer['math']}" if peer else "none",
        support.milliseconds_text(peer and peer["ms_per_epoch"]),
        support.milliseconds_text(ours and ours["ms_per_epoch"]),
        support.number_text(mode.get("speedup")),
        support.number_text(ours and ours["over_floor"]),
        support.bytes_text(peer and peer["peak_bytes"]),
        support.bytes_text(ours and ours["peak_bytes"]),
        support.number_text(mode.get("memory_ratio"), 3),
    ]


def setting_row(name, row, key):
    note = "; ".join(dict.fromkeys(row["errors"]))
    return [
        name, row["side"], row[key], row["runs"],
        support.milliseconds_text(row["ms_per_epoch"]),
        support.bytes_text(row["peak_bytes"]),
        support.bytes_text(row["base_bytes"]),
        support.number_text(row["loss"], 4),
        "failed: " + note if note else "",
    ]


def header_lines(about, runs):
    ours = [run["result"] for run in runs
            if run["side"] == "ours" and "result" in run]
    lines = support.machine_lines(about["machine"])
    if about["device"] == "cuda":
        gpu = about["gpu"]
        lines.append(f"- GPU: {gpu['name']}, driver {gpu['driver']}" if gpu
                     else "- GPU: nvidia-smi names none")
    lines.append(support.ours_line(ours))
    peer = about["peer"]
    if about["missing"]:
        lines.append("- peer: not run")
    else:
        cuda = f", CUDA {peer['cuda']}" if about["device"] == "cuda" else ""
        lines.append(f"- peer: torch {peer['torch']}{cuda}, numpy "
                     f"{peer['numpy']}")
    lines.append(f"- an epoch is forward, backward and Adam; "
                 f"{about['network']}, on {about['device']}")
    return [*lines, f"- command: `{about['command']}`"]


def print_summaries(device, modes):
    if device == "cuda":
        support.print_table(
            "One epoch in ms and peak memory; the best peer in the same math "
            "or a stricter",
            ["case", "math", "best peer", "peer", "ours", "peer / ours",
             "ours / floor", "peer peak", "our peak", "ours / peer"],
            [gpu_row(mode) for mode in modes])
        return
    support.print_table(
        "Time of one epoch in ms",
        ["case", "best peer", "peer", "best of ours", "ours", "peer / ours",
         "ours / GEMM floor", "unfused / ours"],
        [time_row(mode) for mode in modes])
    support.print_table(
        "Peak memory of these two runs",
        ["case", "ours", "peer", "ours / peer", "ours above data",
         "peer above data", "ours / peer above data"],
        [memory_row(mode) for mode in modes])


def print_report(about, summaries, runs, notes):
    print("## Training epochs: ognn and plain PyTorch\n")
    print("\n".join(header_lines(about, runs)))
    print_summaries(about["device"], [mode for summary in summaries
                                      for mode in summary["modes"]])
    key = "math" if about["device"] == "cuda" else "threads"
    support.print_table(
        "All settings, medians over the rounds",
        ["case", "side", key, "runs", "ms per epoch", "peak",
         "before the model", "loss", "note"],
        [setting_row(summary["case"], row, key) for summary in summaries
         for row in summary["rows"]])
    for note in notes:
        print(f"\n{note}")
