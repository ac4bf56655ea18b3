"""scree: who touches whom among many bodies of very different sizes.

    import scree
    ij = scree.pairs(x, r)                      # x (n, 3), r (n,): all pairs that overlap

A thin layer over the C libraries of scree: the same results bit for bit, NumPy arrays in and out. docs/python.md has a tour.
"""
from ._arrays import Box
from ._library import (ArgumentError, CancelledError, FileError, FormatError, OutOfMemoryError, ScreeError, UnsupportedError,
                       __version__)
from ._search import Index, Rows, Stats, pairs
