"""Classes of pages by shared fingerprints, and k-means started from them (S0.S, S0.K), over sparse matrices.

Rows are pages, columns fingerprints. No step compares all pairs or holds a dense matrix of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Labels = NDArray[np.int64]
    Sparse = Any
    """A scipy.sparse matrix; scipy is imported where it is used."""

WINDOW = 32
"""Pages that a common fingerprint is compared over at a time. Neighbouring windows overlap by half; with the rows in
the order of their fingerprints alike pages meet, although no fingerprint ever asks for all its pairs (S0.S6)."""
COMMON = 2 * WINDOW
"""Pages from which on a fingerprint may be boilerplate."""
MOST_ITERATIONS = 100
MOST_DIVIDED = 2_000
"""Members of a class beyond which it is not divided, since that takes all its pairs."""


def incidence(pages: Iterable[Iterable[str]]) -> Sparse:
    """The 0/1 matrix of pages, given by their hexadecimal fingerprints, and fingerprints (S0.K4); one row a page."""
    from scipy.sparse import csr_matrix

    columns: dict[bytes, int] = {}
    indices: list[int] = []
    starts = [0]
    for page in pages:
        indices += {columns.setdefault(bytes.fromhex(value)[:8], len(columns)) for value in page}
        starts.append(len(indices))
    ones = np.ones(len(indices), np.float32)
    shape = (len(starts) - 1, max(1, len(columns)))
    matrix = csr_matrix((ones, np.array(indices, np.int32), np.array(starts)), shape=shape)
    matrix.sort_indices()
    return matrix


def connected_classes(matrix: Sparse, share: float) -> Labels:
    """Number of the class of each row: connected rows whose ST is at least ``share`` (S0.S2, S0.S4)."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    first, second, resemblance = _pairs(matrix)
    close = resemblance >= share
    links = coo_matrix((np.ones(close.sum(), bool), (first[close], second[close])), shape=(matrix.shape[0],) * 2)
    return np.asarray(connected_components(links, directed=False)[1], np.int64)


def without_boilerplate(matrix: Sparse, share: float) -> Sparse:
    """The matrix without the fingerprints that many pages have which otherwise have little in common (S0.S6).

    A fingerprint of a story that was copied very often is as frequent; but the pages it is on share most of what they
    have. So the pairs that meet at a frequent fingerprint are compared without all frequent ones, or with them where
    these are most of a page; it is boilerplate when fewer than half of the pairs have a ST of ``share``. A row keeps
    what it has if it has nothing else.
    """
    from scipy.sparse import diags

    held = np.asarray(matrix.sum(axis=0)).ravel()
    frequent = np.flatnonzero(held > COMMON)
    if not len(frequent):
        return matrix
    rare = (matrix @ diags((held <= COMMON).astype(np.float32))).tocsr()
    rare.eliminate_zeros()
    first, second, resemblance = _pairs(matrix)
    sizes, rare_sizes = (np.asarray(each.sum(axis=1)).ravel() for each in (matrix, rare))
    telling = 2 * np.maximum(rare_sizes[first], rare_sizes[second]) >= np.maximum(sizes[first], sizes[second])
    resemblance[telling] = _resemblance(rare, first[telling], second[telling])
    columns = matrix.tocsc()[:, frequent].tocsr()
    met, close = np.zeros(len(frequent)), np.zeros(len(frequent))
    for part in _slices(len(first)):
        both = columns[first[part]].multiply(columns[second[part]]).tocsr()
        met += np.asarray(both.sum(axis=0)).ravel()
        close += np.asarray(both[resemblance[part] >= share].sum(axis=0)).ravel()
    keep = np.ones(matrix.shape[1], np.float32)
    keep[frequent[2 * close < met]] = 0
    left = matrix @ diags(keep).astype(np.float32)
    emptied = (np.asarray(left.sum(axis=1)).ravel() == 0).astype(np.float32)
    left = (left + diags(emptied).astype(np.float32) @ matrix).tocsr()
    left.eliminate_zeros()
    left.sort_indices()
    return left


def divide_loose(matrix: Sparse, classes: Labels, share: float) -> Labels:
    """Divide classes whose mean ST over all pairs is below ``share`` by average linkage, until no mean is (7.15)."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    classes = classes.copy()
    following = int(classes.max()) + 1
    for members in members_of(classes):
        if not 2 < len(members) <= MOST_DIVIDED:
            continue
        rows = matrix[members]
        alike = np.asarray((rows @ rows.T).todense())
        sizes = alike.diagonal()
        distance = 1.0 - alike / np.maximum(np.maximum.outer(sizes, sizes), 1.0)
        np.fill_diagonal(distance, 0.0)
        condensed = squareform(distance, checks=False)
        if 1.0 - condensed.mean() >= share:
            continue
        parts = fcluster(linkage(condensed, "average"), 1.0 - share, "distance")
        for part in range(2, int(parts.max()) + 1):
            classes[members[parts == part]] = following
            following += 1
    return _renumbered(classes)


def centres_of(matrix: Sparse, classes: Labels) -> Sparse:
    """One row a class: the member that shares most with the others, the earliest of equals (S0.K3)."""
    return matrix[[middle_of(matrix, members) for members in members_of(classes)]]


def lloyd(matrix: Sparse, centres: Sparse) -> tuple[Labels, tuple[float, ...]]:
    """k-means on sparse 0/1 rows with sparse centres: labels, and J of each iteration, which never rises (S0.K4).

    scikit-learn holds its centres densely, which for one centre a class takes gigabytes. A row that shares nothing
    with any centre stays alone.
    """
    from scipy.sparse import csr_matrix, diags

    sizes = np.asarray(matrix.sum(axis=1)).ravel()
    labels = np.full(matrix.shape[0], -1, np.int64)
    inertia: list[float] = []
    for _ in range(MOST_ITERATIONS):
        norms = np.asarray(centres.multiply(centres).sum(axis=1)).ravel()
        assigned, gain = _best(matrix @ centres.T, norms)
        inertia.append(float((sizes - gain).sum()))
        if np.array_equal(assigned, labels):
            break
        labels = assigned
        placed = np.flatnonzero(labels >= 0)
        chosen = csr_matrix(
            (np.ones(len(placed), np.float32), (labels[placed], placed)), shape=(centres.shape[0], len(labels))
        )
        counts = np.bincount(labels[placed], minlength=centres.shape[0])
        means = diags(1.0 / np.maximum(counts, 1)).astype(np.float32) @ chosen @ matrix
        empty = diags((counts == 0).astype(np.float32)) @ centres  # an empty class keeps its centre
        centres = (means + empty).tocsr()
    alone = np.flatnonzero(labels < 0)
    labels[alone] = centres.shape[0] + np.arange(len(alone))
    return labels, tuple(inertia)


def _best(products: Sparse, norms: NDArray[np.float64]) -> tuple[Labels, NDArray[np.float64]]:
    """Of each row the centre with the largest 2xc - |c|^2 among those it shares anything with, and that value; -1 and
    the row's distance to nothing, 0, where there is none."""
    rows = np.repeat(np.arange(products.shape[0]), np.diff(products.indptr))
    gain = 2.0 * products.data - norms[products.indices]
    order = np.lexsort((products.indices, -gain, rows))
    rows, columns, gain = rows[order], products.indices[order], gain[order]
    firsts = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]]) if len(rows) else np.array([], np.int64)
    labels = np.full(products.shape[0], -1, np.int64)
    gains = np.zeros(products.shape[0])
    labels[rows[firsts]] = columns[firsts]
    gains[rows[firsts]] = gain[firsts]
    return labels, gains


def _pairs(matrix: Sparse) -> tuple[Labels, Labels, NDArray[np.float64]]:
    """Candidate pairs of rows, each once, and their ST (S0.S1, S0.S3)."""
    from scipy.sparse import triu

    windows = _windowed(matrix)
    candidates = triu(windows @ windows.T, 1, "coo")
    first, second = candidates.row, candidates.col
    return first, second, _resemblance(matrix, first, second)


def _resemblance(matrix: Sparse, first: Labels, second: Labels) -> NDArray[np.float64]:
    sizes = np.asarray(matrix.sum(axis=1)).ravel()
    shared = np.empty(len(first))
    for part in _slices(len(first)):
        shared[part] = np.asarray(matrix[first[part]].multiply(matrix[second[part]]).sum(axis=1)).ravel()
    return np.asarray(shared / np.maximum(np.maximum(sizes[first], sizes[second]), 1))


def _slices(count: int) -> list[slice]:
    """Parts of many pairs that fit in memory together with their rows."""
    return [slice(at, at + 500_000) for at in range(0, count, 500_000)]


def _windowed(matrix: Sparse) -> Sparse:
    """The matrix with the columns of common fingerprints divided into overlapping windows of rows."""
    from scipy.sparse import csr_matrix

    columns = matrix.tocsc()
    rank = np.arange(columns.nnz) - np.repeat(columns.indptr[:-1], np.diff(columns.indptr))
    column = np.repeat(np.arange(columns.shape[1]), np.diff(columns.indptr))
    size = np.diff(columns.indptr)[column]
    half = WINDOW // 2
    part = np.where(size > WINDOW, rank // half, 0)
    also = np.flatnonzero(part > 0)  # each row stands in the window that begins with its half, and in the one before
    rows = np.concatenate([columns.indices, columns.indices[also]])
    keys = np.concatenate([column, column[also]]) * (2 * columns.shape[0] // WINDOW + 2)
    keys += np.concatenate([part, part[also] - 1])
    _, places = np.unique(keys, return_inverse=True)
    ones = np.ones(len(rows), np.float32)
    return csr_matrix((ones, (rows, places)), shape=(matrix.shape[0], int(places.max(initial=0)) + 1))


def members_of(labels: Labels) -> list[NDArray[np.int64]]:
    """The rows of each label, by label."""
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)


def _renumbered(labels: Labels) -> Labels:
    return np.asarray(np.unique(labels, return_inverse=True)[1], np.int64)


def middle_of(matrix: Sparse, members: NDArray[np.int64]) -> int:
    """The member with the largest sum of shared fingerprints."""
    if len(members) <= 2:
        return int(members[0])
    rows = matrix[members]
    sums = rows @ np.asarray(rows.sum(axis=0)).ravel()
    return int(members[int(np.argmax(sums))])
