"""Every function of the public headers: whether the Python module uses it, and if not, why a Python user does not miss it: `/usr/bin/python3 tests/python/bound.py [HEADER...]`.

test_abi.py fails where a function is neither used nor explained here, and where an explanation is needless.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from prototypes import prototypes  # noqa: E402

# What does the same in Python: names of functions, without scree_.
COVERED = {
    "Python's own memory, threads, errors and random numbers (NumPy's Generator)": "fail text_clean type_size malloc calloc realloc free set_allocator memory_held set_tasks get_tasks shutdown "
        "files_shutdown show_shutdown rng_bits rng_uniform",
    "repr of a float": "text_number",
    "Scene calls read_scene_with": "read_scene",
    "for the program (scree help scene); Scene.keys has the table": "scene_find_key scene_key_inside scene_key_condition write_scene_schema",
    "a call sets its watch and then the one before, which setting returns": "get_watch",
    "called while the module is loaded, or by its tests": "version memory_fail_at",
    "names of numbers: tables of words in _abi.py, which test_abi.py compares": "kernel_name porosity_name surface_name clusters_name device_name format_name container_name direction_name range_name box_test_name signal_name "
        "load_name moves_name centres_name colour_map_name shape_rule_name polygon_rule_name integrator_name sim_law_name backend_name sim_limit_name exact_name",
    "Index.rows keeps its candidates by itself": "candidates_hold candidates_first_skin candidates_next_skin candidates_scale candidates_deform candidates_trim candidates_clear candidates_set_threads candidates_get_stats",
    "columns of a Simulation are whole arrays, of which NumPy takes slices": "sim_get_rows sim_get_memory_rows sim_get_bond_rows",
    "numpy.load reads the arrays of a checkpoint; Simulation.save and load write and restore it": "checkpoint_get_bodies checkpoint_set_flow checkpoint_set_scene checkpoint_set_integer "
        "checkpoint_set_value checkpoint_find checkpoint_get_values checkpoint_attach",
    "read and write choose the format by the extension, or by format=": "format_of_path format_keeps files_libraries",
    "numpy.savetxt, csv and pandas write tables; write_pairs and read_contacts are for pairs and contacts": "write_table write_pairs_from read_contacts",
    "film finds its kind, ffmpeg, camera and range of colours itself": "film_kind_of_path film_has_ffmpeg film_measure",
    "scree.Box has size, cell and volume; images and wrapping are one line of NumPy": "box_open box_sized box_is_periodic box_is_tilted box_reject_tilt box_offset box_wrap box_wrap_centre pair_gap",
    "containers are words of pack, measure and Simulation": "container_largest container_depth container_walls container_draw",
    "scree.Spheres is the set": "spheres_check sphere_set_make sphere_set_view sphere_set_check_box sphere_set_add sphere_set_find sphere_set_row",
    "scree.Outlines and the picture of a run are the sets of polygons and forces": "outline_set_make outline_set_vertices outline_set_discs outline_set_check rods_make rods_free read_forces",
    "items with boxes of their own are for simulations of polygons": "index_update_boxes",
    "measure gives all of it at once": "measure_density measure_contacts contact_counts_free measure_pair_distribution pair_distribution_free measure_size_curve size_curve_free measure_nearest nearest_free",
    "parts of measure, for programs that add up spheres one by one": "sphere_box_share sphere_container_share lens_share",
    "lists for programs that move single spheres in their inner loop; Index.move and neighbours serve here": "default_neighbour_lists_def neighbour_lists_create neighbour_lists_destroy neighbour_lists_make "
        "neighbour_lists_move neighbour_lists_refresh neighbour_lists_replace neighbour_lists_get_rows neighbour_lists_get_stats neighbour_lists_validate skin_factor",
    "pack(method='rsa', saturate=True)": "place_saturated",
    "run(comm=) simulates on several processes; the program searches on them (scree contacts --ranks)": "par_get_ranks par_get_shared default_par_pairs_def par_find_pairs par_pairs_next par_pairs_get_stats par_pairs_destroy",
    "Matplotlib draws plots and has the colour maps": "default_plot write_plot plot_render_svg colour_map_rgb",
    "notebooks are the pages; run and pack write report.html": "report_create report_destroy report_badge report_heading report_text report_lines report_command report_link report_number report_integer "
        "report_value report_share report_quantity report_plot report_picture report_versions report_format write_report",
    "Polygon checks itself and knows its vertices": "polygon_check shapes_get",
    "arrays are taken as they are, and pairs come as arrays": "points_of find_pairs visit_pairs bvh_visit_within",
    "run returns the last state, the report and the warnings; Run.log has the curves": "run_get_boundaries run_get_facts run_balance run_get_tally run_get_spheres run_read_curves run_curves_free run_summary_find",
    "for programs that measure frames of a run; Simulation has masses and groups": "scene_find_masses scene_get_surface",
    "check_scene gives stiffness and duration of each pair of materials, Simulation.numbers those of all": "sim_effective_young sim_effective_shear sim_find_numbers",
    "the hash of a state is that of the simulation that it is set to": "sim_state_hash polygon_sim_state_hash",
    "for the module of several processes": "sim_exchange",
    "scree.plan has the counts; times are of the program (scree plan, scree bench step)": "sim_find_costs",
    "Report has bytes and the largest overlap of the moment": "sim_get_device_bytes sim_take_overlaps polygon_sim_take_overlaps",
    "Result.summary has the name of the device; the reasons of auto are told by the program": "sim_get_device_note",
    "Simulation.set_cell checks, and Simulation.cell says what it does": "sim_check_cell sim_cell_moves sim_cell_from",
    "sizes() reads tables and texts; measure has the realised curve": "sizes_parse sizes_realised",
    "Signal has values and slopes; a sum over time is NumPy's trapezoid": "signal_integral",
    "Mesh and the shapes of Simulation(surfaces=) check and place themselves": "triangles_make triangles_check placement_turn surface_rows_make surface_rows_free exact_check exact_closest exact_contacts",
    "view writes the whole page": "view_next_rods view_next_triangles write_view",
}


def rows():
    """(header, function, "used", "bound" or "-", why it is not needed) of every function."""
    table = (ROOT / "python" / "scree" / "_abi.py").read_text()
    used = {name for path in (ROOT / "python" / "scree").glob("*.py") if path.name != "_abi.py" for name in re.findall(r"\blib\.(\w+)", path.read_text())}
    why = {f"scree_{word}": reason for reason, words in COVERED.items() for word in words.split()}
    for header, one in prototypes(False):
        function = re.search(r"\b(scree_\w+)\(", one).group(1)
        what = "used" if function in used else "bound" if f'"{function}"' in table else "-"
        yield header, function, what, why.pop(function, "")
    for function in why:
        yield "", function, "unknown", why[function]


def faults():
    for header, function, what, why in rows():
        if what == "unknown":
            yield f"{function} is explained in bound.py, and no header has it"
        elif what == "used" and why:
            yield f"{function} is used, and bound.py explains why not"
        elif what != "used" and not why:
            yield f"{header}.h: {function} is not used by the Python module; expected a use, or a reason in bound.py"


def main(names):
    counts = {"used": 0, "bound": 0, "-": 0, "unknown": 0}
    for header, function, what, why in rows():
        if not names or f"{header}.h" in names:
            counts[what] += 1
            print(f"{header + '.h':16} {function:40} {what:6} {why}")
    print(f"{counts['used']} used, {counts['bound'] + counts['-']} not used, each with a reason" if not list(faults()) else "\n".join(faults()))


if __name__ == "__main__":
    main(sys.argv[1:])
