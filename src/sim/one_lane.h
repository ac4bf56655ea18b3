// The law terms of grain.h at one lane, in a file that has them at a wider width too: the names of the width end in _one.
#ifndef SCREE_SIM_ONE_LANE_H
#define SCREE_SIM_ONE_LANE_H

#include "sim/grain.h"

#define lanes lanes_one
#define lane_bits lane_bits_one
#define lanes_any lanes_any_one
#define three three_one
#define grain_begin grain_begin_one
#define grain_bridge grain_bridge_one
#define grain_dashpot grain_dashpot_one
#define grain_elastic grain_elastic_one
#define grain_end grain_end_one
#define grain_follow grain_follow_one
#define grain_giving grain_giving_one
#define grain_grow grain_grow_one
#define grain_half_angle grain_half_angle_one
#define grain_holds grain_holds_one
#define grain_jkr_energy grain_jkr_energy_one
#define grain_jkr_root grain_jkr_root_one
#define grain_normal_force grain_normal_force_one
#define grain_plastic grain_plastic_one
#define grain_slide grain_slide_one
#define grain_spread grain_spread_one
#define grain_springs grain_springs_one
#define grain_stiffness grain_stiffness_one
#define grain_stretch grain_stretch_one
#define grain_turn grain_turn_one
#define grain_twist grain_twist_one
#define grain_in grain_in_one
#define grain_out grain_out_one
#define grain_middle grain_middle_one
#define grain_normal grain_normal_one
#define grain_slider grain_slider_one
#define LANES_ONE
#include "sim/lane_ops.h"

typedef double lanes;
typedef int lane_bits;

typedef struct three {
    lanes x, y, z;
} three;

LANES_INLINE bool lanes_any(const lane_bits* mask)
{
    return *mask != 0;
}

#include "sim/grain_terms.h"

#undef LANES_ONE
#undef lanes
#undef lane_bits
#undef lanes_any
#undef three
#undef grain_begin
#undef grain_bridge
#undef grain_dashpot
#undef grain_elastic
#undef grain_end
#undef grain_follow
#undef grain_giving
#undef grain_grow
#undef grain_half_angle
#undef grain_holds
#undef grain_jkr_energy
#undef grain_jkr_root
#undef grain_normal_force
#undef grain_plastic
#undef grain_slide
#undef grain_spread
#undef grain_springs
#undef grain_stiffness
#undef grain_stretch
#undef grain_turn
#undef grain_twist
#undef grain_in
#undef grain_out
#undef grain_middle
#undef grain_normal
#undef grain_slider
#include "sim/lane_ops.h"

#endif
