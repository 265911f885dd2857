"""Dataset files of ours with structural columns, for structural_inputs."""
import io
import json
import zipfile

import numpy as np
import scipy.sparse as sp

import structural_columns

GROUPS = structural_columns.GROUPS


def split_count(path):
    with np.load(path) as archive:
        return np.atleast_2d(archive["train_masks"]).shape[0]


def stored_features(archive):
    """Rows of a file as they are stored, CSR."""
    if "features_rowptr" in archive:
        return sp.csr_matrix(
            (archive["features_value"], archive["features_col"],
             archive["features_rowptr"]),
            shape=tuple(archive["features_shape"]))
    return sp.csr_matrix(archive["node_features"])


def treated(features, treatment):
    """What `ognn` makes of them under --features."""
    if treatment == "identity":
        return sp.identity(features.shape[0], dtype=np.float32, format="csr")
    if treatment == "row_normalized":
        if features.nnz and features.data.min() < 0:
            raise SystemExit("features below zero are not normalised by rows")
        sums = np.asarray(features.sum(1, dtype=np.float64)).ravel()
        return sp.csr_matrix(sp.diags(1 / np.maximum(sums, 1)) @ features)
    return features


def mean_square(rows):
    """Mean squared length of a row."""
    return rows.multiply(rows).sum() / rows.shape[0]


def with_columns(features, columns, loudness):
    """Columns behind the features, scaled down to their length."""
    columns = sp.csr_matrix(columns)
    length = np.sqrt(mean_square(features) / mean_square(columns))
    scale = loudness * min(1, length)
    return sp.hstack([features, scale * columns], format="csr"), scale


def array_bytes(values):
    out = io.BytesIO()
    np.lib.format.write_array(out, np.ascontiguousarray(values))
    return out.getvalue()


def write_with_features(source, path, features, meta):
    """A copy of a file of ours with these features in place of its own."""
    features.sort_indices()
    with zipfile.ZipFile(source) as old, \
            zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            if name == "meta.json" or "features" in name:
                continue
            new.writestr(name, old.read(name))
        for name, values in (
                ("rowptr", features.indptr.astype(np.int64)),
                ("col", features.indices.astype(np.int32)),
                ("value", features.data.astype(np.float32)),
                ("shape", np.array(features.shape, np.int64))):
            new.writestr(f"features_{name}.npy", array_bytes(values))
        new.writestr("meta.json", json.dumps(meta, indent=2) + "\n")


def write_files(source, recipe, paths, options):
    """Writes both files of a graph and says what was done, in a sentence.

    source: the graph as `ognn data convert` writes it; recipe: what `ognn train
    --print-config` says; paths: of "plain" and "structural".
    """
    with np.load(source) as archive:
        meta = json.loads(archive["meta.json"])
        edges, nodes = archive["edges"], archive["node_labels"].shape[0]
        treatment = {key: meta["treatment"][key] if recipe[key] == "auto"
                     else recipe[key] for key in ("direction", "features")}
        features = treated(stored_features(archive), treatment["features"])
    directed = meta["directed"] and treatment["direction"] != "undirected"
    names, columns = structural_columns.structural_columns(
        edges, nodes, directed, options.columns, options.eigenvectors)
    if not names:
        raise SystemExit(f"{source}: no column differs between nodes")
    both, scale = with_columns(features, columns, options.loudness)
    meta["treatment"]["features"] = "raw"
    meta.pop("feature_names", None)
    write_with_features(source, paths["plain"], features, meta)
    write_with_features(source, paths["structural"], both, meta)
    return (f"{meta['name']}: {features.shape[1]} features, "
            f"{treatment['features']}, and {len(names)} columns times "
            f"{scale:.3g}: {', '.join(names)}")
