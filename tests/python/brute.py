"""The plain answer: every sphere against every image of every other, in NumPy."""
import itertools

import numpy as np


def pairs(x, r, size=None, periodic=(), gap=0.0, reach=1, boxes=False):
    """Rows (i, j, shift...), sorted; i < j, or i = j with the first non-zero shift positive. Centres inside the box. `boxes`: by bounding boxes."""
    n, dim = x.shape
    rows = []
    axes = [range(-reach, reach + 1) if k < len(periodic) and periodic[k] else (0,) for k in range(dim)]
    i, j = np.triu_indices(n)
    for shift in itertools.product(*axes):
        s = np.array(shift)
        d = (x[i] - x[j]) - (s * size if size is not None else 0.0)
        if boxes:
            near = (np.abs(d) <= (r[i] + r[j] + gap)[:, None]).all(axis=1)
        else:
            near = (d * d).sum(axis=1) < (r[i] + r[j] + gap) ** 2
            near &= r[i] + r[j] + gap > 0
        first = next((k for k in shift if k != 0), 0)
        near &= (i < j) | (first > 0)
        rows.append(np.column_stack([i[near], j[near], np.broadcast_to(s, (near.sum(), dim))]))
    rows = np.concatenate(rows)
    return rows[np.lexsort(rows.T[::-1])]


def narrowest(x, r, size=None, periodic=(), gap=0.0):
    """How near the nearest decision is to its threshold: below some 1e-12 rounding may decide either way."""
    d = x[:, None] - x[None]
    if size is not None:
        wrap = np.array(periodic, bool)
        d = np.where(wrap, d - size * np.round(d / size), d)
    gaps = np.sqrt((d * d).sum(-1)) - r[:, None] - r[None] - gap
    return np.abs(gaps[~np.eye(len(x), dtype=bool)]).min() if len(x) > 1 else 1.0
