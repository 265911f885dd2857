"""What the benchmark scripts share: running programs, the machine, tables."""
import json
import os
import pathlib
import platform
import shlex
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Set on the command line per run; a value left over from the caller's shell
# would act on one side of a comparison and not on the other.
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                    "MKL_NUM_THREADS")


def find_ognn(given):
    """The command to measure: as given, of the release build, or installed."""
    if given:
        return given
    built = ROOT / "build" / "release" / "bin" / "ognn"
    if built.exists():
        return str(built)
    installed = shutil.which("ognn")
    if installed:
        return installed
    sys.exit("ognn was not found: build it with 'cmake --preset release' and "
             "'cmake --build --preset release', or give --ognn PATH")


def integer_list(text):
    values = [int(float(field)) for field in text.split(",") if field]
    if not values or min(values) < 1:
        raise ValueError(text)
    return values


def clean_environment():
    return {name: value for name, value in os.environ.items()
            if name not in THREAD_VARIABLES}


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def failure_of(code, stderr):
    if code < 0:
        reason = f"killed by signal {-code}"
        if code == -9:
            reason += ", perhaps out of memory"
        return reason
    # ognn ends a usage error with where to read on, which is no reason.
    reasons = "\n".join(line for line in stderr.splitlines()
                        if not line.startswith("Try '"))
    return last_line(reasons) or f"exit status {code} and nothing on stderr"


def run_text(command, timeout):
    """Runs a command; (its record, what it printed), whatever happens.

    The record holds the command, its seconds and, when it failed, the 'error'.
    """
    run, text = {"command": shlex.join(command)}, ""
    start = time.monotonic()
    try:
        done = subprocess.run(command, env=clean_environment(),
                              stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=timeout, check=False)
        text = done.stdout
        if done.returncode != 0:
            run["error"] = failure_of(done.returncode, done.stderr)
    except subprocess.TimeoutExpired as late:
        # Bytes even where text was asked for.
        text = (late.stdout or b"").decode(errors="replace")
        run["error"] = f"stopped after {timeout:g} s (--timeout)"
    except OSError as error:
        run["error"] = f"{error.filename}: {error.strerror}"
    run["seconds"] = time.monotonic() - start
    return run, text


def run_json(command, timeout):
    """Runs a command that prints one JSON object.

    Never raises: {'result': object} or {'error': why}, with the command and
    its seconds.
    """
    run, text = run_text(command, timeout)
    if "error" not in run:
        try:
            run["result"] = json.loads(text)
        except ValueError:
            run["error"] = "no JSON object on stdout: " + last_line(text)
    return run


def run_json_lines(command, timeout):
    """Runs a command that prints a JSON object per line.

    Never raises: its record as run_text() gives it, and the objects, those
    among them that it printed before it failed.
    """
    run, text = run_text(command, timeout)
    objects = []
    for line in text.splitlines():
        try:
            objects.append(json.loads(line))
        except ValueError:
            pass  # a line cut off, or a library's message
    return run, [value for value in objects if isinstance(value, dict)]


def say(text):
    """Progress: on stderr, so that stdout holds the tables alone."""
    print(text, file=sys.stderr, flush=True)


def outcome_text(run):
    if "error" in run:
        return "failed: " + run["error"]
    return f"{run['result']['ms_per_epoch']:,.1f} ms per epoch"


def proc_value(path, key):
    try:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                name, _, value = line.partition(":")
                if name.strip() == key:
                    return value.strip()
    except OSError:
        pass
    return None


def available_bytes():
    text = proc_value("/proc/meminfo", "MemAvailable")
    return 1024 * int(text.split()[0]) if text else None


def machine():
    total = proc_value("/proc/meminfo", "MemTotal")
    cpu = proc_value("/proc/cpuinfo", "model name")
    return {
        "cpu": cpu or platform.processor() or platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": 1024 * int(total.split()[0]) if total else None,
        "system": f"{platform.system()} {platform.machine()}",
        "load": os.getloadavg()[0],
    }


def gpu():
    """Name and driver of the first GPU, None where there is none."""
    run, text = run_text(["nvidia-smi", "--query-gpu=name,driver_version",
                          "--format=csv,noheader"], 60)
    if "error" in run or not text.strip():
        return None
    name, _, driver = text.splitlines()[0].partition(",")
    return {"name": name.strip(), "driver": driver.strip()}


def machine_lines(about):
    memory = bytes_text(about["memory_bytes"])
    return [f"- machine: {about['cpu']}, {about['cores']} cores, {memory} of "
            f"memory, {about['system']}",
            f"- load before the start: {about['load']:.2f}"]


def ours_line(results):
    """Version, commit, BLAS and instruction set of our runs."""
    if not results:
        return "- ours: no run came back"
    first = results[0]
    parts = [f"version {first.get('version')}", f"commit {first.get('commit')}",
             f"BLAS {first.get('blas')}", f"SIMD {first.get('simd')}"]
    return "- ours: " + ", ".join(parts)


def command_line():
    return shlex.join([os.path.basename(sys.argv[0]), *sys.argv[1:]])


def bytes_text(count):
    if count is None:
        return "–"
    for unit, size in (("GiB", 2**30), ("MiB", 2**20)):
        if count >= size:
            digits = 2 if count < 10 * size else 1
            return f"{count / size:.{digits}f} {unit}"
    return f"{count / 1024:.0f} KiB"


def number_text(value, digits=2):
    return "–" if value is None else f"{value:,.{digits}f}"


def milliseconds_text(value):
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 100 else f"{value:,.2f}"


def ratio(numerator, denominator):
    if numerator is None or not denominator:
        return None
    return numerator / denominator


def paired_difference(pairs):
    """Mean of second minus first, with its standard error over the pairs."""
    differences = [second - first for first, second in pairs]
    text = f"{statistics.mean(differences):+.2f}"
    if len(differences) > 1:
        error = statistics.stdev(differences) / len(differences) ** 0.5
        text += f" ± {error:.2f}"
    return text


def print_table(title, header, rows):
    """A Markdown table; every column but the first is right aligned."""
    rows = [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    widths = [max([3, *(len(row[i]) for row in [header, *rows])])
              for i in range(len(header))]

    def line(cells):
        padded = [cell.ljust(width) if i == 0 else cell.rjust(width)
                  for i, (cell, width) in enumerate(zip(cells, widths))]
        return "| " + " | ".join(padded) + " |"

    rule = ["-" * width if i == 0 else "-" * (width - 1) + ":"
            for i, width in enumerate(widths)]
    print(f"\n### {title}\n")
    print("\n".join([line(header), line(rule), *map(line, rows)]))


def write_json(path, value):
    part = f"{path}.part"
    with open(part, "w", encoding="utf-8") as out:
        json.dump(value, out, indent=2)
        out.write("\n")
    os.replace(part, path)
