"""What the command leaves in a folder: which files are torn, what is done, and
the SHA-256 of what must not change."""
import hashlib
import json
import os
import struct
import zipfile


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def read(path):
    with open(path, "rb") as file:
        return file.read()


def files_below(folder):
    """Paths relative to the folder, in order."""
    found = []
    for place, _, names in os.walk(folder):
        found += [os.path.relpath(os.path.join(place, name), folder) for name in names]
    return sorted(found)


def weights(path):
    """SHA-256 of the tensors of a checkpoint, without its header: that names the
    version and the place of the data."""
    content = read(path)
    return sha256(content[8 + struct.unpack("<Q", content[:8])[0]:])


def is_whole_safetensors(content):
    if len(content) < 8:
        return False
    begin = 8 + struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:begin])
    ends = [entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__"]
    return begin + max(ends, default=0) == len(content)


def is_whole(path):
    """False for a file that ends too early or cannot be understood. Logs of lines
    are appended to, so that their last line may be cut, which readers expect."""
    content = read(path)
    try:
        if path.endswith(".safetensors"):
            return is_whole_safetensors(content)
        if path.endswith(".json"):
            json.loads(content)
        if path.endswith(".npz"):
            with zipfile.ZipFile(path) as archive:
                return archive.testzip() is None
        if path.endswith((".csv", ".md")):
            return content.endswith(b"\n")
    except (ValueError, KeyError, TypeError, struct.error, zipfile.BadZipFile):
        return False
    return True


def is_temporary(name):
    """True for what is not read under that name: files and folders on their way
    into place, and downloads."""
    return any(part.endswith(".tmp") for part in name.split("/")) or name.endswith(".part")


def torn_files(folder):
    return [name for name in files_below(folder)
            if not is_temporary(name) and not is_whole(os.path.join(folder, name))]


def leftovers(folder):
    return [name for name in files_below(folder) if ".tmp" in name]


def logged_runs(file):
    """The results in a runs.jsonl by key, without times and memory; lines that are
    no whole record are left out, as the command does."""
    runs = {}
    for line in read(file).split(b"\n"):
        try:
            run = json.loads(line)
        except ValueError:
            continue
        if run.get("status") != "done":
            continue
        result = run["result"]
        for name in ("seconds", "seconds_per_epoch", "peak_bytes"):
            result.pop(name, None)
        runs[run["key"]] = json.dumps(result, sort_keys=True)
    return runs


def acknowledged(folder):
    """What the command has promised to keep: finished splits and logged runs."""
    kept = {}
    for name in files_below(folder):
        path = os.path.join(folder, name)
        if os.path.basename(name) == "result.json":
            kept[name] = sha256(read(path))
        if os.path.basename(name) == "runs.jsonl":
            for key, result in logged_runs(path).items():
                kept[f"{name} {key}"] = result
    return kept


def lost(before, folder):
    """What was acknowledged before and is not there, or is something else."""
    now = acknowledged(folder)
    return sorted(name for name, value in before.items() if now.get(name) != value)
