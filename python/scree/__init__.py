"""scree: contact detection and simulation for many bodies of very different sizes.

    import scree
    ij = scree.pairs(x, r)                                             # x (n, 3), r (n,): all pairs that overlap
    packing = scree.pack("uniform-size:1:2", 5000, "rearrange", periodic=True)
    m = scree.measure(packing)                                         # density, coordination, g(r), ...

A thin layer over the C libraries of scree: the same results bit for bit, NumPy arrays in and out. docs/python.md has a tour.
"""
from ._analysis import (Displacement, Fields, Flow, FoundContacts, Fragments, Group, Mixing, Network, Repose, WallStress, average_fields, contact_points, displacement, fields, find_contacts, flow, fragments, groups, mixing, network, repose,
                        wall_stress)
from ._arrays import Box
from ._bonds import Bonds
from ._cell import Cell
from ._contacts import read_contacts
from ._device import DeviceArray
from ._frames import Page, film, read_frames, view, write_frames
from ._hard import Collision, HardSpheres, HardStats
from ._library import (ArgumentError, CancelledError, FileError, FolderError, ForbiddenFileError, FormatError, MissingFileError, OutOfMemoryError, ScreeError,
                       UnsupportedError)
from ._loads import Signal, ramp, sine, table
from ._memory import Memory
from ._measure import Average, BondOrder, Measures, NearestGaps, PairDistribution, SizeCurve, Porosity, StructureFactor, Voxels, average, bond_order, measure, porosity, structure_factor, voxels
from ._mesh import Closest, Mesh, MeshContacts, MeshReport
from ._pack import Hierarchy, Packing, Stability, pack, pack_hierarchy, predict_density, stability
from ._parameters import Contact, Material, Search, Walls
from ._polygons import Body, Polygon, PolygonContacts, PolygonNumbers, PolygonReport, PolygonSimulation, PolygonState
from ._query import Hits, Tree, count_pairs, neighbour_list
from ._run import Frames, Run
from ._scene import Scene, SceneGroup, SceneKey
from ._search import Device, Index, Rows, Stats, Surroundings, box_pairs, device, pairs
from ._sim import Checked, Contacts, Costs, Numbers, PairNumbers, Plan, Progress, Report, Result, Share, Simulation, State, check_scene, estimate, plan, resume, run, thermal_velocities
from ._sizes import Levels, Sizes, levels, sizes
from ._spheres import Outlines, Spheres, concatenate, picture, read_outlines, read, write, write_pairs
from ._sweep import Sweep, sweep
from ._tables import DataTable
from ._version import __version__

METHODS = ("auto", "all-pairs", "verlet-list", "linked-cells", "linear-list", "octree", "loose-octree", "hierarchical-grid")

__all__ = ["ArgumentError", "Average", "Body", "BondOrder", "Bonds", "Box", "CancelledError", "Cell", "Checked", "Closest", "Collision", "Contact", "Contacts", "Costs",
           "DataTable", "Device", "DeviceArray", "Displacement", "Fields", "FileError", "Flow", "FolderError", "ForbiddenFileError", "FormatError", "FoundContacts",
           "Fragments", "Frames", "Group", "HardSpheres", "HardStats", "Hierarchy", "Hits", "Index", "Levels", "METHODS", "Material", "Measures", "Memory", "Mesh",
           "MeshContacts", "MeshReport", "MissingFileError", "Mixing", "NearestGaps", "Network", "Numbers", "OutOfMemoryError", "Outlines", "Packing", "Page",
           "PairDistribution", "PairNumbers", "Plan", "Polygon", "PolygonContacts", "PolygonNumbers", "PolygonReport", "PolygonSimulation", "PolygonState", "Porosity",
           "Progress", "Report", "Repose", "Result", "Rows", "Run", "Scene", "SceneGroup", "SceneKey", "ScreeError", "Search", "Share", "Signal", "Simulation",
           "SizeCurve", "Sizes", "Spheres", "Stability", "State", "Stats", "StructureFactor", "Surroundings", "Sweep", "Tree", "UnsupportedError", "Voxels",
           "WallStress", "Walls", "__version__", "average", "average_fields", "bond_order", "box_pairs", "check_scene", "concatenate", "contact_points", "count_pairs",
           "device", "displacement", "estimate", "fields", "film", "find_contacts", "flow", "fragments", "groups", "levels", "measure", "mixing", "neighbour_list",
           "network", "pack", "pack_hierarchy", "pairs", "picture", "plan", "porosity", "predict_density", "ramp", "read", "read_contacts", "read_frames",
           "read_outlines", "repose", "resume", "run", "sine", "sizes", "stability", "structure_factor", "sweep", "table", "thermal_velocities", "view", "voxels",
           "wall_stress", "write", "write_frames", "write_pairs"]
