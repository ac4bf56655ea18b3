"""scree: who touches whom among many bodies of very different sizes.

    import scree
    ij = scree.pairs(x, r)                                             # x (n, 3), r (n,): all pairs that overlap
    packing = scree.pack("uniform-size:1:2", 5000, "rearrange", periodic=True)
    m = scree.measure(packing)                                         # density, coordination, g(r), ...

A thin layer over the C libraries of scree: the same results bit for bit, NumPy arrays in and out. docs/python.md has a tour.
"""
from ._analysis import Fields, Mixing, Network, Repose, fields, mixing, network, repose
from ._arrays import Box
from ._bonds import Bonds
from ._cell import Cell
from ._contacts import read_contacts
from ._library import (ArgumentError, CancelledError, FileError, FormatError, OutOfMemoryError, ScreeError, UnsupportedError)
from ._loads import Signal, ramp, sine, table
from ._measure import Measures, NearestGaps, PairDistribution, SizeCurve, measure
from ._pack import Hierarchy, Packing, pack, pack_hierarchy, predict_density
from ._polygons import Body, Polygon, PolygonContacts, PolygonNumbers, PolygonReport, PolygonSimulation, PolygonState
from ._query import Hits, Tree, neighbour_list
from ._search import Index, Rows, Stats, box_pairs, pairs
from ._sim import Contacts, Memory, Numbers, Plan, Progress, Report, Result, Share, Simulation, State, plan, resume, run, thermal_velocities
from ._sizes import Levels, Sizes, levels, sizes
from ._spheres import Outlines, Spheres, concatenate, picture, read_outlines, read, write, write_pairs
from ._version import __version__

METHODS = ("auto", "all-pairs", "verlet-list", "linked-cells", "linear-list", "octree", "loose-octree", "hierarchical-grid")

__all__ = ["ArgumentError", "Body", "Bonds", "Box", "CancelledError", "Cell", "Contacts", "Fields", "FileError", "FormatError", "Hierarchy", "Hits", "Index", "Levels",
           "METHODS", "Measures", "Memory", "Mixing", "NearestGaps", "Network", "Numbers", "OutOfMemoryError", "Outlines", "Packing", "PairDistribution", "Plan",
           "Polygon", "PolygonContacts", "PolygonNumbers", "PolygonReport", "PolygonSimulation", "PolygonState", "Progress", "Report", "Repose", "Result", "Rows",
           "ScreeError", "Share", "Signal", "Simulation", "SizeCurve", "Sizes", "Spheres", "State", "Stats", "Tree", "UnsupportedError", "__version__", "box_pairs",
           "concatenate", "fields", "levels", "measure", "mixing", "neighbour_list", "network", "pack", "pack_hierarchy", "pairs", "picture", "plan", "predict_density", "ramp", "read",
           "read_contacts", "read_outlines", "repose", "resume", "run", "sine", "sizes", "table", "thermal_velocities", "write", "write_pairs"]
