"""The C structs and functions that this package uses, as ctypes sees them: one table each.

Nothing here is taken on trust. tests/python/test_abi.py compiles a program that prints sizeof and offsetof of every struct and
field below, and reads the prototypes in include/scree; at import the sizes of all `def` structs are compared with the loaded library
(_library.py). A struct that is new in a header needs one class here, a function one row in FUNCTIONS.
"""
from __future__ import annotations

import ctypes as c
from ctypes import POINTER as P
from typing import TYPE_CHECKING, Any, TypeVar

i8, u8, i32, u32, i64, u64 = c.c_int8, c.c_uint8, c.c_int32, c.c_uint32, c.c_int64, c.c_uint64
f64, boolean, size_t, text, address = c.c_double, c.c_bool, c.c_size_t, c.c_char_p, c.c_void_p

METHODS = ("auto", "all-pairs", "verlet-list", "linked-cells", "linear-list", "octree", "loose-octree", "hierarchical-grid")
DIRECTIONS = ("cheaper", "finer", "coarser")
RANGES = ("tight", "half-cell", "iwai")
BOX_TESTS = ("auto", "on", "off")
SAMPLINGS = ("systematic", "shifted", "random")
FORMATS = ("auto", "csv", "vtp", "xyz", "lammps", "npy")
MAPS = ("dusk", "ember", "grey")
SCALES = ("auto", "linear", "log")
BACKGROUNDS = ("light", "dark", "none")
IMAGES = ("none", "faces", "fill")
CONTAINERS = ("box", "cylinder", "sphere")
EXACT_KINDS = ("plane", "cylinder", "cone", "sphere", "disc", "box")
KERNELS = ("gauss", "heaviside")
SURFACES = ("slope", "heap")
CLUSTERS = ("contacts", "bonds")
POROSITIES = ("x", "y", "z", "radius", "wall")
INTEGRATORS = ("velocity-verlet", "position-verlet")
LAWS = ("linear", "record", "hertz", "jkr", "dmt", "plastic")
BACKENDS = ("fused", "reference")
DEVICES = ("none", "auto", "cuda", "emulate")
LIMITS = ("contact", "Rayleigh", "normal", "tangential", "rolling", "twisting")
MOVES = ("together", "one-by-one")
CENTRES = ("spread", "random")
ABI = 2  # SCREE_ABI: the libraries are libscree.so.2 and so on
LEVELS_MOST = 64
CHECKPOINT_NUMBERS = 128
CHECKPOINT_COLUMNS = 24
CHECKPOINT_SUMS = 32
POLYGON_ACCOUNTS = 7
POLYGON_RULES = ("rounded", "node-to-segment")
SHAPES = ("regular", "convex", "star", "ell", "hook", "chip")
CONTACT_KINDS = ("vertex", "crossing", "disc", "wall")
CHECKPOINT_NAME = 32

STRUCTS: dict[str, type[c.Structure]] = {}


if TYPE_CHECKING:
    Structure = c.Structure
else:
    class _Slots(type(c.Structure)):
        """No attributes beside the fields: a misspelt name is an AttributeError."""

        def __new__(meta, name, bases, body):
            return super().__new__(meta, name, bases, {"__slots__": (), **body})

    class Structure(c.Structure, metaclass=_Slots):
        """Base of all structs below."""

AnyStruct = TypeVar("AnyStruct", bound=c.Structure)


def struct(cls: type[AnyStruct]) -> type[AnyStruct]:
    """Lists a struct under its name in C, which is the class' own."""
    STRUCTS[cls.__name__] = cls
    return cls


# ---- base.h, geom.h -------------------------------------------------------------------------------------------------

TICK = c.CFUNCTYPE(boolean, address, f64)


@struct
class scree_watch(Structure):
    _fields_ = [("tick", TICK), ("context", address)]


@struct
class scree_box(Structure):
    _fields_ = [("dim", i32), ("lower", f64 * 3), ("upper", f64 * 3), ("periodic", boolean * 3), ("tilt", f64 * 3)]


@struct
class scree_rng(Structure):
    _fields_ = [("key", u32 * 2), ("counter", u32 * 4), ("block", u32 * 4), ("left", i32)]


@struct
class scree_container(Structure):
    _fields_ = [("kind", i32), ("box", scree_box)]


@struct
class scree_spheres(Structure):
    _fields_ = [("count", i32), ("dim", i32), ("x", address), ("r", address)]


@struct
class scree_column(Structure):
    _fields_ = [("name", text), ("kind", i32), ("components", i32), ("values", address), ("integers", address), ("text", address),
                ("offset", address)]


@struct
class scree_sphere_set(Structure):
    _fields_ = [("dim", i32), ("count", i32), ("x", address), ("r", address), ("has_box", boolean), ("box", scree_box),
                ("column_count", i32), ("columns", P(scree_column)), ("container", i32)]


# ---- index.h, candidates.h, levels.h ---------------------------------------------------------------------------------


@struct
class scree_index_def(Structure):
    _fields_ = [("struct_size", u32), ("method", i32), ("box", scree_box), ("gap", f64), ("sorted", boolean), ("threads", i32),
                ("watch", scree_watch), ("skin", f64), ("cell_size", f64), ("levels", i32), ("cell_size_count", i32),
                ("cell_sizes", address), ("direction", i32), ("range", i32), ("box_test", i32), ("verlet_radius", f64),
                ("rebuild_every", i32), ("loose_factor", f64), ("cell_sides", f64 * 3), ("device", i32)]


@struct
class scree_pair_mask(Structure):
    _fields_ = [("count", i32), ("group", address), ("groups", i32), ("matrix", address)]


@struct
class scree_device_spheres(Structure):
    _fields_ = [("count", i32), ("dim", i32), ("x", address), ("r", address), ("radius", f64), ("stream", address)]


@struct
class scree_pairs(Structure):
    _fields_ = [("count", i64), ("ij", address), ("shift", address)]


@struct
class scree_found_pairs(Structure):
    _fields_ = [("count", i64), ("ij", address), ("shift", address)]


@struct
class scree_index_stats(Structure):
    _fields_ = [("tests", i64), ("box_tests", i64), ("cells", i64), ("levels", i64), ("size_ratio", f64), ("bytes", size_t),
                ("seconds_build", f64), ("seconds_search", f64), ("rebuilds", i64), ("list_build", i64), ("candidates", i64),
                ("skin", f64), ("swaps", i64), ("sorts", i64), ("work", f64), ("queries", i64),
                ("query_tests", i64), ("query_box_tests", i64), ("query_cells", i64), ("refreshes", i64), ("near_skin", f64),
                ("changes", i64), ("change_cells", i64), ("seconds_device", f64)]


@struct
class scree_candidates_def(Structure):
    _fields_ = [("struct_size", u32), ("search", P(scree_index_def)), ("block", i32), ("numbered", boolean)]


@struct
class scree_candidate_items(Structure):
    _fields_ = [("struct_size", u32), ("count", i32), ("xr", address), ("half", address), ("still", address), ("mask", P(scree_pair_mask)), ("moved", f64), ("ways", address),
                ("outside_moved", f64), ("expected", f64), ("found", i64), ("skin", f64), ("others", boolean), ("block", i32)]


@struct
class scree_candidate_rows(Structure):
    _fields_ = [("build", i64), ("count", i64), ("items", i32), ("ij", address), ("shift", address), ("start", address), ("blocks", i64),
                ("in_start", address), ("in_ij", address), ("in_shift", address), ("in_row", address), ("skin", f64), ("margin", f64)]


@struct
class scree_neighbours(Structure):
    _fields_ = [("count", i64), ("j", address), ("shift", address)]


@struct
class scree_points(Structure):
    _fields_ = [("count", i32), ("dim", i32), ("type", i32), ("x", address), ("x_stride", i64), ("r", address), ("r_stride", i64), ("mask", address)]


@struct
class scree_bvh_def(Structure):
    _fields_ = [("struct_size", u32), ("box", P(scree_box)), ("threads", i32), ("watch", scree_watch)]


@struct
class scree_hits(Structure):
    _fields_ = [("queries", i64), ("first", address), ("hit", address)]


@struct
class scree_levels_def(Structure):
    _fields_ = [("struct_size", u32), ("cell_cost", f64), ("resolution", f64), ("margin", f64), ("most_levels", i32), ("levels", i32)]


@struct
class scree_levels_row(Structure):
    _fields_ = [("levels", i32), ("m", f64), ("cost", f64)]


@struct
class scree_levels(Structure):
    _fields_ = [("count", i32), ("rows", scree_levels_row * LEVELS_MOST), ("chosen", i32), ("cell_size", f64 * LEVELS_MOST),
                ("spheres", i64 * LEVELS_MOST), ("per_cell", f64 * LEVELS_MOST)]


# ---- measure.h ------------------------------------------------------------------------------------------------------


@struct
class scree_measure_def(Structure):
    _fields_ = [("struct_size", u32), ("box", scree_box), ("gap", f64), ("margin", f64), ("r_max", f64), ("r_bins", i32),
                ("nearest_max", f64), ("nearest_bins", i32), ("size_rows", i32), ("method", i32), ("threads", i32),
                ("container", i32), ("watch", scree_watch), ("least_contacts", i32)]


@struct
class scree_density(Structure):
    _fields_ = [("whole", f64), ("inner", f64), ("margin", f64)]


@struct
class scree_contact_counts(Structure):
    _fields_ = [("n", i32), ("gap", f64), ("contacts", i64), ("pairs", i64), ("coordination", f64), ("partners", address),
                ("wall_contacts", i64), ("contacts_min", i32), ("rattlers", i32), ("rattler", address), ("backbone_near", i64), ("backbone_coordination", f64),
                ("no_contact", i32), ("one_contact", i32), ("mechanical_coordination", f64),
                ("max_overlap", f64), ("max_i", i32), ("max_j", i32), ("max_shift", i8 * 3), ("mean_overlap", f64),
                ("max_overlap_relative", f64), ("mean_overlap_relative", f64), ("overlap_share", f64)]


@struct
class scree_pair_distribution(Structure):
    _fields_ = [("bins", i32), ("r_max", f64), ("r", address), ("pairs", address), ("ideal", address), ("g", address)]


@struct
class scree_size_curve(Structure):
    _fields_ = [("rows", i32), ("d", address), ("by_number", address), ("by_mass", address)]


@struct
class scree_nearest(Structure):
    _fields_ = [("n", i32), ("gap", address), ("min", f64), ("median", f64), ("max", f64), ("bins", i32), ("edge", address),
                ("number", address), ("beyond", i64)]


@struct
class scree_bond_order_def(Structure):
    _fields_ = [("struct_size", u32), ("cutoff", f64)]


@struct
class scree_bond_order(Structure):
    _fields_ = [("n", i32), ("bonds", i64), ("neighbours", address), ("q4", address), ("q6", address), ("q4_mean", f64), ("q6_mean", f64), ("q4_global", f64), ("q6_global", f64)]


@struct
class scree_structure_factor_def(Structure):
    _fields_ = [("struct_size", u32), ("k_max", f64), ("bins", i32)]


@struct
class scree_structure_factor(Structure):
    _fields_ = [("bins", i32), ("k_max", f64), ("k", address), ("vectors", address), ("k_mean", address), ("s", address), ("s_max", address), ("total", i64)]


@struct
class scree_average(Structure):
    _fields_ = [("count", i64), ("mean", f64), ("deviation", f64), ("error", f64), ("inefficiency", f64), ("block", i64), ("min", f64), ("max", f64)]


@struct
class scree_voxels_def(Structure):
    _fields_ = [("struct_size", u32), ("cells", i32 * 3), ("lower", f64 * 3), ("upper", f64 * 3), ("labels", boolean), ("fractions", boolean)]


@struct
class scree_voxels(Structure):
    _fields_ = [("dim", i32), ("cells", i32 * 3), ("lower", f64 * 3), ("size", f64 * 3), ("count", i64), ("label", address), ("fraction", address), ("solid", f64)]


@struct
class scree_porosity_def(Structure):
    _fields_ = [("struct_size", u32), ("kind", i32), ("bins", i32), ("from", f64), ("to", f64)]


@struct
class scree_porosity(Structure):
    _fields_ = [("bins", i32), ("kind", i32), ("edge", address), ("volume", address), ("fraction", address), ("porosity", address)]


@struct
class scree_measures(Structure):
    _fields_ = [("n", i32), ("dim", i32), ("diameter_min", f64), ("diameter_mean", f64), ("diameter_max", f64), ("density", scree_density),
                ("density_corrected", f64), ("contacts", scree_contact_counts), ("g_r", scree_pair_distribution),
                ("size_curve", scree_size_curve), ("nearest_gaps", scree_nearest)]


# ---- pack.h ---------------------------------------------------------------------------------------------------------


@struct
class scree_place_report(Structure):
    _fields_ = [("placed", i32), ("tries", i64), ("density", f64), ("density_asked", f64), ("spacing", f64)]


@struct
class scree_saturation(Structure):
    _fields_ = [("placed", i32), ("listed", i32), ("refused", i32), ("rounds", i32), ("tries", i64), ("density", f64), ("open", f64),
                ("full_from", f64), ("saturated", boolean)]


@struct
class scree_place_def(Structure):
    _fields_ = [("struct_size", u32), ("box", scree_box), ("container", i32), ("seed", u64), ("tries", i64), ("threads", i32),
                ("watch", scree_watch), ("report", P(scree_place_report)), ("standing", scree_spheres), ("clear", address), ("clear_context", address)]


@struct
class scree_rearrange_state(Structure):
    _fields_ = [("sweeps", i64), ("density", f64), ("overlap", f64)]


@struct
class scree_bytes(Structure):
    _fields_ = [("data", address), ("size", size_t)]


SAVE = c.CFUNCTYPE(i32, address, i32, P(scree_bytes))


@struct
class scree_pack_saver(Structure):
    _fields_ = [("save", address), ("context", address), ("seconds", f64)]


@struct
class scree_rearrange_def(Structure):
    _fields_ = [("struct_size", u32), ("box", scree_box), ("container", i32), ("start_density", f64), ("centres", i32), ("tolerance", f64), ("growth", f64),
                ("balance", f64), ("warm_up", i64), ("sweeps", i64), ("seconds", f64), ("attraction", f64), ("moves", i32), ("margin", f64),
                ("margin_least", f64), ("method", i32), ("seed", u64), ("threads", i32), ("watch", scree_watch), ("state", P(scree_rearrange_state)),
                ("saver", scree_pack_saver), ("resume", scree_bytes)]


@struct
class scree_stability(Structure):
    _fields_ = [("contacts", i64), ("bearing", i64), ("isostatic", i64), ("rattlers", i32), ("coordination", f64), ("overlap", f64), ("force", f64),
                ("residual", f64)]


@struct
class scree_stable_def(Structure):
    _fields_ = [("struct_size", u32), ("box", scree_box), ("container", i32), ("overlap", f64), ("tolerance", f64), ("sweeps", i64), ("seconds", f64),
                ("method", i32), ("threads", i32), ("watch", scree_watch), ("state", P(scree_rearrange_state)), ("saver", scree_pack_saver),
                ("resume", scree_bytes)]


@struct
class scree_hierarchy_def(Structure):
    _fields_ = [("struct_size", u32), ("dim", i32), ("class_ratio", f64), ("window", i32), ("reach", f64), ("spheres", i32), ("repeats", i32), ("method", i32),
                ("seed", u64), ("threads", i32), ("watch", scree_watch)]


@struct
class scree_hierarchy_level(Structure):
    _fields_ = [("radius_min", f64), ("radius_max", f64), ("share", f64), ("alone", f64), ("alone_error", f64), ("density", f64), ("error", f64), ("window_density", f64),
                ("enlarged", f64), ("classes", i32), ("spheres", i32), ("sample", scree_sphere_set), ("error_statistical", f64), ("error_model", f64)]


@struct
class scree_hierarchy(Structure):
    _fields_ = [("count", i32), ("levels", P(scree_hierarchy_level)), ("density", f64), ("error", f64), ("seconds", f64), ("error_statistical", f64), ("error_model", f64)]


@struct
class scree_compress_def(Structure):
    _fields_ = [("struct_size", u32), ("box", scree_box), ("pressure", f64), ("rate", f64), ("restitution", f64), ("start_density", f64),
                ("tolerance", f64), ("steps", i64), ("seconds", f64), ("method", i32), ("seed", u64), ("threads", i32),
                ("watch", scree_watch), ("state", address)]


@struct
class scree_grow_def(Structure):
    _fields_ = [("struct_size", u32), ("box", scree_box), ("density", f64), ("pressure", f64), ("rate", f64), ("start_density", f64),
                ("collisions", f64), ("restitution", f64), ("seconds", f64), ("method", i32), ("seed", u64), ("threads", i32),
                ("watch", scree_watch), ("density_now", address), ("saver", scree_pack_saver), ("resume", scree_bytes)]


@struct
class scree_growth(Structure):
    _fields_ = [("count", i32), ("x", address), ("v", address), ("box", scree_box), ("density", f64), ("reached", boolean),
                ("jammed", boolean), ("converged", boolean), ("reduced_pressure", f64), ("reduced_pressure_at_rest", f64), ("slower_rate", f64),
                ("collision_rate", f64), ("mean_free_time", f64), ("temperature", f64), ("time", f64), ("collisions", i64), ("predictions", i64),
                ("tests", i64), ("refreshes", i64), ("rebuilds", i64), ("seconds", f64)]


@struct
class scree_drop_def(Structure):
    _fields_ = [("struct_size", u32), ("box", scree_box), ("container", i32), ("centre", boolean), ("lowest", i32), ("seed", u64),
                ("threads", i32), ("watch", scree_watch), ("density_now", address)]


@struct
class scree_packing(Structure):
    _fields_ = [("count", i32), ("x", address), ("box", scree_box), ("container", i32), ("density", f64), ("max_overlap", f64),
                ("overlap_left", f64), ("density_net", f64), ("converged", boolean), ("sweeps", i64), ("growths", i64), ("rebuilds", i64),
                ("tests", i64), ("refreshes", i64), ("search_tests", i64), ("seconds", f64)]


# ---- sim.h ----------------------------------------------------------------------------------------------------------


@struct
class scree_sim_each(Structure):
    _fields_ = [("struct_size", u32), ("material_density", address), ("material", address), ("group", address), ("fixed", address), ("force", address),
                ("spin", address), ("inertia", address), ("id", address)]


@struct
class scree_sim_later(Structure):
    _fields_ = [("struct_size", u32), ("count", i32), ("r", address), ("material_density", address), ("material", address), ("fixed", address), ("most", i64)]


@struct
class scree_sim_flow(Structure):
    _fields_ = [("next_id", i64), ("inserted", i64), ("removed", i64), ("mass_inserted", f64), ("mass_removed", f64), ("energy_inserted", f64),
                ("energy_removed", f64), ("gravity_inserted", f64), ("gravity_removed", f64)]


@struct
class scree_sim_crossing(Structure):
    _fields_ = [("id", i64), ("step", i64), ("boundary", i32), ("group", i32), ("mass", f64)]


@struct
class scree_sim_material(Structure):
    _fields_ = [("struct_size", u32), ("young", f64), ("poisson", f64)]


@struct
class scree_sim_pair(Structure):
    _fields_ = [("struct_size", u32), ("stiffness", f64), ("damping", f64), ("restitution", f64), ("viscous_time", f64), ("friction", f64),
                ("friction_dynamic", f64), ("tangential_stiffness", f64), ("tangential_damping", f64), ("rolling_friction", f64),
                ("rolling_stiffness", f64), ("rolling_damping", f64), ("twisting_friction", f64), ("twisting_stiffness", f64),
                ("surface_energy", f64), ("bridge_volume", f64), ("surface_tension", f64), ("wetting_angle", f64), ("k2", f64), ("kc", f64),
                ("plastic_depth", f64), ("twisting_damping", f64)]


@struct
class scree_sim_parameter(Structure):
    _fields_ = [("name", text), ("unit", text), ("least", f64), ("most", f64), ("standard", f64)]


@struct
class scree_sim_law_value(Structure):
    _fields_ = [("name", text), ("material", i32 * 2), ("value", f64)]


@struct
class scree_sim_law(Structure):
    _fields_ = [("struct_size", u32), ("name", text), ("tangential", text), ("rolling", text), ("twisting", text), ("no_pull", boolean),
                ("material_count", i32), ("materials", P(scree_sim_material)), ("pairs", P(scree_sim_pair)), ("values", P(scree_sim_law_value)), ("value_count", i32)]


@struct
class scree_sim_bond(Structure):
    _fields_ = [("struct_size", u32), ("gap", f64), ("between", i32 * 2), ("radius", f64), ("young", f64), ("shear", f64), ("bending", f64), ("twisting", f64),
                ("damping", f64), ("tensile_strength", f64), ("shear_strength", f64), ("friction", f64)]


@struct
class scree_sim_bonds_def(Structure):
    _fields_ = [("struct_size", u32), ("kind_count", i32), ("kinds", P(scree_sim_bond)), ("count", i64), ("ij", address), ("kind", address), ("length", address)]


@struct
class scree_exact(Structure):
    _fields_ = [("struct_size", u32), ("kind", i32), ("at", f64 * 3), ("axis", f64 * 3), ("length", f64), ("radius", f64 * 2), ("lower", f64 * 3), ("upper", f64 * 3),
                ("inside", boolean)]


@struct
class scree_triangles(Structure):
    _fields_ = [("count", i32), ("xyz", address)]


@struct
class scree_placement(Structure):
    _fields_ = [("struct_size", u32), ("scale", f64), ("turn", f64 * 3 * 3), ("shift", f64 * 3)]


@struct
class scree_surface_def(Structure):
    _fields_ = [("struct_size", u32), ("weld", f64), ("one_sided", boolean), ("threads", i32)]


@struct
class scree_sim_boundary(Structure):
    _fields_ = [("struct_size", u32), ("kind", text), ("at", f64 * 3), ("axis", f64 * 3), ("radius", f64), ("outside", boolean), ("material", i32),
                ("velocity", f64 * 3), ("spin", f64 * 3), ("exact", P(scree_exact)), ("surface", address), ("about", f64 * 3), ("name", text), ("one_sided", boolean), ("removes", boolean)]


@struct
class scree_sim_cell(Structure):
    _fields_ = [("struct_size", u32), ("rate", f64 * 6), ("controlled", u32), ("stress", f64 * 3), ("isotropic", boolean), ("constant_volume", boolean),
                ("rate_most", f64), ("response", f64)]


@struct
class scree_sim_cell_report(Structure):
    _fields_ = [("set", boolean), ("side", f64 * 3), ("tilt", f64 * 3), ("rate", f64 * 6), ("strain", f64 * 6), ("stress", f64 * 3), ("velocity", f64 * 6)]


@struct
class scree_sim_cell_state(Structure):
    _fields_ = [("since", i64), ("values", f64 * 56)]


@struct
class scree_sim_def(Structure):
    _fields_ = [("struct_size", u32), ("box", scree_box), ("wall_velocity", f64 * 2 * 3), ("gravity", f64 * 3), ("gravity_turn", f64 * 3),
                ("material_density", f64), ("stiffness", f64), ("contact_duration", f64), ("overlap", f64), ("speed", f64),
                ("damping", f64), ("restitution", f64), ("time_step", f64), ("order_every", i32), ("search", P(scree_index_def)),
                ("threads", i32), ("check", boolean), ("watch", scree_watch), ("integrator", i32), ("each", P(scree_sim_each)), ("giants", f64),
                ("law", P(scree_sim_law)), ("wall_material", i32), ("container", i32), ("boundaries", P(scree_sim_boundary)), ("boundary_count", i32),
                ("backend", i32), ("energies", boolean), ("bonds", P(scree_sim_bonds_def)), ("watch_overlaps", f64), ("later", P(scree_sim_later)), ("cell", P(scree_sim_cell)),
                ("face_materials", P(i32)), ("walls_remove", boolean), ("device", i32)]


@struct
class scree_sim_numbers(Structure):
    _fields_ = [("stiffness", f64), ("time_step", f64), ("contact_duration", f64), ("shortest_contact", i64 * 2), ("longest_time_step", f64),
                ("restitution_min", f64), ("restitution_max", f64), ("mass_min", f64), ("mass_max", f64), ("mass", f64),
                ("radius_min", f64), ("radius_max", f64), ("giant_radius", f64), ("force_quantum", f64), ("giant_count", i32), ("fixed", i32),
                ("rayleigh_time", f64), ("overlap_expected", f64), ("torque_quantum", f64),
                ("bond_count", i64), ("bond_period", f64), ("bond_fastest", i64 * 2), ("longest_time_step_by", i32), ("longest_time_step_of", i64 * 2)]


@struct
class scree_sim_walls(Structure):
    _fields_ = [("at", f64 * 2 * 3), ("since", i64), ("velocity", f64 * 2 * 3), ("gravity", f64 * 3), ("turn", f64 * 3),
                ("gravity_since", i64)]


@struct
class scree_sim_values(Structure):
    _fields_ = [("name", text), ("data", address)]


@struct
class scree_sim_motion(Structure):
    _fields_ = [("at", f64 * 3), ("since", i64), ("velocity", f64 * 3), ("spin", f64 * 3), ("turn", f64 * 3 * 3)]


@struct
class scree_sim_memory(Structure):
    _fields_ = [("count", i64), ("words", i32), ("ij", address), ("shift", address), ("values", address), ("feature", address)]


@struct
class scree_sim_bonds(Structure):
    _fields_ = [("count", i64), ("ij", address), ("shift", address), ("kind", address), ("length", address), ("values", address), ("broken_at", address),
                ("cause", address), ("released", address), ("force", address), ("torque", address), ("dissipated", f64), ("dissipated_next", f64)]


@struct
class scree_sim_state(Structure):
    _fields_ = [("step", i64), ("walls", scree_sim_walls), ("column_count", i32), ("columns", P(scree_sim_values)), ("motion_count", i32),
                ("motions", P(scree_sim_motion)), ("memory", P(scree_sim_memory)), ("account_count", i32), ("account", address),
                ("bonds", P(scree_sim_bonds)), ("load_count", i64), ("loads", address), ("flow", P(scree_sim_flow)), ("cell", P(scree_sim_cell_state)),
                ("time_step", f64)]


@struct
class scree_sim_column(Structure):
    _fields_ = [("name", text), ("type", i32), ("components", i32), ("uses", u32), ("meaning", text)]


@struct
class scree_sim_report(Structure):
    _fields_ = [("step", i64), ("time", f64), ("energy_kinetic", f64), ("energy_contact", f64), ("energy_gravity", f64),
                ("energy_potential", f64), ("momentum", f64 * 3), ("pressure", f64), ("virial", f64), ("contacts", i64), ("wall_contacts", i64),
                ("max_overlap", f64), ("max_overlap_relative", f64), ("speed_max", f64), ("rebuilds", i64), ("candidates", i64),
                ("skin", f64), ("method", i32), ("bytes", size_t), ("seconds_search", f64), ("seconds_force", f64),
                ("seconds_integrate", f64), ("seconds_other", f64), ("kinetic_stress", f64 * 3 * 3), ("contact_stress", f64 * 3 * 3),
                ("energy_rotation", f64), ("energy_normal", f64), ("energy_tangential", f64), ("energy_rolling", f64), ("energy_twisting", f64),
                ("dissipated_normal", f64), ("dissipated_tangential", f64), ("dissipated_rolling", f64), ("dissipated_twisting", f64),
                ("work_walls", f64), ("work_gravity", f64), ("work_forces", f64), ("sliding", i64), ("bonds", i64), ("bonds_broken", i64),
                ("energy_bonds", f64), ("dissipated_bonds", f64), ("released_bonds", f64), ("dissipated_drag", f64), ("dissipated_local", f64), ("flow", scree_sim_flow)]


@struct
class scree_sim_share(Structure):
    _fields_ = [("own", i64), ("ghosts", i64), ("peers", i64), ("sent", i64), ("candidates", i64), ("work", i64), ("bytes", i64)]


@struct
class scree_sim_plan(Structure):
    _fields_ = [("ranks", i32), ("sum", scree_sim_share), ("most", scree_sim_share), ("first", i64), ("least", scree_sim_share), ("held", i64), ("held_most", i64),
                ("held_first", i64)]


@struct
class scree_sim_contacts(Structure):
    _fields_ = [("count", i64), ("pair_count", i64), ("ij", address), ("shift", address), ("overlap", address), ("normal", address),
                ("force", address), ("words", i32), ("memory", address), ("tangential", address), ("torque", address), ("sliding", address),
                ("feature", address)]


# ---- loads.h --------------------------------------------------------------------------------------------------------


@struct
class scree_signal(Structure):
    _fields_ = [("kind", i32), ("value", f64 * 3), ("to", f64 * 3), ("over", f64), ("frequency", f64), ("phase", f64), ("count", i32), ("table", address)]


@struct
class scree_surroundings(Structure):
    _fields_ = [("level", i32), ("cells", i64), ("spheres", i64)]


@struct
class scree_device_about(Structure):
    _fields_ = [("name", c.c_char * 80), ("memory", size_t), ("free", size_t)]


@struct
class scree_sim_load(Structure):
    _fields_ = [("struct_size", u32), ("kind", i32), ("target", i32), ("value", scree_signal), ("speed", f64), ("direction", f64 * 3), ("area", f64)]


@struct
class scree_sim_group_report(Structure):
    _fields_ = [("count", i64), ("held", i64), ("mass", f64), ("energy_kinetic", f64), ("energy_rotation", f64), ("momentum", f64 * 3)]


# ---- analysis.h -----------------------------------------------------------------------------------------------------


@struct
class scree_snapshot(Structure):
    _fields_ = [("struct_size", u32), ("box", scree_box), ("container", i32), ("spheres", scree_spheres), ("mass", address), ("v", address), ("spin", address),
                ("group", address), ("contacts", P(scree_sim_contacts)), ("gravity", f64 * 3), ("threads", i32), ("watch", scree_watch), ("bonds", P(scree_sim_bonds))]


@struct
class scree_fields_def(Structure):
    _fields_ = [("struct_size", u32), ("cells", i32 * 3), ("kernel", i32), ("width", f64)]


@struct
class scree_fields(Structure):
    _fields_ = [("dim", i32), ("cells", i32 * 3), ("lower", f64 * 3), ("size", f64 * 3), ("width", f64), ("count", i64), ("density", address), ("fraction", address),
                ("momentum", address), ("velocity", address), ("temperature", address), ("kinetic_stress", address), ("contact_stress", address)]


@struct
class scree_fabric(Structure):
    _fields_ = [("tensor", f64 * 3 * 3), ("values", f64 * 3), ("anisotropy", f64)]


@struct
class scree_network_def(Structure):
    _fields_ = [("struct_size", u32), ("force_bins", i32), ("force_from", f64), ("force_to", f64), ("least_contacts", i32), ("clusters", i32)]


@struct
class scree_network(Structure):
    _fields_ = [("n", i32), ("contacts", i64), ("wall_contacts", i64), ("coordination", f64), ("rattlers", i32), ("rattler", address), ("backbone_contacts", i64),
                ("backbone_coordination", f64), ("fabric", scree_fabric), ("force_fabric", scree_fabric), ("force_mean", f64), ("force_max", f64), ("bins", i32),
                ("edge", address), ("number", address), ("probability", address), ("outside", i64), ("clusters", i32), ("cluster_max", i32), ("cluster", address),
                ("cluster_size", address), ("cluster_axes", address), ("percolates", boolean * 3), ("contacts_min", i32), ("no_contact", i32), ("one_contact", i32),
                ("mechanical_coordination", f64)]


@struct
class scree_fragments(Structure):
    _fields_ = [("n", i32), ("bonded", i32), ("fragments", i32), ("fragment_max", i32), ("fragment_share_max", f64), ("fragment", address), ("size", address), ("mass", address),
                ("bonds", i64), ("bonds_broken", i64), ("bonds_broken_tension", i64), ("bonds_broken_shear", i64)]


@struct
class scree_mixing_def(Structure):
    _fields_ = [("struct_size", u32), ("cells", i32 * 3), ("gap", f64)]


@struct
class scree_mixing(Structure):
    _fields_ = [("lacey", f64), ("neighbours", f64), ("variance", f64), ("variance_segregated", f64), ("variance_random", f64), ("occupied", i64), ("cells", i32 * 3),
                ("gap", f64), ("pairs", i64), ("unlike", i64), ("unlike_expected", f64)]


@struct
class scree_repose_def(Structure):
    _fields_ = [("struct_size", u32), ("surface", i32), ("up", i32), ("column", f64), ("low", f64), ("high", f64), ("lower", f64 * 3), ("upper", f64 * 3)]


@struct
class scree_repose(Structure):
    _fields_ = [("points", i64), ("angle", f64), ("error", f64), ("slope", f64 * 2), ("height", f64), ("axis", f64 * 2), ("residual", f64)]


@struct
class scree_contact_table(Structure):
    _fields_ = [("contacts", scree_sim_contacts)]


@struct
class scree_wall_stress(Structure):
    _fields_ = [("contacts", i64), ("force", f64 * 3), ("area", f64), ("stress", f64 * 3), ("pressure", f64)]


@struct
class scree_group_sums(Structure):
    _fields_ = [("group", i32), ("count", i32), ("mass", f64), ("centre", f64 * 3), ("momentum", f64 * 3), ("energy_kinetic", f64), ("energy_rotation", f64),
                ("energy_gravity", f64), ("temperature", f64)]


@struct
class scree_group_table(Structure):
    _fields_ = [("count", i32), ("groups", P(scree_group_sums))]


@struct
class scree_flow(Structure):
    _fields_ = [("forward", i64), ("backward", i64), ("mass", f64)]


@struct
class scree_displacement(Structure):
    _fields_ = [("count", i32), ("mean", f64 * 3), ("square", f64 * 3), ("msd", f64)]


@struct
class scree_displacement_table(Structure):
    _fields_ = [("all", scree_displacement), ("count", i32), ("groups", P(scree_displacement))]


# ---- event.h --------------------------------------------------------------------------------------------------------


@struct
class scree_event_def(Structure):
    _fields_ = [("struct_size", u32), ("box", scree_box), ("scale", f64), ("rate", f64), ("restitution", f64), ("mass", address), ("method", i32), ("threads", i32),
                ("watch", scree_watch)]


@struct
class scree_event_until(Structure):
    _fields_ = [("struct_size", u32), ("time", f64), ("scale", f64), ("collisions", i64)]


@struct
class scree_event_hit(Structure):
    _fields_ = [("time", f64), ("i", i32), ("j", i32), ("axis", i32), ("side", i32)]


@struct
class scree_event_stats(Structure):
    _fields_ = [("n", i32), ("time", f64), ("scale", f64), ("density", f64), ("energy", f64), ("temperature", f64), ("momentum", f64 * 3), ("span", f64), ("collisions", i64),
                ("wall_collisions", i64), ("collision_rate", f64), ("mean_free_time", f64), ("reduced_pressure", f64), ("predictions", i64), ("tests", i64), ("refreshes", i64),
                ("rebuilds", i64), ("entries", i64), ("skin", f64)]


@struct
class scree_event_rest(Structure):
    _fields_ = [("jammed", boolean), ("reduced_pressure", f64), ("contacts", f64), ("rattlers", i32), ("collisions", i64)]


# ---- surface.h ------------------------------------------------------------------------------------------------------


@struct
class scree_surface_report(Structure):
    _fields_ = [("triangles", i32), ("edges", i32), ("vertices", i32), ("corners", i64), ("welded", i32), ("weld_distance", f64), ("degenerate", i32), ("duplicate", i32),
                ("open_edges", i32), ("crowded_edges", i32), ("turned_edges", i32), ("closed", boolean), ("oriented", boolean), ("area", f64), ("volume", f64),
                ("shortest_edge", f64), ("longest_edge", f64), ("lower", f64 * 3), ("upper", f64 * 3), ("bytes", size_t), ("one_sided", boolean), ("split", i32),
                ("pinched", i32), ("cracks", i32), ("overlaps", i32), ("split_distance", f64)]


@struct
class scree_surface_arrays(Structure):
    _fields_ = [("triangles", i32), ("edges", i32), ("vertices", i32), ("vertex", address), ("triangle", address), ("side", address), ("edge", address), ("normal", address),
                ("edge_start", address), ("edge_triangle", address), ("vertex_start", address), ("vertex_edge", address), ("source", address), ("dropped", i32),
                ("dropped_source", address), ("dropped_for", address)]


@struct
class scree_surface_contact(Structure):
    _fields_ = [("feature", i32), ("nearest", i32), ("component", i32), ("front", boolean), ("point", f64 * 3), ("normal", f64 * 3), ("distance", f64), ("scale", f64), ("load", f64)]


@struct
class scree_sim_boundary_report(Structure):
    _fields_ = [("name", c.c_char * 32), ("contacts", i64), ("at", f64 * 3), ("velocity", f64 * 3), ("spin", f64 * 3), ("force", f64 * 3),
                ("torque", f64 * 3), ("power", f64), ("present", boolean), ("turn", f64 * 3 * 3)]


@struct
class scree_thermal_def(Structure):
    _fields_ = [("struct_size", u32), ("temperature", f64), ("overlap", f64), ("stiffness", f64), ("material_density", f64),
                ("still", boolean), ("seed", u64)]


# ---- files.h, picture.h, scene.h, run.h, checkpoint.h ---------------------------------------------------------------


@struct
class scree_file_options(Structure):
    _fields_ = [("struct_size", u32), ("format", i32), ("watch", scree_watch), ("left_out", P(i64))]


@struct
class scree_film_def(Structure):
    _fields_ = [("struct_size", u32), ("width", i32), ("height", i32), ("frames", i64), ("fps", f64), ("alpha", boolean), ("watch", scree_watch)]


@struct
class scree_view_def(Structure):
    _fields_ = [("struct_size", u32), ("title", text), ("colour_by", text), ("map", i32), ("background", i32), ("gap", f64), ("threads", i32), ("watch", scree_watch)]


@struct
class scree_frame_times(Structure):
    _fields_ = [("count", i64), ("times", address), ("files", P(text))]


@struct
class scree_rods(Structure):
    _fields_ = [("count", i64), ("ends", address), ("value", address)]


@struct
class scree_veil(Structure):
    _fields_ = [("struct_size", u32), ("count", i64), ("corners", address), ("rgb", u8 * 3), ("opacity", f64)]


@struct
class scree_outline_set(Structure):
    _fields_ = [("bodies", scree_sphere_set), ("first", address), ("xy", address)]


@struct
class scree_picture_def(Structure):
    _fields_ = [("struct_size", u32), ("width", i32), ("height", i32), ("eye", f64 * 3), ("up", f64 * 3), ("perspective", f64),
                ("distance", f64), ("zoom", f64), ("colour_by", text), ("map", i32), ("scale", i32), ("range", f64 * 2),
                ("cut", boolean), ("cut_normal", f64 * 3), ("cut_position", f64), ("images", i32), ("copies", i32), ("background", i32),
                ("box", boolean), ("bar", boolean), ("samples", i32), ("threads", i32), ("watch", scree_watch), ("view", f64 * 2 * 3),
                ("rods", P(scree_rods)), ("rods_name", text), ("rods_range", f64 * 2), ("rods_width", f64), ("rods_scale", i32), ("rods_map", i32),
                ("opacity", f64), ("walls", f64), ("triangles", P(scree_veil)), ("caption", text)]


@struct
class scree_scene_facts(Structure):
    _fields_ = [("dim", i32), ("container", i32), ("box", scree_box), ("has_box", boolean), ("walls_move", boolean), ("grows", boolean), ("density", f64), ("groups", i64),
                ("materials", i64), ("pairs", i64), ("surfaces", i64), ("bodies", i64), ("inserts", i64), ("outlets", i64), ("loads", i64), ("changes", i64),
                ("start_run", text), ("start_step", i64), ("end", f64), ("steps", i64), ("seed", u64), ("animation", boolean), ("friction", boolean), ("bonds", i64)]


@struct
class scree_scene_group_facts(Structure):
    _fields_ = [("name", text), ("file", text), ("sizes", text), ("count", i32), ("place", i32), ("material", i32), ("density", f64), ("fixed", boolean)]


@struct
class scree_scene_key(Structure):
    _fields_ = [("path", text), ("kind", text), ("unit", text), ("standard", text), ("range", text), ("meaning", text), ("field", address)]


@struct
class scree_run_pair(Structure):
    _fields_ = [("names", c.c_char * 65 * 2), ("i", i64), ("j", i64), ("young", f64), ("shear", f64), ("stiffness", f64), ("tangential_stiffness", f64), ("restitution", f64),
                ("friction", f64), ("friction_dynamic", f64), ("contact_duration", f64), ("overlap_expected", f64), ("rolling_friction", f64), ("rolling_stiffness", f64),
                ("twisting_friction", f64), ("twisting_stiffness", f64), ("k2", f64), ("kc", f64), ("bridge_pull", f64), ("bridge_gap", f64)]


@struct
class scree_scene_change_facts(Structure):
    _fields_ = [("at", f64), ("sets_contacts", boolean), ("sets_flow", boolean), ("sets_gravity", boolean), ("gravity", f64 * 3), ("time_step", f64)]


@struct
class scree_run_progress(Structure):
    _fields_ = [("doing", text), ("done", f64), ("step", i64), ("steps", i64), ("time", f64), ("end", f64), ("spheres", i32),
                ("rate", f64), ("seconds_left", f64), ("contacts", i64), ("energy_kinetic", f64), ("bodies", boolean), ("max_overlap_relative", f64)]


TELL = c.CFUNCTYPE(boolean, address, P(scree_run_progress))
LOOK = c.CFUNCTYPE(i32, address, address)


@struct
class scree_run_costs(Structure):
    _fields_ = [("frames", i64), ("seconds_estimated", f64), ("seconds_steps", f64), ("seconds_frames", f64), ("seconds_pictures", f64), ("seconds_other", f64), ("seconds_min", f64)]


@struct
class scree_quantity(Structure):
    _fields_ = [("key", text), ("topic", i32), ("count", i32), ("values", address), ("integers", address), ("text", text), ("unit", text), ("note", text), ("share", f64), ("vector", boolean)]


@struct
class scree_run_def(Structure):
    _fields_ = [("struct_size", u32), ("method", i32), ("threads", i32), ("force", boolean), ("verify", boolean), ("tell", TELL),
                ("context", address), ("until", f64), ("until_steps", i64), ("device", i32), ("draw", address), ("placed", address),
                ("look", LOOK), ("look_steps", i64), ("look_every", f64)]


@struct
class scree_polygon_sim_state(Structure):
    _fields_ = [("step", i64), ("gravity", f64 * 2), ("x", address), ("angle", address), ("v", address), ("spin", address), ("a", address),
                ("anchor", address), ("since", address), ("memory", P(scree_sim_memory)), ("account", f64 * POLYGON_ACCOUNTS)]


@struct
class scree_shapes(Structure):
    _fields_ = [("count", i32), ("first", address), ("xy", address), ("first_capacity", i64), ("xy_capacity", i64)]


@struct
class scree_polygon(Structure):
    _fields_ = [("count", i32), ("xy", address)]


@struct
class scree_polygon_numbers(Structure):
    _fields_ = [("area", f64), ("perimeter", f64), ("centre", f64 * 2), ("gyration", f64), ("radius", f64), ("lower", f64 * 2), ("upper", f64 * 2), ("reflex", i32)]


@struct
class scree_shape_def(Structure):
    _fields_ = [("struct_size", u32), ("rule", i32), ("vertices", i32), ("radius", f64), ("roughness", f64), ("seed", u64)]


@struct
class scree_body(Structure):
    _fields_ = [("shape", i32), ("radius", f64), ("fixed", boolean), ("x", f64 * 2), ("angle", f64), ("v", f64 * 2), ("spin", f64), ("material_density", f64), ("material", i32)]


@struct
class scree_body_set(Structure):
    _fields_ = [("count", i32), ("bodies", P(scree_body)), ("shapes", scree_shapes), ("box", scree_box)]


@struct
class scree_polygon_rounded(Structure):
    _fields_ = [("r", f64), ("limited", boolean), ("area", f64), ("centre", f64 * 2), ("gyration", f64), ("radius", f64)]


@struct
class scree_polygon_pair(Structure):
    _fields_ = [("struct_size", u32), ("stiffness", f64), ("damping", f64), ("restitution", f64), ("friction", f64), ("friction_dynamic", f64),
                ("tangential_stiffness", f64), ("tangential_damping", f64)]


@struct
class scree_polygon_sim_def(Structure):
    _fields_ = [("struct_size", u32), ("box", scree_box), ("gravity", f64 * 2), ("material_density", f64), ("stiffness", f64), ("contact_duration", f64), ("damping", f64),
                ("restitution", f64), ("time_step", f64), ("wrap_every", i32), ("method", i32), ("skin", f64), ("threads", i32), ("watch", scree_watch), ("allow_deep", boolean),
                ("container", i32), ("friction", f64), ("friction_dynamic", f64), ("tangential_stiffness", f64), ("tangential_damping", f64), ("material_count", i32),
                ("wall_material", i32), ("pairs", P(scree_polygon_pair)), ("rule", i32), ("rounding", f64)]


@struct
class scree_polygon_sim_numbers(Structure):
    _fields_ = [("stiffness", f64), ("time_step", f64), ("longest_time_step", f64), ("contact_duration", f64), ("shortest_contact", i32 * 2), ("impact_duration", f64),
                ("restitution_min", f64), ("restitution_max", f64), ("mass_min", f64), ("mass_max", f64), ("mass", f64), ("radius_min", f64), ("radius_max", f64),
                ("free", i32), ("fixed", i32), ("discs", i32), ("vertices", i64), ("pieces", i64), ("rounding", f64), ("rounding_min", f64), ("rounding_max", f64),
                ("limited", i32), ("limited_first", i32)]


@struct
class scree_polygon_sim_report(Structure):
    _fields_ = [("step", i64), ("time", f64), ("energy_kinetic", f64), ("energy_rotation", f64), ("energy_contact", f64), ("energy_gravity", f64), ("energy_potential", f64),
                ("momentum", f64 * 2), ("angular_momentum", f64), ("touching", i64), ("contacts", i64), ("wall_contacts", i64), ("crossings", i64), ("max_overlap", f64),
                ("speed_max", f64), ("rebuilds", i64), ("candidates", i64), ("skin", f64), ("method", i32), ("pairs_tested", i64), ("vertices_offered", i64),
                ("vertices_tested", i64), ("edges_crossed", i64), ("bytes", size_t), ("seconds_search", f64), ("seconds_force", f64), ("seconds_integrate", f64),
                ("energy_tangential", f64), ("dissipated_tangential", f64), ("sliding", i64), ("energy_normal", f64), ("dissipated_normal", f64), ("work_walls", f64),
                ("work_gravity", f64), ("max_overlap_relative", f64)]


@struct
class scree_contact(Structure):
    _fields_ = [("i", i32), ("j", i32), ("kind", i32), ("feature", i32), ("shift", i8 * 2), ("point", f64 * 2), ("normal", f64 * 2), ("depth", f64), ("force", f64 * 2),
                ("energy", f64), ("tangential", f64), ("energy_tangential", f64), ("slides", boolean)]


@struct
class scree_polygon_contacts(Structure):
    _fields_ = [("count", i64), ("contacts", P(scree_contact))]


@struct
class scree_outlines(Structure):
    _fields_ = [("count", i32), ("first", address), ("xy", address), ("centre", address), ("radius", address), ("angle", address),
                ("fixed", address)]


@struct
class scree_checkpoint_number(Structure):
    _fields_ = [("name", c.c_char * CHECKPOINT_NAME), ("whole", boolean), ("integer", i64), ("value", f64)]


@struct
class scree_checkpoint_column(Structure):
    _fields_ = [("name", c.c_char * CHECKPOINT_NAME), ("type", i32), ("components", i32), ("data", address)]


@struct
class scree_checkpoint_memory(Structure):
    _fields_ = [("law", c.c_char * CHECKPOINT_NAME), ("words", i32), ("periodic", boolean), ("count", i64), ("ij", address), ("shift", address),
                ("values", address), ("ij_capacity", i64), ("shift_capacity", i64), ("value_capacity", i64), ("featured", boolean),
                ("feature", address), ("feature_capacity", i64)]


@struct
class scree_checkpoint_motions(Structure):
    _fields_ = [("count", i32), ("at", address), ("since", address), ("velocity", address), ("spin", address), ("turned", boolean), ("turn", address)]


@struct
class scree_checkpoint_bonds(Structure):
    _fields_ = [("count", i64), ("periodic", boolean), ("ij", address), ("shift", address), ("kind", address), ("length", address), ("values", address),
                ("released", address), ("broken_at", address), ("cause", address), ("sums", f64 * 2)]


@struct
class scree_checkpoint_flow(Structure):
    _fields_ = [("count", i64), ("sum_count", i64), ("counts", address), ("sums", address)]


@struct
class scree_checkpoint(Structure):
    _fields_ = [("format_version", i32), ("library", c.c_char * 32), ("count", i32), ("dim", i32), ("integrator", i32), ("time_step", f64), ("hash", u64),
                ("step", i64), ("walls", scree_sim_walls), ("giant_radius", f64), ("force_quantum", f64), ("column_count", i32),
                ("columns", scree_checkpoint_column * CHECKPOINT_COLUMNS), ("scene", address), ("scene_length", i64), ("number_count", i32),
                ("numbers", scree_checkpoint_number * CHECKPOINT_NUMBERS), ("has_bodies", boolean), ("bodies", scree_polygon_sim_state),
                ("r", address), ("shape", address), ("fixed", address), ("density", address), ("shapes", scree_shapes),
                ("memory", scree_checkpoint_memory), ("motions", scree_checkpoint_motions), ("has_materials", boolean), ("material", address),
                ("account_count", i32), ("account", f64 * CHECKPOINT_SUMS), ("bonds", scree_checkpoint_bonds), ("load_count", i64), ("loads", address),
                ("load_capacity", i64), ("flow", scree_checkpoint_flow), ("has_cell", boolean), ("cell", scree_sim_cell_state), ("sim", address)]


# ---- Functions ------------------------------------------------------------------------------------------------------
# name: (what it returns, its arguments). A scree_status is an int32; opaque objects are addresses.

status = i32
FUNCTIONS: dict[str, dict[str, tuple[Any, list[Any]]]] = {
    "scree": {
        "scree_version": (text, []),
        "scree_error_message": (text, []),
        "scree_set_watch": (scree_watch, [scree_watch]),
        "scree_memory_fail_at": (i64, [i64]),
        "scree_rng_make": (scree_rng, [u64, u64]),
        "scree_rng_below": (u64, [P(scree_rng), u64]),
        "scree_container_check": (status, [P(scree_container)]),
        "scree_container_volume": (f64, [P(scree_container)]),
        "scree_box_check": (status, [P(scree_box)]),
        "scree_box_volume": (f64, [P(scree_box)]),
        "scree_box_period": (f64, [P(scree_box)]),
        "scree_box_wrap_centres": (i32, [P(scree_box), i64, address, address]),
        "scree_spheres_bounds": (scree_box, [scree_spheres]),
        "scree_spheres_volume": (f64, [scree_spheres]),
        "scree_sphere_set_free": (None, [P(scree_sphere_set)]),
        "scree_method_name": (text, [i32]),
        "scree_default_exact": (scree_exact, []),
        "scree_default_placement": (scree_placement, []),
        "scree_triangles_place": (status, [P(scree_triangles), P(scree_placement)]),
        "scree_triangles_free": (None, [P(scree_triangles)]),
        "scree_default_surface_def": (scree_surface_def, []),
        "scree_surface_create": (status, [P(scree_surface_def), P(scree_triangles), P(address)]),
        "scree_surface_destroy": (None, [address]),
        "scree_default_sim_boundary": (scree_sim_boundary, []),
        "scree_default_index_def": (scree_index_def, []),
        "scree_index_create": (status, [P(scree_index_def), P(address)]),
        "scree_index_destroy": (None, [address]),
        "scree_index_update": (status, [address, scree_spheres]),
        "scree_index_set_gap": (status, [address, f64]),
        "scree_index_update_on_device": (status, [address, P(scree_device_spheres)]),
        "scree_index_pairs_on_device": (status, [address, boolean, address, P(scree_pairs)]),
        "scree_index_vectors_on_device": (status, [address, address, address, address]),
        "scree_index_lead_on_device": (status, [address, address]),
        "scree_index_follow_on_device": (status, [address, address]),
        "scree_index_set_mask": (status, [address, P(scree_pair_mask)]),
        "scree_index_get_mask": (status, [address, P(scree_pair_mask)]),
        "scree_index_set_group": (status, [address, i32, i32]),
        "scree_index_pairs": (status, [address, P(scree_pairs)]),
        "scree_index_box_pairs": (status, [address, P(scree_pairs)]),
        "scree_index_get_count": (i32, [address]),
        "scree_index_get": (status, [address, i32, address, P(f64)]),
        "scree_index_get_all": (status, [address, address]),
        "scree_index_set_user": (status, [address, i32, i64]),
        "scree_index_get_user": (status, [address, i32, P(i64)]),
        "scree_index_set_user_all": (status, [address, address]),
        "scree_index_get_user_all": (status, [address, address]),
        "scree_index_move": (status, [address, i32, address]),
        "scree_index_insert": (status, [address, address, f64, P(i32)]),
        "scree_index_remove": (status, [address, i32]),
        "scree_index_set_radius": (status, [address, i32, f64]),
        "scree_index_set_box": (status, [address, P(scree_box)]),
        "scree_index_scale": (status, [address, f64, f64]),
        "scree_index_neighbours": (status, [address, i32, P(scree_neighbours)]),
        "scree_default_bvh_def": (scree_bvh_def, []),
        "scree_bvh_create": (status, [P(scree_bvh_def), scree_points, P(address)]),
        "scree_bvh_destroy": (None, [address]),
        "scree_bvh_get_count": (i32, [address]),
        "scree_bvh_get_bytes": (size_t, [address]),
        "scree_full_pairs": (status, [i32, scree_pairs, P(scree_found_pairs)]),
        "scree_found_pairs_free": (None, [P(scree_found_pairs)]),
        "scree_bvh_within": (status, [address, scree_points, f64, P(scree_hits)]),
        "scree_bvh_nearest": (status, [address, scree_points, i32, f64, P(scree_hits)]),
        "scree_bvh_nearest_spheres": (status, [address, scree_points, i32, f64, P(scree_hits)]),
        "scree_bvh_count_within": (status, [address, scree_points, f64, boolean, address]),
        "scree_bvh_boxes": (status, [address, i64, address, address, address, P(scree_hits)]),
        "scree_bvh_rays": (status, [address, i64, address, address, f64, boolean, address, P(scree_hits)]),
        "scree_hits_free": (None, [P(scree_hits)]),
        "scree_index_query": (status, [address, address, f64, P(scree_neighbours)]),
        "scree_index_get_device": (i32, [address]),
        "scree_index_method": (i32, [address]),
        "scree_index_get_stats": (scree_index_stats, [address]),
        "scree_index_get_predicted": (f64, [address, i32]),
        "scree_index_validate": (status, [address]),
        "scree_default_candidates_def": (scree_candidates_def, []),
        "scree_candidates_create": (status, [P(scree_candidates_def), P(address)]),
        "scree_candidates_destroy": (None, [address]),
        "scree_default_candidate_items": (scree_candidate_items, []),
        "scree_candidates_update": (status, [address, P(scree_candidate_items)]),
        "scree_candidates_get_rows": (status, [address, P(scree_candidate_rows)]),
        "scree_default_levels_def": (scree_levels_def, []),
        "scree_find_levels": (status, [P(scree_levels_def), P(scree_box), i32, address, P(scree_levels)]),
        "scree_default_snapshot": (scree_snapshot, []),
        "scree_default_fields_def": (scree_fields_def, []),
        "scree_measure_fields": (status, [P(scree_snapshot), P(scree_fields_def), P(scree_fields)]),
        "scree_signal_check": (status, [P(scree_signal)]),
        "scree_signal_at": (None, [P(scree_signal), f64, address]),
        "scree_signal_rate": (None, [P(scree_signal), f64, address]),
        "scree_sim_get_loads": (i32, [address, P(scree_sim_load), i32]),
        "scree_index_surroundings": (status, [address, i32, P(scree_surroundings)]),
        "scree_device_describe": (status, [i32, P(scree_device_about)]),
        "scree_polygon_sim_set_threads": (status, [address, i32]),
        "scree_fields_free": (None, [P(scree_fields)]),
        "scree_default_network_def": (scree_network_def, []),
        "scree_measure_network": (status, [P(scree_snapshot), P(scree_network_def), P(scree_network)]),
        "scree_network_free": (None, [P(scree_network)]),
        "scree_measure_fragments": (status, [P(scree_snapshot), P(scree_fragments)]),
        "scree_fragments_free": (None, [P(scree_fragments)]),
        "scree_default_mixing_def": (scree_mixing_def, []),
        "scree_measure_mixing": (status, [P(scree_snapshot), P(scree_mixing_def), P(scree_mixing)]),
        "scree_default_repose_def": (scree_repose_def, []),
        "scree_contact_points": (status, [P(scree_snapshot), address]),
        "scree_measure_displacement": (status, [P(scree_snapshot), P(scree_snapshot), address, P(scree_displacement_table)]),
        "scree_displacement_table_free": (None, [P(scree_displacement_table)]),
        "scree_measure_repose": (status, [P(scree_snapshot), P(scree_repose_def), P(scree_repose)]),
        "scree_find_contacts": (status, [P(scree_snapshot), f64, P(scree_contact_table)]),
        "scree_contact_table_free": (None, [P(scree_contact_table)]),
        "scree_measure_wall_stress": (status, [P(scree_snapshot), i32, P(scree_wall_stress)]),
        "scree_measure_groups": (status, [P(scree_snapshot), P(scree_group_table)]),
        "scree_group_table_free": (None, [P(scree_group_table)]),
        "scree_measure_flow": (status, [P(scree_snapshot), P(scree_snapshot), i32, f64, P(scree_flow)]),
        "scree_default_event_def": (scree_event_def, []),
        "scree_event_create": (status, [P(scree_event_def), scree_spheres, address, P(address)]),
        "scree_event_destroy": (None, [address]),
        "scree_default_event_until": (scree_event_until, []),
        "scree_event_run": (status, [address, P(scree_event_until)]),
        "scree_event_next": (status, [address, f64, P(scree_event_hit)]),
        "scree_event_set_temperature": (status, [address, f64]),
        "scree_event_set_rate": (status, [address, f64]),
        "scree_event_get_state": (None, [address, address, address]),
        "scree_event_get_stats": (scree_event_stats, [address]),
        "scree_event_reset_stats": (None, [address]),
        "scree_event_is_jammed": (status, [address, f64, P(scree_event_rest)]),
        "scree_event_validate": (status, [address]),
        "scree_surface_get_report": (scree_surface_report, [address]),
        "scree_surface_get_arrays": (scree_surface_arrays, [address]),
        "scree_surface_winding": (status, [address, address, P(i32)]),
        "scree_surface_near": (i64, [address, address, f64, address, i64]),
        "scree_surface_contacts": (i64, [address, address, f64, i64, address, P(scree_surface_contact), i64]),
        "scree_surface_closest": (status, [address, address, P(scree_surface_contact)]),
        "scree_sim_set_motion": (status, [address, i32, address, address]),
        "scree_sim_get_volume": (f64, [address]),
        "scree_sim_clearance": (f64, [address, address]),
        "scree_sim_set_threads": (status, [address, i32]),
        "scree_sim_scale": (status, [address, f64, f64]),
        "scree_default_measure_def": (scree_measure_def, []),
        "scree_measure": (status, [P(scree_measure_def), scree_spheres, P(scree_measures)]),
        "scree_measures_free": (None, [P(scree_measures)]),
        "scree_measure_average": (status, [address, i64, P(scree_average)]),
        "scree_fields_average": (status, [P(scree_fields), i64, P(scree_fields)]),
        "scree_default_voxels_def": (scree_voxels_def, []),
        "scree_measure_voxels": (status, [P(scree_measure_def), scree_spheres, P(scree_voxels_def), P(scree_voxels)]),
        "scree_voxels_free": (None, [P(scree_voxels)]),
        "scree_default_porosity_def": (scree_porosity_def, []),
        "scree_measure_porosity": (status, [P(scree_measure_def), scree_spheres, P(scree_porosity_def), P(scree_porosity)]),
        "scree_porosity_free": (None, [P(scree_porosity)]),
        "scree_default_bond_order_def": (scree_bond_order_def, []),
        "scree_measure_bond_order": (status, [P(scree_measure_def), scree_spheres, P(scree_bond_order_def), P(scree_bond_order)]),
        "scree_bond_order_free": (None, [P(scree_bond_order)]),
        "scree_default_structure_factor_def": (scree_structure_factor_def, []),
        "scree_measure_structure_factor": (status, [P(scree_measure_def), scree_spheres, P(scree_structure_factor_def), P(scree_structure_factor)]),
        "scree_structure_factor_free": (None, [P(scree_structure_factor)]),
        "scree_default_place_def": (scree_place_def, []),
        "scree_place_random": (status, [P(scree_place_def), i32, address, address]),
        "scree_place_lattice": (status, [P(scree_place_def), f64, i32, address, address]),
        "scree_place_until_full": (status, [P(scree_place_def), i32, address, i32, P(scree_saturation), P(scree_sphere_set)]),
        "scree_predict_density": (status, [i32, i32, address, P(f64)]),
        "scree_default_rearrange_def": (scree_rearrange_def, []),
        "scree_paper_rearrange_def": (scree_rearrange_def, []),
        "scree_centres_name": (text, [i32]),
        "scree_pack_rearrange": (status, [P(scree_rearrange_def), i32, address, P(scree_packing)]),
        "scree_default_hierarchy_def": (scree_hierarchy_def, []),
        "scree_pack_hierarchy": (status, [P(scree_hierarchy_def), address, P(scree_hierarchy)]),
        "scree_hierarchy_free": (None, [P(scree_hierarchy)]),
        "scree_default_stable_def": (scree_stable_def, []),
        "scree_find_stability": (status, [P(scree_box), i32, i32, scree_spheres, P(scree_stability)]),
        "scree_pack_stable": (status, [P(scree_stable_def), i32, address, address, P(scree_packing)]),
        "scree_default_drop_def": (scree_drop_def, []),
        "scree_pack_drop": (status, [P(scree_drop_def), i32, address, P(scree_packing)]),
        "scree_moves_name": (text, [i32]),
        "scree_default_compress_def": (scree_compress_def, []),
        "scree_pack_compress": (status, [P(scree_compress_def), i32, address, P(scree_packing)]),
        "scree_default_grow_def": (scree_grow_def, []),
        "scree_pack_grow": (status, [P(scree_grow_def), i32, address, P(scree_growth)]),
        "scree_growth_free": (None, [P(scree_growth)]),
        "scree_packing_free": (None, [P(scree_packing)]),
        "scree_default_sim_def": (scree_sim_def, []),
        "scree_sim_create": (status, [P(scree_sim_def), scree_spheres, address, P(address)]),
        "scree_sim_destroy": (None, [address]),
        "scree_sim_get_integrator": (i32, [address]),
        "scree_sim_get_device": (i32, [address]),
        "scree_integrator_name": (text, [i32]),
        "scree_sim_get_numbers": (scree_sim_numbers, [address]),
        "scree_sim_run": (status, [address, i64]),
        "scree_sim_get_step": (i64, [address]),
        "scree_sim_get_time": (f64, [address]),
        "scree_sim_get_count": (i32, [address]),
        "scree_default_sim_each": (scree_sim_each, []),
        "scree_default_sim_later": (scree_sim_later, []),
        "scree_sim_insert": (status, [address, scree_spheres, address, P(scree_sim_each), P(i64)]),
        "scree_sim_remove": (status, [address, i64, address]),
        "scree_sim_set_contacts": (status, [address, P(scree_sim_def), scree_spheres]),
        "scree_sim_set_time_step": (status, [address, f64]),
        "scree_sim_take_crossings": (i64, [address, P(scree_sim_crossing), i64]),
        "scree_default_sim_material": (scree_sim_material, []),
        "scree_default_sim_pair": (scree_sim_pair, []),
        "scree_default_sim_law": (scree_sim_law, []),
        "scree_default_sim_bond": (scree_sim_bond, []),
        "scree_default_sim_bonds_def": (scree_sim_bonds_def, []),
        "scree_sim_get_bonds": (status, [address, P(scree_sim_bonds)]),
        "scree_sim_get_law": (text, [address, P(i32)]),
        "scree_sim_get_memory": (status, [address, P(scree_sim_memory)]),
        "scree_sim_get_columns": (i32, [address, P(scree_sim_column), i32]),
        "scree_sim_get_column": (status, [address, text, address]),
        "scree_sim_set_group_force": (status, [address, i32, P(f64)]),
        "scree_sim_set_external": (status, [address, address, address]),
        "scree_sim_get_external": (status, [address, address, address]),
        "scree_default_sim_load": (scree_sim_load, []),
        "scree_sim_set_load": (status, [address, P(scree_sim_load)]),
        "scree_sim_release_group": (status, [address, i32]),
        "scree_sim_law_parameters": (i32, [text, P(scree_sim_parameter), i32]),
        "scree_sim_get_groups": (i32, [address, P(scree_sim_group_report), i32]),
        "scree_sim_get_box": (scree_box, [address]),
        "scree_sim_get_gravity": (None, [address, P(f64), P(f64)]),
        "scree_sim_set_gravity": (status, [address, P(f64), P(f64)]),
        "scree_sim_set_wall_velocity": (status, [address, P(f64 * 2)]),
        "scree_default_sim_cell": (scree_sim_cell, []),
        "scree_sim_set_cell": (status, [address, P(scree_sim_cell)]),
        "scree_sim_get_cell": (status, [address, P(scree_sim_cell_report)]),
        "scree_sim_get_state": (status, [address, P(scree_sim_state)]),
        "scree_sim_set_state": (status, [address, P(scree_sim_state)]),
        "scree_sim_hash": (u64, [address]),
        "scree_sim_measure": (status, [address, P(scree_sim_report)]),
        "scree_sim_find_plan": (status, [address, i32, P(scree_sim_plan)]),
        "scree_sim_get_shares": (status, [address, P(scree_sim_plan)]),
        "scree_par_create_virtual": (status, [i32, P(address)]),
        "scree_par_create": (status, [i32, P(address)]),
        "scree_par_get_rank": (i32, [address]),
        "scree_par_get_ranks": (i32, [address]),
        "scree_par_share": (status, [address]),
        "scree_par_destroy": (None, [address]),
        "scree_sim_get_boundaries": (i32, [address, P(scree_sim_boundary_report), i32]),
        "scree_sim_get_contacts": (status, [address, P(scree_sim_contacts)]),
        "scree_sim_validate": (status, [address]),
        "scree_default_thermal_def": (scree_thermal_def, []),
        "scree_thermal_velocities": (status, [P(scree_thermal_def), scree_spheres, address]),
        "scree_polygon_round": (status, [scree_polygon, f64, P(scree_polygon_rounded)]),
        "scree_polygon_measure": (status, [scree_polygon, P(scree_polygon_numbers)]),
        "scree_polygon_contains": (boolean, [scree_polygon, address]),
        "scree_polygon_nearest": (f64, [scree_polygon, address, address, P(i32)]),
        "scree_shapes_free": (None, [P(scree_shapes)]),
        "scree_shapes_add": (status, [P(scree_shapes), scree_polygon, P(i32)]),
        "scree_shapes_add_wall": (status, [P(scree_shapes), i32, address, f64, P(i32)]),
        "scree_default_shape_def": (scree_shape_def, []),
        "scree_shapes_add_rule": (status, [P(scree_shapes), P(scree_shape_def), P(i32)]),
        "scree_default_polygon_pair": (scree_polygon_pair, []),
        "scree_default_polygon_sim_def": (scree_polygon_sim_def, []),
        "scree_polygon_sim_create": (status, [P(scree_polygon_sim_def), P(scree_shapes), i32, P(scree_body), P(address)]),
        "scree_polygon_sim_destroy": (None, [address]),
        "scree_polygon_sim_get_numbers": (scree_polygon_sim_numbers, [address]),
        "scree_polygon_sim_run": (status, [address, i64]),
        "scree_polygon_sim_get_step": (i64, [address]),
        "scree_polygon_sim_get_time": (f64, [address]),
        "scree_polygon_sim_set_gravity": (status, [address, address]),
        "scree_polygon_sim_set_motion": (status, [address, i32, address, f64]),
        "scree_polygon_sim_get_memory": (status, [address, P(scree_sim_memory)]),
        "scree_polygon_sim_set_state": (status, [address, P(scree_polygon_sim_state)]),
        "scree_polygon_sim_hash": (u64, [address]),
        "scree_polygon_sim_measure": (status, [address, P(scree_polygon_sim_report)]),
        "scree_polygon_sim_get_contacts": (status, [address, P(scree_polygon_contacts)]),
        "scree_polygon_sim_get_boundaries": (i32, [address, P(scree_sim_boundary_report), i32]),
        "scree_polygon_sim_get_count": (i32, [address]),
        "scree_polygon_sim_get_box": (scree_box, [address]),
        "scree_polygon_sim_get_state": (status, [address, P(scree_polygon_sim_state)]),
        "scree_polygon_sim_get_outlines": (status, [address, P(scree_outlines)]),
        "scree_sizes_table": (status, [i32, i32, i64, address, address, P(address)]),
        "scree_sizes_destroy": (None, [address]),
        "scree_sizes_draw": (status, [address, i32, u64, i32, address]),
        "scree_sizes_quantile": (f64, [address, f64]),
        "scree_sizes_cdf": (f64, [address, f64]),
        "scree_sizes_cdf_mass": (f64, [address, f64]),
        "scree_sizes_moment": (f64, [address, f64]),
        "scree_sizes_get_min": (f64, [address]),
        "scree_sizes_get_max": (f64, [address]),
        "scree_sizes_get_text": (text, [address]),
    },
    "scree_files": {
        "scree_default_file_options": (scree_file_options, []),
        "scree_read_triangles": (status, [text, P(scree_file_options), P(scree_triangles)]),
        "scree_read_spheres": (status, [text, P(scree_file_options), P(scree_sphere_set)]),
        "scree_write_spheres": (status, [text, P(scree_file_options), P(scree_sphere_set)]),
        "scree_write_pairs": (status, [text, P(scree_file_options), P(scree_box), scree_spheres, scree_pairs]),
        "scree_read_sizes": (status, [text, i32, P(address)]),
        "scree_write_pvd": (status, [text, i64, address, P(text)]),
        "scree_read_pvd": (status, [text, P(scree_frame_times)]),
        "scree_frame_times_free": (None, [P(scree_frame_times)]),
        "scree_write_triangles": (status, [text, P(scree_file_options), P(scree_triangles)]),
        "scree_outline_set_free": (None, [P(scree_outline_set)]),
        "scree_outline_set_copy": (status, [address, P(scree_outline_set)]),
        "scree_read_outlines": (status, [text, P(scree_file_options), P(scree_outline_set)]),
        "scree_write_outlines": (status, [text, P(scree_file_options), P(scree_outline_set)]),
        "scree_read_scene_with": (status, [text, i32, P(text), P(address)]),
        "scree_scene_parse": (status, [text, text, size_t, P(address)]),
        "scree_write_scene": (status, [text, address]),
        "scree_scene_keys": (P(scree_scene_key), [P(i32)]),
        "scree_scene_get_group": (status, [address, i64, P(scree_scene_group_facts)]),
        "scree_scene_get_gravity": (status, [address, f64, address]),
        "scree_scene_destroy": (None, [address]),
        "scree_run_get_pairs": (i32, [address, P(scree_run_pair), i32]),
        "scree_run_get_end": (f64, [address]),
        "scree_write_voxels": (status, [text, P(scree_file_options), P(scree_voxels)]),
        "scree_write_fields": (status, [text, P(scree_file_options), P(scree_fields)]),
        "scree_scene_set_seed": (status, [address, u64]),
        "scree_scene_set_threads": (status, [address, i32]),
        "scree_scene_get_facts": (status, [address, P(scree_scene_facts)]),
        "scree_scene_get_change": (status, [address, i64, P(scree_scene_change_facts)]),
        "scree_scene_make_spheres": (status, [address, scree_watch, P(scree_sphere_set)]),
        "scree_scene_setup_create": (status, [address, P(scree_sphere_set), P(address)]),
        "scree_scene_setup_get_def": (P(scree_sim_def), [address]),
        "scree_scene_setup_destroy": (None, [address]),
        "scree_scene_read_tables": (status, [address]),
        "scree_scene_apply": (status, [address, i64, address]),
        "scree_scene_make_bodies": (status, [address, scree_watch, P(scree_body_set)]),
        "scree_body_set_free": (None, [P(scree_body_set)]),
        "scree_default_run_def": (scree_run_def, []),
        "scree_run_create": (status, [P(scree_run_def), address, text, P(address)]),
        "scree_run_resume": (status, [P(scree_run_def), text, P(address)]),
        "scree_run_go": (status, [address]),
        "scree_run_destroy": (None, [address]),
        "scree_run_get_sim": (address, [address]),
        "scree_run_get_polygon_sim": (address, [address]),
        "scree_run_hash": (u64, [address]),
        "scree_run_get_scene": (address, [address]),
        "scree_run_measure": (status, [address, P(scree_sim_report)]),
        "scree_run_summary_create": (status, [address, P(address)]),
        "scree_run_summary_destroy": (None, [address]),
        "scree_run_summary_get_count": (i32, [address]),
        "scree_run_summary_get": (P(scree_quantity), [address, i32]),
        "scree_run_get_seconds": (f64, [address]),
        "scree_run_get_note": (text, [address]),
        "scree_run_get_steps": (i64, [address]),
        "scree_run_get_warning": (text, [address]),
        "scree_run_estimate": (status, [address, P(scree_run_costs)]),
        "scree_checkpoint_save": (status, [address, P(scree_checkpoint)]),
        "scree_checkpoint_restore": (status, [P(scree_checkpoint), address]),
        "scree_checkpoint_save_bodies": (status, [address, P(scree_shapes), P(scree_body), P(scree_checkpoint)]),
        "scree_checkpoint_restore_bodies": (status, [P(scree_checkpoint), address]),
        "scree_write_checkpoint": (status, [text, P(scree_checkpoint)]),
        "scree_read_checkpoint": (status, [text, P(scree_checkpoint)]),
        "scree_checkpoint_free": (None, [P(scree_checkpoint)]),
    },
    "scree_show": {
        "scree_default_picture_def": (scree_picture_def, []),
        "scree_picture_render": (status, [P(scree_sphere_set), P(scree_picture_def), address]),
        "scree_write_picture": (status, [text, P(scree_sphere_set), P(scree_picture_def)]),
        "scree_default_film_def": (scree_film_def, []),
        "scree_film_begin": (status, [text, P(scree_film_def), P(address)]),
        "scree_film_add": (status, [address, address]),
        "scree_film_end": (status, [address, status]),
        "scree_default_view_def": (scree_view_def, []),
        "scree_view_begin": (status, [text, P(scree_view_def), P(address)]),
        "scree_view_add": (status, [address, f64, P(scree_sphere_set)]),
        "scree_view_add_outlines": (status, [address, f64, P(scree_outline_set)]),
        "scree_view_end": (status, [address, status]),
        "scree_default_veil": (scree_veil, []),
        "scree_picture_render_outlines": (status, [P(scree_outline_set), P(scree_picture_def), address]),
        "scree_write_picture_outlines": (status, [text, P(scree_outline_set), P(scree_picture_def)]),
        "scree_run_write_report": (status, [address]),
        "scree_draw_frame": (status, [address]),
    },
}
