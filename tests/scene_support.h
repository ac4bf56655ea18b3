// Scenes as texts, and how tests read them.
#ifndef SCREE_TESTS_SCENE_SUPPORT_H
#define SCREE_TESTS_SCENE_SUPPORT_H

#include "file_support.h"

#include "scene/scene_inner.h"
#include "scree/scene.h"

#include <time.h>

// ---- Reading -----------------------------------------------------------------------------------------------------

static inline scree_status parse_bytes(const char* text, size_t length, scree_scene* out)
{
    char* exact = malloc(length + (length == 0));  // of just that size, so that the address sanitizer sees the end
    assert_non_null(exact);
    memcpy(exact, text, length);
    scree_status status = scene_parse("m.yaml", exact, length, out);
    free(exact);
    return status;
}

static inline scree_status parse(const char* text, scree_scene* out)
{
    return parse_bytes(text, strlen(text), out);
}

#define CONTACT "contact: {stiffness: 1}\n"
#define TIME "time: {steps: 10}\n"
#define BOX "box: {size: [1, 1, 1]}\n"
#define MADE "spheres: {count: 1, sizes: 'mono:1', place: random}\n"

static const char from_design[] =
    "dimension: 2\n"
    "box: {size: [0.14, 0.28], periodic: []}        # axes not named periodic have walls\n"
    "gravity: [0, -9.81]\n"
    "spheres:                                       # either `file: packing.vtp`, or count + sizes + place\n"
    "  count: 7800\n"
    "  sizes: uniform-size:0.5e-3:1.5e-3\n"
    "  place: grow                                  # lattice | random | grow\n"
    "  material_density: 7000\n"
    "  velocity: zero                               # zero | thermal | [vx, vy] | file\n"
    "contact: {law: linear, stiffness: 1e7, damping: 0}   # or restitution: 0.9 in place of damping\n"
    "time: {step: 1e-7, end: 1e-2}                  # step: auto = 1/50 of the shortest contact duration\n"
    "search: {method: auto}\n"
    "output: {every: 1e-3, formats: [vtp]}\n"
    "seed: 1\n";

// All keys but those that exclude them.
static const char most_3d[] =
    "%YAML 1.1\n"
    "---\n"
    "dimension: 3\n"
    "box: {size: [1, 2.5, .5], periodic: [x, z], origin: [-1, 0, 1e-3]}\n"
    "walls: {y: [0.25, -1]}\n"
    "gravity: [0, -0, -9.81]\n"
    "gravity_turn: [0, 0.1, 0]\n"
    "spheres:\n"
    "  count: 1e3\n"
    "  sizes: \"table:sieves/a \\\"b\\\".csv\"\n"
    "  sampling: shifted\n"
    "  place: lattice\n"
    "  spacing: 0.125\n"
    "  material_density: 2500\n"
    "  velocity: thermal\n"
    "  overlap: 0.02\n"
    "contact: {law: record, overlap: 0.01, speed: 3, restitution: 0.9}\n"
    "time: {step: auto, steps: 100000}\n"
    "search: {method: hierarchical-grid, skin: 0.01, cell_sizes: [0.1, 0.2, 4], direction: finer, range: half-cell, box_test: on}\n"
    "output:\n"
    "  every_steps: 500\n"
    "  formats: [xyz, csv, lammps, npy]\n"
    "  contacts: true\n"
    "  pictures: true\n"
    "  animation: true\n"
    "  log_every_steps: 50\n"
    "checkpoint: {every: 2000}\n"
    "order_every: 500\n"
    "giants: 0.75\n"
    "seed: 9223372036854775807\n"
    "changes:\n"
    "- {at: 0, gravity: [1, 2, 3]}\n"
    "- at: 0.5\n"
    "  gravity_turn: [0, 0, 1]\n"
    "  walls: {y: [0, 3]}\n"
    "- {at: 1e2, walls: {}, gravity: [0, 0, 0], gravity_turn: [1, 0, 0]}\n"
    "...\n";

static const char most_2d[] = "\xEF\xBB\xBF"
                              "seed: 7\r\n"
                              "gravity_turn: -0.5\r\n"
                              "walls: {x: [1, 2]}\r\n"
                              "spheres: {count: 12, sizes: bidisperse:3, density: 0.5, place: grow, velocity: [1, -2]}\r\n"
                              "box: {periodic: [\"y\"], aspect: [1, 2]}\r\n"
                              "contact: {duration: 1e-3, damping: 0.5}\r\n"
                              "time: {end: 1}\r\n"
                              "search: {method: verlet-list, skin: auto, verlet_radius: 6.5, rebuild_every: 100, cell_sides: auto}\r\n"
                              "checkpoint: {every: \"0.5s\"}\r\n"
                              "changes: [{at: 0.5, gravity_turn: 1, gravity: [0, 1]}]\r\n"
                              "dimension: 2\r\n";

static const char from_file[] = "spheres: {file: ../start/packing.vtp, velocity: file, material_density: 3}\n"
                                "contact: {stiffness: 5}\n"
                                "time: {steps: 0, integrator: position-verlet}\n"
                                "walls: {z: [0, 1]}\n"
                                "search: {method: linked-cells, cell_size: 3, box_test: off, skin: -1}\n"
                                "output: {formats: []}\n";

static const char with_bodies[] = "dimension: 2\n"
                                  "box: {size: [4, 6], periodic: [x]}\n"
                                  "bodies:\n"
                                  "- {points: [[0, 0], [4, 0], [4, 0.25], [0, 0.2]], fixed: true, velocity: [0.1, -0.2], spin: 1e-3}\n"
                                  "- wall: [[0, 3], [1.5, 2], [3, 2.5]]\n"
                                  "  thickness: -0.2\n"
                                  "  fixed: true\n"
                                  "- {shape: star, vertices: 9, roughness: 0.25, sizes: 'uniform-size:0.1:0.2', place: random, count: 40, angle: 1, angle_spread: 3.1}\n"
                                  "- {shape: hook, sizes: 'table:s.csv', place: lattice, count: auto, region: [0, 3, 4, 6.5], material_density: 3}\n"
                                  "- {shape: disc, sizes: 'mono:0.1', at: [[1, 2], [3, -4e-3]]}\n"
                                  "- {file: shapes.txt}\n"
                                  "- {shape: chip, sizes: 'mono:1', at: [[0, 0]]}\n"
                                  "contact: {duration: 1e-4}\n"
                                  "time: {end: 1}\n"
                                  "changes: [{at: 0.5, gravity: [0, 1]}]\n";

static const char beside[] = "dimension: 2\nbox: {size: [4, 6]}\n" CONTACT TIME "spheres: {count: 5, sizes: 'mono:0.1', place: random}\n"
                             "bodies: [{shape: ell, sizes: 'mono:0.5', at: [[2, 2]]}]\n";

static const char loose[] = "dimension: 3\n" BOX CONTACT TIME
                            "spheres: {count: 5, sizes: 'lognormal:1:0.2', place: random, velocity: thermal, temperature: 2.5}\n"
                            "search: {method: loose-octree, loose_factor: 3}\n";
static const char graded[] = BOX CONTACT TIME MADE "search: {method: hierarchical-grid, levels: 4, range: iwai, direction: coarser}\n";

static const char listed[] = "box: {size: [1, 2, 3]}\n" CONTACT "time: {end: 1}\n"
                             "changes:\n"
                             "- {at: 0.25, force: {movers: [1, 2, -3], late-ones: [0, 0, 1e-3]}}\n"
                             "- {at: 0.5, force: {}, gravity: [0, 0, 1]}\n"
                             "spheres:\n"
                             "- {name: base, count: 25, sizes: 'mono:0.1', place: lattice, spacing: 0.2, material: steel, fixed: true}\n"
                             "- {file: a/b.csv, count: 7, velocity: file, material: glass}\n"
                             "- {name: movers, count: 10, sizes: 'table:s.csv', sampling: random, place: random, material: glass, velocity: [1, 2, 3],\n"
                             "   force: [0, 0, 0.5]}\n"
                             "- {name: late-ones, file: /c.vtp, velocity: thermal, temperature: 2, material: steel}\n"
                             "materials:\n"
                             "  glass: {material_density: 2500}\n"
                             "  steel: {material_density: 7850}\n";

static const char of_densities[] = "dimension: 2\n" CONTACT TIME
                                   "spheres:\n"
                                   "- {count: 10, sizes: 'mono:0.1', place: grow, density: 0.25, material_density: 3}\n"
                                   "- {count: 10, sizes: 'mono:0.2', place: grow, density: 0.5, velocity: thermal, overlap: 0.02}\n";

static const char named[] = BOX CONTACT TIME "materials: {a_1: {material_density: 4}}\n"
                                             "spheres: {name: all, count: 1, sizes: 'mono:1', place: random, material: a_1, force: [1, 0, 0]}\n"
                                             "changes: [{at: 1, force: {all: [0, 1, 0]}}]\n";

static const char discs_listed[] = "dimension: 2\nbox: {size: [4, 6]}\n" CONTACT TIME "spheres:\n"
                                   "- {count: 5, sizes: 'mono:0.1', place: random}\n"
                                   "- {count: 5, sizes: 'mono:0.2', place: lattice, fixed: true, material_density: 2}\n"
                                   "bodies: [{shape: ell, sizes: 'mono:0.5', at: [[2, 2]]}]\n";

static const char paired[] = "box: {size: [1, 1, 2], container: cylinder}\nwalls: {z: [0, -0.5], material: steel}\n" TIME
                             "materials: {glass: {material_density: 2500}, steel: {material_density: 7850}, rubber: {material_density: 1100}}\n"
                             "spheres:\n- {count: 3, sizes: 'mono:0.1', place: random, material: glass}\n"
                             "- {count: 3, sizes: 'mono:0.1', place: random, material: rubber, fixed: true}\n"
                             "contact: {stiffness: 3e4, damping: 0}\n"
                             "pairs:\n- {between: [steel, glass], stiffness: 1e5, damping: 0.1}\n- {between: [glass, rubber], damping: 2}\n";

static const char* const fine_scenes[] = {from_design, most_3d, most_2d,      from_file, loose,       graded,
                                          with_bodies, beside,  listed, of_densities, named, discs_listed, paired};

#define FINE_SCENES 13

// ---- What is wrong, and where ------------------------------------------------------------------------------------

#define REST CONTACT TIME BOX MADE  // lines 1 to 4; what is tried comes from line 5 on

#endif
