"""What a node's place in a graph says of it, as columns of features.

All of it is seen from the edges alone; loops and repeats of an edge are left
out. NumPy and SciPy.
"""
import numpy as np
import scipy.sparse as sp
import scipy.sparse.csgraph
import scipy.sparse.linalg

GROUPS = ("degree", "pagerank", "clustering", "laplacian", "walks")
DAMPING = 0.85
MOST_STEPS = 8
# Columns of the powers of a matrix that are in memory at a time.
BLOCK = 512
# Deviations from the mean beyond which a value is cut: eigenvectors may live on
# a handful of nodes, and degrees have long tails.
LIMIT = 5.0


def adjacency_of(edges, nodes):
    """Stored edges as a 0/1 matrix: entry (s, t) for an edge from s to t."""
    source, target = edges[edges[:, 0] != edges[:, 1]].T
    matrix = sp.csr_matrix((np.ones(len(source)), (source, target)),
                           shape=(nodes, nodes))
    matrix.data[:] = 1
    return matrix


def both_ways(matrix):
    out = (matrix + matrix.T).tocsr()
    out.data[:] = 1
    return out


def inverse(values):
    """1 / value, 0 for 0."""
    return np.divide(1, values, out=np.zeros_like(values), where=values > 0)


def degrees(stored, symmetric, directed):
    counts = {"degree": symmetric}
    if directed:
        counts.update({"in-degree": stored.T, "out-degree": stored})
    return {name: np.log1p(np.asarray(matrix.sum(1)).ravel())
            for name, matrix in counts.items()}


def pagerank(matrix):
    """log(N p) of the stationary p of a walk along the edges, that from a node
    without any, and otherwise with probability 1 - DAMPING, jumps anywhere."""
    nodes = matrix.shape[0]
    out = np.asarray(matrix.sum(1)).ravel()
    back = (sp.diags(inverse(out)) @ matrix).T.tocsr()
    rank = np.full(nodes, 1 / nodes)
    for _ in range(1000):
        jumping = 1 - DAMPING + DAMPING * rank[out == 0].sum()
        after = DAMPING * (back @ rank) + jumping / nodes
        moved = np.abs(after - rank).sum()
        rank = after
        if moved < 1e-12:
            break
    return np.log(nodes * rank)


def closed_walks(matrix, most):
    """Diagonals of the powers 2 to `most` of a symmetric matrix: [steps, N].

    The diagonal of M^(a+b) is the sum over a row of M^a times M^b, entry by
    entry, so half of the powers will do, some columns at a time.
    """
    nodes = matrix.shape[0]
    found = np.zeros((most - 1, nodes))
    for begin in range(0, nodes, BLOCK):
        columns = slice(begin, min(begin + BLOCK, nodes))
        powers = [None, matrix[:, columns].toarray()]
        while len(powers) <= (most + 1) // 2:
            powers.append(matrix @ powers[-1])
        for steps in range(2, most + 1):
            half = steps // 2
            found[steps - 2, columns] = np.einsum(
                "ij,ij->j", powers[half], powers[steps - half])
    return found


def clustering(symmetric):
    """Share of the pairs of a node's neighbours that are neighbours."""
    degree = np.asarray(symmetric.sum(1)).ravel()
    return closed_walks(symmetric, 3)[1] * inverse(degree * (degree - 1))


def normalized(symmetric):
    """D^-1/2 A D^-1/2, whose powers have the diagonals of those of D^-1 A."""
    root = sp.diags(np.sqrt(inverse(np.asarray(symmetric.sum(1)).ravel())))
    return (root @ symmetric @ root).tocsr()


def laplacian_vectors(symmetric, count):
    """Eigenvectors of I - D^-1/2 A D^-1/2 with the smallest eigenvalues but the
    first, [N, count]; the entry of largest size is positive. Of the largest
    component alone, and 0 elsewhere: every further component has a 0 among its
    eigenvalues, which says no more than where it is."""
    _, part = sp.csgraph.connected_components(symmetric, directed=False)
    inside = np.flatnonzero(part == np.bincount(part).argmax())
    count = min(count, len(inside) - 2)
    vectors = np.zeros((symmetric.shape[0], max(count, 0)))
    if count < 1:
        return vectors
    matrix = normalized(symmetric[inside][:, inside])
    start = np.random.default_rng(0).standard_normal(len(inside))
    values, found = scipy.sparse.linalg.eigsh(
        matrix, k=count + 1, which="LA", v0=start,
        ncv=min(len(inside), max(64, 4 * count)))
    found = found[:, np.argsort(-values)][:, 1:]
    top = found[np.abs(found).argmax(0), np.arange(count)]
    vectors[inside] = found * np.where(top < 0, -1, 1)
    return vectors


def raw_columns(edges, nodes, directed, groups, eigenvectors):
    """The columns by name, as they come."""
    stored = adjacency_of(edges, nodes)
    symmetric = both_ways(stored)
    columns = {}
    if "degree" in groups:
        columns.update(degrees(stored, symmetric, directed))
    if "pagerank" in groups:
        columns["pagerank"] = pagerank(stored if directed else symmetric)
    if "clustering" in groups:
        columns["clustering"] = clustering(symmetric)
    if "laplacian" in groups:
        vectors = laplacian_vectors(symmetric, eigenvectors)
        columns.update({f"laplacian {i + 1}": vector
                        for i, vector in enumerate(vectors.T)})
    if "walks" in groups:
        returns = closed_walks(normalized(symmetric), MOST_STEPS)
        columns.update({f"return {i + 2}": share
                        for i, share in enumerate(returns)})
    return columns


def structural_columns(edges, nodes, directed, groups=GROUPS, eigenvectors=8):
    """Names, and values [N, columns]: mean 0, deviation 1, cut at LIMIT.

    A column that is the same for all nodes is left out.
    """
    names, kept = [], []
    columns = raw_columns(edges, nodes, directed, groups, eigenvectors)
    for name, values in columns.items():
        centred = values - values.mean()
        deviation = centred.std()
        if deviation <= 1e-9 * max(1, np.abs(values).max()):
            continue
        names.append(name)
        kept.append(np.clip(centred / deviation, -LIMIT, LIMIT))
    return names, np.column_stack(kept) if kept else np.zeros((nodes, 0))
